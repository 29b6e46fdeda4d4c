/*
 * rest_audit: the log for roles with `audit = yes`: its calls, one of them, and whether its chain
 * holds.
 *
 * What a filter may be is said in one place, cmd/audit_options: here a query becomes its flags, and
 * its complaint the answer.
 */
#include "api/rest.h"

#include "api/audit_reader.h"
#include "api/log.h"
#include "api/query.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define VALUE_BYTES 256u
#define ID_BYTES 64u
#define FILTERS 7u
#define LIST_DEFAULT "50"
#define LIST_MAX 200u

static const char *const filters[FILTERS][2] = {{"role", "--role"}, {"outcome", "--outcome"},
	{"since", "--since"}, {"until", "--until"}, {"text", "--text"}, {"before", "--before"},
	{"limit", "--limit"}};

/* What stands around the reader's JSON. */
struct frame {
	const char *before, *after;
};

static const struct frame list_frame = {"{\"calls\":", "}"}, show_frame = {"{\"rows\":", "}"},
			  verify_frame = {"", ""};

struct reading {
	struct audit_reader *reader;
	const struct frame *frame;
};

static void on_gone(struct rest *rest)
{
	struct reading *reading = rest->user;
	audit_reader_leave(reading->reader);
	free(reading);
}

/*
 * "brig: audit: --since x is no moment; … (see brig audit -h)": what stands between, or false where
 * the complaint is of another kind, which is the operator's.
 */
static bool filter_fault(struct span said, char *why, size_t room)
{
	static const char start[] = "brig: audit: --", end[] = " (see brig audit -h)";
	char line[400];
	(void)snprintf(
		line, sizeof(line), "%.*s", (int)said.len, said.len ? (const char *)said.data : "");
	char *tail = strstr(line, end);
	if (!tail || strncmp(line, start, sizeof(start) - 1) != 0)
		return false;
	*tail = 0;
	(void)snprintf(why, room, "%s", line + sizeof(start) - 1);
	return true;
}

static void answer(struct rest *rest, const struct frame *frame, struct span json)
{
	cleanup_buf struct buf body = {0};
	buf_init(&body, HTTP_OUT_BYTES_MAX / 2);
	int rc = buf_add_text(&body, frame->before);
	if (!rc)
		rc = buf_add(&body, json.data, json.len);
	if (!rc)
		rc = buf_add_text(&body, frame->after);
	if (rc < 0)
		rest_problem(rest, 503, NULL, "out of memory", 1);
	else
		rest_answer(rest, 200, JSON_TYPE, span_of(body.data, body.len));
}

static bool is_unknown(struct span said)
{
	static const char start[] = "brig: audit: no call ";
	return said.len >= sizeof(start) && memcmp(said.data, start, sizeof(start) - 1) == 0;
}

/* The reader's own words name paths: they are the operator's. */
static void tell_unreadable(struct rest *rest, struct span said)
{
	char words[400];
	(void)snprintf(words, sizeof(words), "%.*s", (int)said.len,
		said.len ? (const char *)said.data : "");
	words[strcspn(words, "\n")] = 0;
	log_line("audit_unreadable", "error", words, NULL);
	rest_problem(rest, 503, NULL,
		"the audit log cannot be read: it is damaged, of another version or not "
		"readable; the server's log says more, and so does brig audit on the host",
		5);
}

static void on_done(void *user, int status, struct span said)
{
	struct rest *rest = user;
	struct reading *reading = rest->user;
	const struct frame *frame = reading->frame;
	char why[400];
	free(reading);
	rest->on_gone = NULL;
	bool is_json = said.len && (said.data[0] == '{' || said.data[0] == '[');
	/* A chain that does not hold is an answer, with status 1. */
	if (status == 0 || (status == 1 && frame == &verify_frame && is_json)) {
		answer(rest, frame, said);
		return;
	}
	if (status == 1 && frame == &show_frame && is_unknown(said))
		rest_problem(rest, 404, NULL, "no such call in the log", 0);
	else if (status == 2 && filter_fault(said, why, sizeof(why)))
		rest_problem(rest, 422, NULL, why, 0);
	else if (status < 0)
		rest_problem(rest, 503, NULL,
			"the audit log could not be read in time; narrow it down by `since`, or "
			"ask brig audit on the host",
			5);
	else
		tell_unreadable(rest, said);
}

static void start(struct rest *rest, const char *const *words, const struct frame *frame)
{
	struct reading *reading = calloc(1, sizeof(*reading));
	if (!reading) {
		rest_problem(rest, 503, NULL, "out of memory", 1);
		return;
	}
	reading->frame = frame;
	int rc = audit_reader_start(rest->dispatcher, words, on_done, rest, &reading->reader);
	if (rc < 0) {
		free(reading);
		rest_problem(rest, 503, NULL,
			rc == -EAGAIN ? "others are reading the audit log; try again"
				      : "the audit log cannot be read now",
			1);
		return;
	}
	rest->user = reading;
	rest->on_gone = on_gone;
}

/* -EINVAL where it is too long or broken. */
static int decode(struct span text, char value[VALUE_BYTES])
{
	cleanup_buf struct buf plain = {0};
	buf_init(&plain, VALUE_BYTES - 1);
	if (query_decode(text, &plain) < 0)
		return -EINVAL;
	(void)snprintf(value, VALUE_BYTES, "%.*s", (int)plain.len,
		plain.len ? (const char *)plain.data : "");
	return 0;
}

/* Appends the query's filters to `words`; false where it was refused. */
static bool put_filters(struct rest *rest, char values[FILTERS][VALUE_BYTES], const char **words)
{
	struct span query = rest->exchange->head->query, name, value;
	size_t count = 0;
	while (query_next(&query, &name, &value)) {
		size_t i = 0;
		while (i < FILTERS && !span_is(name, filters[i][0]))
			i++;
		if (i == FILTERS || values[i][0] || decode(value, values[i]) < 0) {
			rest_problem(rest, 422, i < FILTERS ? filters[i][0] : NULL,
				i == FILTERS ? "filters are role, outcome, since, until, text, "
					       "before and limit"
					     : "a filter comes once, with at most 255 bytes",
				0);
			return false;
		}
	}
	for (size_t i = 0; i < FILTERS; i++) {
		if (!values[i][0])
			continue;
		words[count++] = filters[i][1];
		words[count++] = values[i];
	}
	return true;
}

static void list(struct rest *rest)
{
	char values[FILTERS][VALUE_BYTES] = {{0}};
	char *limit = values[FILTERS - 1];
	const char *words[AUDIT_READER_WORDS_MAX] = {
		"list", "--json", "--brief", "--db", rest->dispatcher->start->audit_path};
	if (!put_filters(rest, values, words + 5))
		return;
	/* Clamped like any other limit; what is no number is refused by its reader. */
	if (strspn(limit, "0123456789") == strlen(limit) && strlen(limit) > 0 &&
		(strlen(limit) > 3 || atoi(limit) > (int)LIST_MAX))
		(void)snprintf(limit, VALUE_BYTES, "%u", LIST_MAX);
	size_t count = 0;
	while (words[count])
		count++;
	if (!limit[0]) {
		words[count] = filters[FILTERS - 1][1];
		words[count + 1] = LIST_DEFAULT;
	}
	start(rest, words, &list_frame);
}

static void show(struct rest *rest, struct span id)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	char text[ID_BYTES + 1];
	(void)snprintf(text, sizeof(text), "%.*s", (int)id.len, (const char *)id.data);
	if (!id.len || id.len > ID_BYTES || strspn(text, letters) != id.len) {
		rest_problem(rest, 404, NULL, "no such call in the log", 0);
		return;
	}
	const char *words[] = {
		"show", "--json", "--db", rest->dispatcher->start->audit_path, "--", text, NULL};
	start(rest, words, &show_frame);
}

void rest_audit(struct rest *rest)
{
	if (!rest->who.audit) {
		rest_problem(rest, 403, NULL,
			rest->who.role->audit
				? "without a configuration only root, or the server's own user, "
				  "reads the audit log, over the Unix socket or by `brig audit`"
				: "this role does not read the audit log: it takes `audit = yes`",
			0);
		return;
	}
	if (rest->dispatcher->ledger.is_lost) {
		rest_problem(rest, 503, NULL, ledger_why(&rest->dispatcher->ledger), 5);
		return;
	}
	const char *verify[] = {
		"verify", "--json", "--db", rest->dispatcher->start->audit_path, NULL};
	if (span_is(rest->exchange->head->path, "/v1/audit"))
		list(rest);
	else if (span_is(rest->rest_of_path, "verify"))
		start(rest, verify, &verify_frame);
	else
		show(rest, rest->rest_of_path);
}

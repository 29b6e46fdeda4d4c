/* e2b_sandboxes: the account's side: make, list, look at, prolong, kill. */
#include "api/e2b.h"

#include "api/query.h"
#include "api/session_ask.h"
#include "api/session_audit.h"
#include "base/clock.h"
#include "tool/session_time.h"
#include "tool/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char no_such[] = "no such sandbox";

static json_t *time_json(int64_t ms)
{
	char text[TEXT_TIME_BYTES];
	return json_string(text_time(ms, text));
}

/* What opens the sandbox; a new one where the token has another secret than when it was given. */
static int give_access(struct session *session, const struct who *who)
{
	bool known = session->access[0] && memcmp(session->access_secret, who->secret,
						   sizeof(session->access_secret)) == 0;
	if (known)
		return 0;
	memcpy(session->access_secret, who->secret, sizeof(session->access_secret));
	return session_id_make(session->access);
}

/* What every answer about a sandbox has; with `access` what opens it. */
static json_t *describe(struct rest *rest, struct session *session, bool access)
{
	const struct job_limits limits = session_limits_now(rest->dispatcher, session);
	struct session_status status;
	struct e2b_box *box = e2b_box_of(session);
	session_status_of(session, &status);
	if (!box || give_access(session, &rest->who) < 0)
		return NULL;
	cleanup_json json_t *object = json_pack(
		"{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:i, s:i, s:i}", "sandboxID", session->id,
		"templateID", box->template_id, "clientID", "brig", "envdVersion", E2B_ENVD_VERSION,
		"state", "running", "startedAt", time_json(session->begun_ms), "endAt",
		time_json(session_status_ends_ms(&status)), "cpuCount", 1, "memoryMB",
		(int)(limits.memory_bytes / MIB), "diskSizeMB", (int)(LIMIT_WORK_BYTES_MAX / MIB));
	int rc = object ? 0 : -ENOMEM;
	if (!rc && box->metadata)
		rc = json_put(object, "metadata", json_incref(box->metadata));
	if (!rc && access)
		rc = json_put(object, "envdAccessToken", json_string(session->access));
	if (!rc && access)
		rc = json_put(object, "trafficAccessToken", json_string(session->access));
	return rc ? NULL : TAKE_JSON(object);
}

void e2b_answer_session(struct rest *rest, int status, struct session *session)
{
	cleanup_json json_t *object = describe(rest, session, true);
	if (object)
		rest_json(rest, status, object);
	else
		e2b_problem(rest, 503, "out of memory");
}

/* The SDK encodes what is a query within a query once more. */
static int decode_twice(struct span text, struct buf *out)
{
	cleanup_buf struct buf once = {0};
	buf_init(&once, E2B_METADATA_BYTES_MAX);
	int rc = query_decode(text, &once);
	return rc ? rc : query_decode(span_of(once.data, once.len), out);
}

/* Whether all pairs of a `metadata` parameter are the sandbox's. */
static bool metadata_matches(const struct e2b_box *box, struct span wanted)
{
	struct span name, value;
	while (query_next(&wanted, &name, &value)) {
		cleanup_buf struct buf key = {0}, text = {0};
		buf_init(&key, E2B_METADATA_BYTES_MAX);
		buf_init(&text, E2B_METADATA_BYTES_MAX);
		if (decode_twice(name, &key) < 0 || buf_add(&key, "", 1) < 0 ||
			decode_twice(value, &text) < 0)
			return false;
		struct span has = json_text(json_object_get(box->metadata, (const char *)key.data));
		if (!has.data || has.len != text.len ||
			(has.len && memcmp(has.data, text.data, has.len) != 0))
			return false;
	}
	return true;
}

static void list(struct rest *rest)
{
	struct session *session;
	struct span query = rest->exchange->head->query;
	cleanup_json json_t *all = json_array();
	cleanup_buf struct buf metadata = {0}, states = {0};
	buf_init(&metadata, E2B_METADATA_BYTES_MAX);
	buf_init(&states, 256);
	int rc = query_find(query, "metadata", &metadata);
	int asked = rc < 0 ? rc : query_find(query, "state", &states);
	if (asked < 0) {
		e2b_problem(rest, 400, "the query is not encoded as a URL's is");
		return;
	}
	bool running = !asked || memmem(states.data, states.len, "running", 7);
	rc = 0;
	TAILQ_FOREACH(session, &rest->dispatcher->sessions.open, link)
	{
		if (rc || !running || !session_is_of(session, &rest->who))
			continue;
		struct e2b_box *box = e2b_box_of(session);
		if (box && metadata_matches(box, span_of(metadata.data, metadata.len)))
			rc = json_push(all, describe(rest, session, false));
	}
	if (rc < 0)
		e2b_problem(rest, 503, "out of memory");
	else
		rest_json(rest, 200, all);
}

void e2b_sandboxes(struct rest *rest)
{
	if (rest->exchange->head->method == HTTP_POST)
		e2b_create(rest);
	else
		list(rest);
}

static void on_killed(struct ledger_wait *wait, int rc)
{
	struct rest *rest = (struct rest *)(void *)((char *)wait - offsetof(struct rest, wait));
	if (rc < 0)
		e2b_problem(rest, 503, ledger_why(&rest->dispatcher->ledger));
	else
		rest_answer(rest, 204, NULL, span_of("", 0));
}

static void kill_sandbox(struct rest *rest, struct session *session)
{
	const struct session_deed deed = {.tool = SESSION_TOOL_CLOSE, .session = session->id};
	int rc = session_audit(rest->dispatcher, &rest->who, &deed);
	session_end(rest->dispatcher, session);
	if (rc < 0)
		e2b_problem(rest, 503, ledger_why(&rest->dispatcher->ledger));
	else
		ledger_wait(&rest->dispatcher->ledger, &rest->wait, on_killed);
}

struct extension {
	struct rest *rest;
	struct session_ask *ask;
	char id[SESSION_ID_BYTES];
	uint64_t life_ms;
	bool connects; /* answered with the sandbox */
};

static void extension_gone(struct rest *rest)
{
	struct extension *extension = rest->user;
	session_ask_leave(extension->ask);
	free(extension);
}

static void on_extended(void *user, struct session_answer *answer)
{
	struct extension it = *(struct extension *)user;
	struct rest *rest = it.rest;
	struct session *session = sessions_by_id(&rest->dispatcher->sessions, span_text(it.id));
	free(user);
	rest->on_gone = NULL;
	if (!session)
		e2b_problem(rest, 404, no_such);
	else if (answer->err.code)
		e2b_problem(rest, 503, "the sandbox does not answer; try again");
	else if (it.connects)
		e2b_answer_session(rest, 200, session);
	else
		rest_answer(rest, 204, NULL, span_of("", 0));
	if (session && !answer->err.code) {
		session->idle_ms = it.life_ms;
		session->life_ms = session->life_until_ms - session->born_ms;
	}
}

/* Never beyond what its role lets it have from its beginning on. */
static uint64_t within_role(const struct rest *rest, const struct session *session, uint64_t ms)
{
	uint64_t left_ms = session_life_left_ms(session, rest->who.role);
	ms = ms < left_ms ? ms : left_ms;
	return ms ? ms : 1;
}

static void extend(struct rest *rest, struct session *session, bool connects)
{
	cleanup_json json_t *object = NULL;
	struct session_request request;
	struct session_status status;
	uint64_t ms;
	if (rest->exchange->body.len && !e2b_read(rest, &object))
		return;
	if (e2b_timeout(object, &ms) < 0) {
		e2b_problem(rest, 400, "timeout must be a whole number of seconds");
		return;
	}
	/* Who connects may make it longer, but not shorter. */
	session_status_of(session, &status);
	if (connects && ms < status.life_left_ms)
		ms = status.life_left_ms;
	struct extension *extension = calloc(1, sizeof(*extension));
	session_request_init(&request);
	request.verb = SESSION_EXTEND;
	request.idle_ms = request.life_ms = within_role(rest, session, ms);
	if (extension) {
		*extension = (struct extension){
			.rest = rest, .life_ms = request.life_ms, .connects = connects};
		memcpy(extension->id, session->id, sizeof(extension->id));
		extension->ask =
			session_ask(rest->dispatcher, session, &request, on_extended, extension);
	}
	if (!extension || !extension->ask) {
		free(extension);
		e2b_problem(rest, 503, "the interpreter service is not there; try again");
		return;
	}
	rest->user = extension;
	rest->on_gone = extension_gone;
}

static void show(struct rest *rest, struct session *session)
{
	e2b_answer_session(rest, 200, session);
}

/* A body of any type is read over; what it says is looked at where it matters. */
bool e2b_any_begin(struct rest *rest)
{
	rest->exchange->body_bytes_max = E2B_BODY_BYTES_MAX;
	return true;
}

void e2b_not_here(struct rest *rest)
{
	e2b_problem(rest, 501,
		"brig has no templates, volumes, secrets or snapshots: the image is the role's, "
		"and a sandbox ends with its timeout");
}

/* "ID" or "ID/DEED", of /sandboxes/ and /v2/sandboxes/. */
void e2b_sandbox(struct rest *rest)
{
	struct span path = rest->rest_of_path;
	const unsigned char *slash = path.len ? memchr(path.data, '/', path.len) : NULL;
	size_t length = slash ? (size_t)(slash - path.data) : path.len;
	struct span deed = slash ? span_of(slash + 1, path.len - length - 1) : span_of("", 0);
	enum http_method method = rest->exchange->head->method;
	struct err err = {0};
	struct session *session =
		sessions_find(&rest->dispatcher->sessions, &rest->who, span_of(path.data, length));
	if (!session || session->lost)
		e2b_problem(rest, 404, no_such);
	else if (!deed.len && method == HTTP_DELETE)
		kill_sandbox(rest, session);
	else if (who_has_sessions(&rest->who, &err) < 0)
		e2b_problem(rest, 403, e2b_no_sessions);
	else if (!deed.len && method != HTTP_POST)
		show(rest, session);
	else if (method == HTTP_POST && (span_is(deed, "timeout") || span_is(deed, "refreshes")))
		extend(rest, session, false);
	else if (method == HTTP_POST && (span_is(deed, "connect") || span_is(deed, "resume")))
		extend(rest, session, true);
	else if (span_is(deed, "metrics") || span_is(deed, "logs"))
		rest_answer(rest, 200, JSON_TYPE, span_text("[]"));
	else
		e2b_problem(rest, 501,
			"brig does not pause, copy or snapshot a sandbox, nor give it a network: "
			"it runs until its timeout, or until it is killed");
}

void e2b_health(struct rest *rest)
{
	if (e2b_session(rest))
		rest_answer(rest, 204, NULL, span_of("", 0));
}

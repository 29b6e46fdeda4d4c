/* session: two requests to the brig that serves, told to a reader. */
#include "cmd/session.h"

#include "base/fd.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/serving.h"
#include "tool/json.h"
#include "tool/text.h"
#include "wire/limits.h"
#include "wire/session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LIST_BYTES_MAX (8 * MIB)
#define LINE_BYTES 512u
#define IDS_MAX 256u

enum { HELP = 1, SOCKET, JSON };

static const struct args_flag flags[] = {{"-h", HELP, false}, {"--help", HELP, false},
	{"--socket", SOCKET, true}, {"--json", JSON, false}};

static const char help[] =
	"usage: brig session list [--json]     your sessions, the latest first\n"
	"       brig session close ID...       ends them: variables, imports and files are gone\n"
	"\n"
	"Through the brig that serves. They are those of the token in the file that\n"
	"BRIG_TOKEN_FILE names, else of this user. brig run --session new begins one.\n"
	"\n"
	"  --json            the object of GET /v1/sessions\n"
	"  --socket PATH     where brig serves\n";

struct options {
	const char *verb, *socket;
	const char *ids[IDS_MAX];
	size_t id_count;
	bool json, help;
};

bool session_is_id(const char *text)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
	size_t length = strlen(text);
	return length > 0 && length < SESSION_ID_BYTES && strspn(text, letters) == length;
}

static int take_id(struct options *options, const char *word, struct err *err)
{
	char shown[ARGS_SHOWN_BYTES];
	if (!session_is_id(word))
		return err_set(err, -EINVAL, "usage", "'%s' is no id; brig session list shows them",
			args_shown(word, shown));
	if (options->id_count == IDS_MAX)
		return err_set(err, -EINVAL, "usage", "at most %u ids at once", IDS_MAX);
	options->ids[options->id_count++] = word;
	return 0;
}

static int take_word(struct options *options, const char *word, struct err *err)
{
	static const char *const verbs[] = {"list", "close", NULL};
	if (options->verb)
		return take_id(options, word, err);
	return args_verb(word, verbs, "list and close", &options->verb, err);
}

static int parse(struct options *options, int argc, char **argv, struct err *err)
{
	struct args args = {.argc = argc,
		.argv = argv,
		.flags = flags,
		.flag_count = sizeof(flags) / sizeof(flags[0])};
	const char *value;
	int id, rc = 0;
	while (!rc && (id = args_next(&args, &value, err)) != ARGS_END) {
		if (id == ARGS_FAULT)
			return -EINVAL;
		if (id == HELP)
			options->help = true;
		else if (id == SOCKET)
			options->socket = value;
		else if (id == JSON)
			options->json = true;
		else
			rc = take_word(options, value, err);
	}
	if (rc || options->help)
		return rc;
	bool closes = options->verb && strcmp(options->verb, "close") == 0;
	if (!options->verb)
		return err_set(err, -EINVAL, "usage", "say brig session list, or close and ids");
	if (closes != (options->id_count > 0))
		return err_set(err, -EINVAL, "usage",
			closes ? "say which: brig session close ID..." : "list takes no words");
	if (closes && options->json)
		return err_set(err, -EINVAL, "usage", "--json goes with list");
	return 0;
}

static int find(const struct options *options, struct serving *ret, struct err *err)
{
	int fd = options->socket ? serving_at(options->socket, ret, err) : serving_find(ret, err);
	if (fd == -EPROTONOSUPPORT)
		return err_set(err, fd, "socket",
			"a service alone is at %.100s: sessions are listed and closed through "
			"brig serve",
			options->socket);
	if (fd == -ENOENT && !options->socket)
		return err_set(err, fd, "socket", "%s",
			serving_closed() ? SERVING_CLOSED
					 : "no brig serves here; start one with brig serve, or "
					   "name its socket with --socket");
	if (fd < 0)
		return fd;
	fd_close(&fd);
	return 0;
}

static int keep_piece(void *user, struct span piece)
{
	return buf_add(user, piece.data, piece.len);
}

static int put_text(struct buf *line, const json_t *object, const char *key, int width)
{
	size_t start = line->len;
	int rc = text_add_terminal_line(
		line, json_text(json_object_get(object, key)), LINE_BYTES / 4);
	while (!rc && line->len - start < (size_t)width)
		rc = buf_add_text(line, " ");
	return rc ? rc : buf_add_text(line, " ");
}

/* ID, state, since when, and until when or why no more. */
static int print_session(const json_t *session)
{
	cleanup_buf struct buf line = {0};
	bool lost = json_object_get(session, "lost") != NULL;
	buf_init(&line, LINE_BYTES);
	int rc = put_text(&line, session, "id", 33);
	if (!rc)
		rc = put_text(&line, session, "state", 5);
	if (!rc)
		rc = put_text(&line, session, "begun_at", 24);
	if (!rc)
		rc = put_text(&line, session, lost ? "lost" : "expires_at", 0);
	while (line.len && line.data[line.len - 1] == ' ')
		line.len--;
	if (!rc && printf("%.*s\n", (int)line.len, (const char *)line.data) < 0)
		rc = -EIO;
	return rc;
}

static int print_list(const struct options *options, struct span body, struct err *err)
{
	cleanup_json json_t *object = NULL;
	size_t index;
	json_t *session;
	int rc = json_read(body, &object);
	if (rc < 0)
		return err_set(
			err, -EBADMSG, "serve", "what serves there is no brig of this version");
	if (options->json)
		rc = printf("%.*s\n", (int)body.len, (const char *)body.data) < 0 ? -EIO : 0;
	else
		json_array_foreach(json_object_get(object, "sessions"), index, session) rc =
			rc ? rc : print_session(session);
	if (!rc && fflush(stdout) != 0)
		rc = -EIO;
	return rc ? err_sys(err, rc, "output", "cannot write to standard output") : 0;
}

static int complain(const char *about, const struct err *err, int status)
{
	(void)fprintf(stderr, "brig: session: %s%s%s\n", about, about[0] ? ": " : "", err->text);
	return status;
}

/* A refusal's exit status: 1 for a session that is not there. */
static int status_of(int http_status)
{
	if (http_status == 404)
		return CMD_ERROR;
	return http_status >= 400 && http_status < 500 ? CMD_REJECTED : CMD_INTERNAL;
}

static int verb_list(const struct options *options, const struct serving *serving)
{
	cleanup_buf struct buf body = {0};
	struct err err = {0};
	buf_init(&body, LIST_BYTES_MAX);
	int rc =
		serving_request(serving, "GET", span_text("/v1/sessions"), keep_piece, &body, &err);
	if (rc != 200)
		return complain("", &err, status_of(rc));
	rc = print_list(options, span_of(body.data, body.len), &err);
	return rc < 0 ? complain("", &err, CMD_INTERNAL) : CMD_OK;
}

/* All of them, whatever becomes of the first; the worst status counts. */
static int verb_close(const struct options *options, const struct serving *serving)
{
	int worst = CMD_OK;
	for (size_t i = 0; i < options->id_count; i++) {
		char target[sizeof("/v1/sessions/") + SESSION_ID_BYTES];
		struct err err = {0};
		(void)snprintf(target, sizeof(target), "/v1/sessions/%s", options->ids[i]);
		int rc = serving_request(serving, "DELETE", span_text(target), NULL, NULL, &err);
		int status = rc == 204 ? CMD_OK : complain(options->ids[i], &err, status_of(rc));
		worst = status > worst ? status : worst;
	}
	return worst;
}

int cmd_session(int argc, char **argv)
{
	struct options options = {0};
	struct serving serving;
	struct err err = {0};
	int rc = parse(&options, argc, argv, &err);
	if (rc < 0) {
		(void)fprintf(stderr, "brig: session: %s (see brig session -h)\n", err.text);
		return CMD_USAGE;
	}
	if (options.help) {
		(void)fputs(help, stdout);
		return CMD_OK;
	}
	rc = find(&options, &serving, &err);
	if (rc < 0)
		return complain("", &err, rc == -ETIMEDOUT ? CMD_INTERNAL : CMD_USAGE);
	return strcmp(options.verb, "list") == 0 ? verb_list(&options, &serving)
						 : verb_close(&options, &serving);
}

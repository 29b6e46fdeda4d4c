/*
 * e2b_rpc: filesystem.Filesystem over Connect with JSON; what is streamed there, and all of
 * process.Process, is refused in Connect's own way.
 *
 * A change is followed by a look, since its answer shows the entry.
 * Source: https://connectrpc.com/docs/protocol, Unary-Request and Streaming-Response.
 */
#include "api/e2b.h"

#include "api/session_ask.h"
#include "api/session_change.h"
#include "api/session_words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define STREAM_TYPE "application/connect+json"
#define END_OF_STREAM 2

static const char no_programs[] =
	"brig starts no programs in a sandbox, and there is no shell, no terminal and no package "
	"manager: run Python with runCode";
static const char no_watching[] =
	"brig does not watch folders: list them, or look in the code that writes there";

struct deed {
	struct rest *rest;
	struct session_ask *ask;       /* that looks */
	struct session_change *change; /* that does not only look */
	char id[SESSION_ID_BYTES];
	struct session_request request; /* as asked; then the look */
	char shown[SESSION_PATH_BYTES]; /* the path that the answer is about */
	enum session_verb verb;
	int status;
	const char *connect;
	char words[sizeof(((struct err *)0)->text)];
};

static void on_gone(struct rest *rest)
{
	struct deed *deed = rest->user;
	if (deed->ask)
		session_ask_leave(deed->ask);
	if (deed->change)
		session_change_leave(deed->change);
	free(deed);
}

static struct rest *release(struct deed *deed)
{
	struct rest *rest = deed->rest;
	rest->on_gone = NULL;
	rest->user = NULL;
	free(deed);
	return rest;
}

static void fail(struct deed *deed, int status, const char *words)
{
	struct deed copy = *deed;
	bool own = words == deed->words;
	e2b_problem_as(release(deed), status, own ? copy.connect : NULL, own ? copy.words : words);
}

static void answer(struct deed *deed, json_t *object)
{
	struct rest *rest = release(deed);
	if (object)
		rest_json(rest, 200, object);
	else
		e2b_problem(rest, 503, "out of memory");
	json_decref(object);
}

/* The listing's entry, whose path goes on from the folder's. */
static json_t *listed(const struct deed *deed, const struct session_entry *entry)
{
	cleanup_buf struct buf path = {0};
	buf_init(&path, 2 * SESSION_PATH_BYTES);
	int rc = deed->shown[0] ? buf_printf(&path, "%s/", deed->shown) : 0;
	if (!rc)
		rc = buf_add(&path, entry->path.data, entry->path.len);
	return rc ? NULL : e2b_entry(span_of(path.data, path.len), entry);
}

static void answer_list(struct deed *deed, const struct session_answer *got)
{
	json_t *object = json_object(), *list = json_array();
	int rc = json_put(object, "entries", list);
	for (uint32_t i = 0; !rc && i < got->entry_count; i++)
		rc = json_push(list, listed(deed, &got->entries[i]));
	if (rc < 0)
		json_drop(&object);
	answer(deed, object);
}

static void answer_entry(struct deed *deed, const struct session_answer *got)
{
	json_t *object = json_object();
	json_t *entry =
		got->entry_count ? e2b_entry(span_text(deed->shown), &got->entries[0]) : NULL;
	if (json_put(object, "entry", entry) < 0)
		json_drop(&object);
	answer(deed, object);
}

static void note_fault(struct deed *deed, const struct err *err)
{
	const struct session_words words = session_words(err);
	deed->status = words.status;
	deed->connect = words.connect;
	(void)snprintf(deed->words, sizeof(deed->words), "%s", words.text);
}

static void on_looked(void *user, struct session_answer *got)
{
	struct deed *deed = user;
	deed->ask = NULL;
	if (got->err.code) {
		note_fault(deed, &got->err);
		fail(deed, deed->status, deed->words);
	} else if (deed->verb == SESSION_LIST) {
		answer_list(deed, got);
	} else {
		answer_entry(deed, got);
	}
}

static struct session *still_open(const struct deed *deed)
{
	return sessions_by_id(&deed->rest->dispatcher->sessions, span_text(deed->id));
}

static void fail_unasked(struct deed *deed, const struct session *session)
{
	if (!session)
		fail(deed, 502, "The sandbox is not running any more");
	else
		fail(deed, 503, "the interpreter service is not there; try again");
}

static void look(struct deed *deed)
{
	struct session *session = still_open(deed);
	struct session_request request = deed->request;
	if (session)
		deed->ask = session_ask(deed->rest->dispatcher, session, &request, on_looked, deed);
	if (!deed->ask)
		fail_unasked(deed, session);
}

static void on_row(struct ledger_wait *wait, int rc)
{
	struct rest *rest = (struct rest *)(void *)((char *)wait - offsetof(struct rest, wait));
	struct deed *deed = rest->user;
	if (rc < 0) {
		fail(deed, 503, ledger_why(&deed->rest->dispatcher->ledger));
	} else if (deed->status) {
		fail(deed, deed->status, deed->words);
	} else if (deed->verb == SESSION_REMOVE) {
		answer(deed, json_object());
	} else {
		deed->request.verb = SESSION_STAT;
		memcpy(deed->request.path, deed->shown, sizeof(deed->shown));
		look(deed);
	}
}

static void on_changed(void *user, struct session_answer *got, int row_rc)
{
	struct deed *deed = user;
	struct rest *rest = deed->rest;
	deed->change = NULL;
	if (got->err.code)
		note_fault(deed, &got->err);
	if (row_rc < 0)
		fail(deed, 503, ledger_why(&rest->dispatcher->ledger));
	else
		ledger_wait(&rest->dispatcher->ledger, &rest->wait, on_row);
}

static void change(struct deed *deed)
{
	struct session *session = still_open(deed);
	struct session_request request = deed->request;
	if (session)
		deed->change = session_change(deed->rest->dispatcher, &deed->rest->who, session,
			&request, NULL, on_changed, deed);
	if (!deed->change)
		fail_unasked(deed, session);
}

static const struct {
	const char *name;
	enum session_verb verb;
} methods[] = {
	{"ListDir", SESSION_LIST},
	{"Stat", SESSION_STAT},
	{"MakeDir", SESSION_MKDIR},
	{"Move", SESSION_MOVE},
	{"Remove", SESSION_REMOVE},
};

static enum session_verb verb_of(struct span name)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (span_is(name, methods[i].name))
			return methods[i].verb;
	return SESSION_STATE;
}

static int take_path(
	const json_t *object, const char *key, char out[SESSION_PATH_BYTES], struct err *err)
{
	return e2b_path(json_text(json_object_get(object, key)), out, err);
}

/* The request of a call, and what its answer shows. 0 or -EINVAL with words. */
static int read_request(struct deed *deed, const json_t *object, struct err *err)
{
	bool moves = deed->verb == SESSION_MOVE;
	json_int_t depth = json_integer_value(json_object_get(object, "depth"));
	int rc = take_path(object, moves ? "source" : "path", deed->request.path, err);
	if (!rc && moves)
		rc = take_path(object, "destination", deed->request.target, err);
	bool whole = deed->verb == SESSION_LIST || deed->verb == SESSION_STAT;
	if (!rc && ((!whole && !deed->request.path[0]) || (moves && !deed->request.target[0])))
		rc = err_set(err, -EINVAL, "path", "the sandbox's own folder stays as it is");
	if (rc < 0)
		return rc;
	deed->request.verb = deed->verb;
	deed->request.depth = depth < 1			     ? 1
			      : depth > LIMIT_ARTIFACT_DEPTH ? LIMIT_ARTIFACT_DEPTH
							     : (uint32_t)depth;
	memcpy(deed->shown, moves ? deed->request.target : deed->request.path, sizeof(deed->shown));
	return 0;
}

/* One enveloped message that ends the stream with the error. */
static void refuse_stream(struct rest *rest, const char *words)
{
	cleanup_buf struct buf text = {0}, body = {0};
	cleanup_json json_t *object =
		json_pack("{s:{s:s, s:s}}", "error", "code", "unimplemented", "message", words);
	unsigned char head[5] = {END_OF_STREAM};
	buf_init(&text, 8 * KIB);
	buf_init(&body, 8 * KIB + sizeof(head));
	int rc = object ? json_write(object, &text) : -ENOMEM;
	for (size_t i = 0; i < 4; i++)
		head[1 + i] = (unsigned char)(text.len >> (24 - 8 * i));
	if (!rc)
		rc = buf_add(&body, head, sizeof(head));
	if (!rc)
		rc = buf_add(&body, text.data, text.len);
	if (rc < 0)
		e2b_problem(rest, 503, "out of memory");
	else
		rest_answer(rest, 200, STREAM_TYPE, span_of(body.data, body.len));
}

static void refuse_call(struct rest *rest, const char *words)
{
	struct span type = http_field(rest->exchange->head, "content-type");
	size_t length = sizeof(STREAM_TYPE) - 1;
	if (type.len >= length && http_same(span_of(type.data, length), STREAM_TYPE))
		refuse_stream(rest, words);
	else
		e2b_problem(rest, 501, words);
}

void e2b_process(struct rest *rest)
{
	refuse_call(rest, no_programs);
}

void e2b_filesystem(struct rest *rest)
{
	cleanup_json json_t *object = NULL;
	struct err err = {0};
	enum session_verb verb = verb_of(rest->rest_of_path);
	if (verb == SESSION_STATE) {
		refuse_call(rest, no_watching);
		return;
	}
	struct session *session = e2b_session(rest);
	if (!session || !e2b_read(rest, &object))
		return;
	struct deed *deed = calloc(1, sizeof(*deed));
	if (!deed) {
		e2b_problem(rest, 503, "out of memory");
		return;
	}
	deed->rest = rest;
	deed->verb = verb;
	session_request_init(&deed->request);
	memcpy(deed->id, session->id, sizeof(deed->id));
	rest->user = deed;
	rest->on_gone = on_gone;
	if (read_request(deed, object, &err) < 0)
		fail(deed, 400, err.text);
	else if (verb == SESSION_LIST || verb == SESSION_STAT)
		look(deed);
	else
		change(deed);
}

/* rest_sessions: begin one, see one's own, end one. Their files are in rest_session_files.c. */
#include "api/rest.h"

#include "api/call.h"
#include "api/session_ask.h"
#include "api/session_audit.h"
#include "tool/session_time.h"
#include "tool/text.h"

#include <errno.h>
#include <stdio.h>

static const char no_route[] = "no such route; /openapi.json lists them";

static json_t *time_json(int64_t ms)
{
	char text[TEXT_TIME_BYTES];
	return json_string(text_time(ms, text));
}

static json_t *describe(const struct dispatcher *dispatcher, const struct session *session)
{
	const struct job_limits limits = session_limits_now(dispatcher, session);
	struct session_status status;
	cleanup_json json_t *object = json_object();
	const char *state = session->lost ? "lost" : session->calls ? "busy" : "idle";
	session_status_of(session, &status);
	int rc = json_put(object, "id", json_string(session->id));
	if (!rc)
		rc = json_put(object, "state", json_string(state));
	if (!rc)
		rc = json_put(object, "begun_at", time_json(session->begun_ms));
	if (!rc)
		rc = json_put(object, "limits", rest_limits(&limits));
	if (!rc && session->lost)
		rc = json_put(object, "lost", json_string(session->why));
	else if (!rc)
		rc = json_put(object, "expires_at", time_json(session_status_ends_ms(&status)));
	return rc ? NULL : TAKE_JSON(object);
}

static int push_own(json_t *list, const struct rest *rest, const struct session_list *from)
{
	const struct session *session;
	int rc = 0;
	TAILQ_FOREACH_REVERSE(session, from, session_list, link)
	if (!rc && session_is_of(session, &rest->who))
		rc = json_push(list, describe(rest->dispatcher, session));
	return rc;
}

static void list_sessions(struct rest *rest)
{
	const struct sessions *sessions = &rest->dispatcher->sessions;
	cleanup_json json_t *object = json_object();
	json_t *list = json_array();
	int rc = json_put(object, "sessions", list);
	if (!rc)
		rc = push_own(list, rest, &sessions->open);
	if (!rc)
		rc = push_own(list, rest, &sessions->tombstones);
	if (rc < 0)
		rest_problem(rest, 503, NULL, "out of memory", 1);
	else
		rest_json(rest, 200, object);
}

static void begin_gone(struct rest *rest)
{
	call_leave(rest->user);
}

static void begun(void *user, const struct call_end *end)
{
	struct rest *rest = user;
	json_t *session = json_object_get(end->result, "session");
	char where[80];
	if (end->status) {
		rest_problem(rest, end->status, end->field, end->detail, end->retry_after_s);
		return;
	}
	if (!json_object_get(session, "expires_at")) {
		rest_problem(rest, 503, NULL, "the session could not be begun; try again", 1);
		return;
	}
	if (json_object_set(session, "limits", json_object_get(end->result, "limits")) < 0) {
		rest_problem(rest, 503, NULL, "out of memory", 1);
		return;
	}
	(void)snprintf(where, sizeof(where), "/v1/sessions/%s",
		json_string_value(json_object_get(session, "id")));
	http_add_field(rest->exchange, "Location", where);
	rest_json(rest, 201, session);
}

static int take_span(
	const json_t *object, const char *key, uint64_t *ret_ms, struct request_fault *fault)
{
	const json_t *value = json_object_get(object, key);
	json_int_t ms = json_integer_value(value);
	if (!value || json_is_null(value))
		return 0;
	if (!json_is_integer(value) || ms <= 0)
		return request_refuse(
			fault, 422, key, "%s must be a whole number of milliseconds above 0", key);
	*ret_ms = (uint64_t)ms;
	return 0;
}

static int take_wishes(struct rest *rest, struct job_spec *spec, struct request_fault *fault)
{
	static const char *const known[] = {"limits", "idle_ms", "life_ms", NULL};
	cleanup_json json_t *object = NULL;
	int rc = request_parse(rest->exchange->body, &object, fault);
	spec->limits = (struct job_limits){0};
	spec->session.use = SESSION_NEW;
	spec->session.idle_ms = spec->session.life_ms = 0;
	if (!rc)
		rc = request_known(object, "", known, fault);
	if (!rc)
		rc = request_limits(object, &spec->limits, fault);
	if (!rc)
		rc = take_span(object, "idle_ms", &spec->session.idle_ms, fault);
	return rc ? rc : take_span(object, "life_ms", &spec->session.life_ms, fault);
}

static void begin_session(struct rest *rest)
{
	const struct call_sink sink = {.done = begun, .user = rest};
	cleanup_job_spec struct job_spec spec;
	struct request_fault fault;
	job_spec_init(&spec);
	if (take_wishes(rest, &spec, &fault) < 0) {
		rest_fault(rest, &fault);
		return;
	}
	rest->on_gone = begin_gone;
	rest->user = call_start(rest->dispatcher, &rest->who, &spec, rest->url_base, &sink);
	if (!rest->user) {
		rest->on_gone = NULL;
		rest_problem(rest, 503, NULL, "out of memory", 1);
	}
}

void rest_sessions(struct rest *rest)
{
	if (rest->exchange->head->method == HTTP_POST)
		begin_session(rest);
	else
		list_sessions(rest);
}

static void on_close_written(struct ledger_wait *wait, int rc)
{
	struct rest *rest = (struct rest *)(void *)((char *)wait - offsetof(struct rest, wait));
	if (rc < 0)
		rest_problem(rest, 503, NULL, ledger_why(&rest->dispatcher->ledger), 1);
	else
		rest_answer(rest, 204, NULL, span_of("", 0));
}

static void close_session(struct rest *rest, struct session *session)
{
	const struct session_deed deed = {.tool = SESSION_TOOL_CLOSE, .session = session->id};
	int rc = session_audit(rest->dispatcher, &rest->who, &deed);
	session_end(rest->dispatcher, session);
	if (rc < 0)
		rest_problem(rest, 503, NULL, ledger_why(&rest->dispatcher->ledger), 1);
	else
		ledger_wait(&rest->dispatcher->ledger, &rest->wait, on_close_written);
}

static void show_session(struct rest *rest, const struct session *session)
{
	cleanup_json json_t *object = describe(rest->dispatcher, session);
	if (object)
		rest_json(rest, 200, object);
	else
		rest_problem(rest, 503, NULL, "out of memory", 1);
}

/* "ID" or "ID/files[/PATH]"; `ret_path` has data NULL for the first. */
static bool split(struct span path, struct span *ret_id, struct span *ret_path)
{
	static const char files[] = "/files";
	const unsigned char *slash = path.len ? memchr(path.data, '/', path.len) : NULL;
	size_t length = slash ? (size_t)(slash - path.data) : path.len;
	size_t used = length + sizeof(files) - 1;
	*ret_id = span_of(path.data, length);
	*ret_path = span_of(NULL, 0);
	if (!slash)
		return true;
	if (path.len < used || memcmp(slash, files, sizeof(files) - 1) != 0 ||
		(path.len > used && path.data[used] != '/'))
		return false;
	*ret_path = path.len > used ? span_of(path.data + used + 1, path.len - used - 1)
				    : span_of("", 0);
	return true;
}

void rest_session(struct rest *rest)
{
	enum http_method method = rest->exchange->head->method;
	struct span id, path;
	struct err err = {0};
	bool known = split(rest->rest_of_path, &id, &path);
	struct session *session = sessions_find(&rest->dispatcher->sessions, &rest->who, id);
	int rc = session_check(session, &err);
	if (known && !rc && path.data) {
		rest_session_files(rest, session, path);
		return;
	}
	rest_session_upload_drop(rest);
	if (!known || (!path.data && method == HTTP_PUT))
		rest_problem(rest, 404, NULL, no_route, 0);
	else if (!session || (rc < 0 && path.data))
		rest_problem(rest, session ? 410 : 404, NULL, err.text, 0);
	else if (method == HTTP_DELETE)
		close_session(rest, session);
	else
		show_session(rest, session);
}

bool rest_session_begin(struct rest *rest)
{
	struct span id, path;
	struct err err = {0};
	bool known = split(rest->rest_of_path, &id, &path);
	struct session *session =
		known ? sessions_find(&rest->dispatcher->sessions, &rest->who, id) : NULL;
	bool ends = rest->exchange->head->method == HTTP_DELETE && !path.data;
	if (session && !session->lost && !ends && who_has_sessions(&rest->who, &err) < 0) {
		rest_problem(rest, 403, NULL, err.text, 0);
		return false;
	}
	if (rest->exchange->head->method != HTTP_PUT)
		return true;
	/* What can be refused is refused before a body that may be large. */
	if (!known || !path.data)
		rest_problem(rest, 404, NULL, no_route, 0);
	else if (session_check(session, &err) < 0)
		rest_problem(rest, session ? 410 : 404, NULL, err.text, 0);
	else
		return rest_session_upload_begin(rest, session, path);
	return false;
}

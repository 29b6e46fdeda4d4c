/*
 * e2b_contexts: several namespaces in one sandbox. The service makes one when code first runs in
 * it; one that was removed is emptied and used again for the next.
 */
#include "api/e2b.h"

#include "api/call.h"
#include "tool/job_id.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* What takes a namespace back to its beginning. */
static const char reset_code[] =
	"[globals().pop(n) for n in list(globals()) if not n.startswith('__')];";

struct reset {
	struct rest *rest;
	struct call *call;
	char session[SESSION_ID_BYTES], context[SESSION_CONTEXT_BYTES];
	bool removes;
};

static json_t *describe(const struct e2b_context *context)
{
	return json_pack(
		"{s:s, s:s, s:s}", "id", context->id, "language", "python", "cwd", E2B_HOME);
}

static bool may_be(const json_t *value, const char *const *accepted)
{
	if (!value || json_is_null(value))
		return true;
	for (; *accepted; accepted++)
		if (span_is(json_text(value), *accepted))
			return true;
	return false;
}

static struct e2b_context *new_context(struct e2b_box *box)
{
	struct e2b_context *context = NULL;
	for (size_t i = 1; !context && i < box->context_count; i++)
		if (!box->contexts[i].id[0])
			context = &box->contexts[i];
	if (!context && box->context_count < SESSION_CONTEXTS_MAX)
		context = &box->contexts[box->context_count];
	if (!context || session_id_make(context->id) < 0)
		return NULL;
	context->id[0] = 'c';
	context->runs = 0;
	if (context == &box->contexts[box->context_count]) {
		memcpy(context->name, context->id, sizeof(context->name));
		box->context_count++;
	}
	return context;
}

static void create(struct rest *rest, struct e2b_box *box)
{
	static const char *const languages[] = {"python", "python3", NULL};
	static const char home[] = E2B_HOME "/";
	static const char *const folders[] = {E2B_HOME, home, "/mnt/data", "/mnt/data/", NULL};
	cleanup_json json_t *object = NULL;
	if (!e2b_read(rest, &object))
		return;
	/* 404: the one status whose words the SDK shows here. */
	if (!may_be(json_object_get(object, "language"), languages)) {
		e2b_problem(rest, 404, "brig runs Python alone: leave the language out");
		return;
	}
	if (!may_be(json_object_get(object, "cwd"), folders)) {
		e2b_problem(rest, 404,
			"every context works in /home/user: leave cwd out, and use os.chdir in "
			"the code");
		return;
	}
	const struct e2b_context *context = new_context(box);
	cleanup_json json_t *made = context ? describe(context) : NULL;
	if (made)
		rest_json(rest, 201, made);
	else
		e2b_problem(rest, 404, "a sandbox has at most 16 contexts; remove one of them");
}

static void list(struct rest *rest, const struct e2b_box *box)
{
	cleanup_json json_t *all = json_array();
	int rc = 0;
	for (size_t i = 0; !rc && i < box->context_count; i++)
		if (box->contexts[i].id[0])
			rc = json_push(all, describe(&box->contexts[i]));
	if (rc < 0)
		e2b_problem(rest, 503, "out of memory");
	else
		rest_json(rest, 200, all);
}

void e2b_contexts(struct rest *rest)
{
	struct session *session = e2b_session(rest);
	struct e2b_box *box = session ? e2b_box_of(session) : NULL;
	if (!session)
		return;
	if (!box)
		e2b_problem(rest, 503, "out of memory");
	else if (rest->exchange->head->method == HTTP_POST)
		create(rest, box);
	else
		list(rest, box);
}

static void reset_gone(struct rest *rest)
{
	struct reset *reset = rest->user;
	call_leave(reset->call);
	free(reset);
}

static void on_reset(void *user, const struct call_end *end)
{
	struct reset *reset = user;
	struct rest *rest = reset->rest;
	struct session *session =
		sessions_by_id(&rest->dispatcher->sessions, span_text(reset->session));
	struct e2b_box *box = session ? e2b_box_of(session) : NULL;
	struct e2b_context *context = box ? e2b_context_find(box, span_text(reset->context)) : NULL;
	bool done = !end->status && end->outcome == OUTCOME_OK;
	if (done && context) {
		context->runs = 0;
		if (reset->removes)
			context->id[0] = 0;
	}
	free(reset);
	rest->on_gone = NULL;
	if (end->status)
		rest_problem(rest, end->status, NULL, end->detail, end->retry_after_s);
	else if (!done)
		e2b_problem(rest, 502, "The sandbox is not running any more");
	else
		rest_answer(rest, 204, NULL, span_of("", 0));
}

static void start_reset(struct rest *rest, const struct session *session,
	const struct e2b_context *context, bool removes)
{
	struct reset *reset = calloc(1, sizeof(*reset));
	const struct call_sink sink = {.done = on_reset, .user = reset};
	cleanup_job_spec struct job_spec spec;
	job_spec_init(&spec);
	spec.limits = (struct job_limits){0};
	spec.session.use = SESSION_USE;
	memcpy(spec.session.id, session->id, sizeof(spec.session.id));
	memcpy(spec.session.context, context->name, sizeof(spec.session.context));
	if (reset && buf_add_text(&spec.code, reset_code) == 0) {
		*reset = (struct reset){.rest = rest, .removes = removes};
		memcpy(reset->session, session->id, sizeof(reset->session));
		memcpy(reset->context, context->id, sizeof(reset->context));
		rest->user = reset;
		reset->call =
			call_start(rest->dispatcher, &rest->who, &spec, rest->url_base, &sink);
	}
	if (!reset || !reset->call) {
		free(reset);
		e2b_problem(rest, 503, "out of memory");
		return;
	}
	rest->on_gone = reset_gone;
}

/* "ID" or "ID/restart". */
void e2b_context(struct rest *rest)
{
	struct span path = rest->rest_of_path;
	const unsigned char *slash = path.len ? memchr(path.data, '/', path.len) : NULL;
	size_t length = slash ? (size_t)(slash - path.data) : path.len;
	bool removes = rest->exchange->head->method == HTTP_DELETE;
	struct session *session = e2b_session(rest);
	if (!session)
		return;
	struct e2b_box *box = e2b_box_of(session);
	struct span id = span_of(path.data, length);
	struct e2b_context *context = box && length ? e2b_context_find(box, id) : NULL;
	bool restarts = slash && span_is(span_of(slash + 1, path.len - length - 1), "restart");
	if (!context || (slash && !restarts) || removes == restarts)
		e2b_problem(rest, 404, "no such context");
	else if (removes && context == &box->contexts[0])
		e2b_problem(rest, 404, "the default context stays; restart it");
	else
		start_reset(rest, session, context, removes);
}

/*
 * e2b_execute: code in a sandbox's context, its output and results as lines of JSON while they
 * come.
 *
 * The SDK shows the words of few HTTP errors, so whatever is refused about the code itself is told
 * as the error of an execution. A client that goes away interrupts its code; the sandbox stays.
 */
#include "api/e2b.h"

#include "api/call.h"
#include "api/text_stream.h"
#include "tool/session_time.h"
#include "tool/text.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define STREAM_TYPE "application/x-ndjson"
#define LINE_BYTES_MAX (HTTP_OUT_BYTES_MAX / 2)

struct execution {
	struct rest *rest;
	struct call *call;
	struct text_stream text;
	uint64_t number;
	bool begun;
	const char *refusal;
};

static void begin(struct execution *execution)
{
	struct http_exchange *exchange = execution->rest->exchange;
	if (execution->begun)
		return;
	execution->begun = true;
	http_add_field(exchange, "X-Accel-Buffering", "no");
	http_stream_begin(exchange, 200, STREAM_TYPE);
}

/* Takes `object`, which may be NULL. */
static void send_line(struct execution *execution, json_t *object)
{
	cleanup_buf struct buf line = {0};
	buf_init(&line, LINE_BYTES_MAX);
	begin(execution);
	if (object && json_write(object, &line) == 0 && buf_add_text(&line, "\n") == 0)
		http_stream_add(execution->rest->exchange, span_of(line.data, line.len));
	json_decref(object);
}

static void send_number(struct execution *execution)
{
	send_line(execution, json_pack("{s:s, s:I}", "type", "number_of_executions",
				     "execution_count", (json_int_t)execution->number));
}

static void send_end(struct execution *execution)
{
	send_line(execution, json_pack("{s:s}", "type", "end_of_execution"));
}

static json_t *error_line(const char *name, const char *value)
{
	char whole[512];
	(void)snprintf(whole, sizeof(whole), "%s: %s", name, value);
	return json_pack("{s:s, s:s, s:o, s:o}", "type", "error", "name", name, "value",
		json_from_words(value), "traceback", json_from_words(whole));
}

static void on_accepted(void *user, const char *job_id)
{
	struct execution *execution = user;
	(void)job_id;
	send_number(execution);
}

static void send_text(struct execution *execution, bool is_stderr, json_t *text)
{
	char now[TEXT_TIME_BYTES];
	if (text)
		send_line(execution,
			json_pack("{s:s, s:o, s:s}", "type", is_stderr ? "stderr" : "stdout",
				"text", text, "timestamp", text_time(session_now_ms(), now)));
}

static void on_output(void *user, bool is_stderr, struct span data)
{
	struct execution *execution = user;
	send_text(execution, is_stderr, text_stream_take(&execution->text, is_stderr, data));
	if (http_stream_full(execution->rest->exchange))
		call_pause(execution->call, true);
}

static void on_room(struct http_exchange *exchange)
{
	struct rest *rest = exchange->user;
	struct execution *execution = rest->user;
	call_pause(execution->call, false);
}

static void on_gone(struct rest *rest)
{
	struct execution *execution = rest->user;
	call_leave(execution->call);
	free(execution);
}

static void finish(struct execution *execution)
{
	struct rest *rest = execution->rest;
	send_end(execution);
	rest->on_gone = NULL;
	rest->exchange->on_room = NULL;
	free(execution);
	http_stream_end(rest->exchange);
	rest_free(rest);
}

static void send_result(struct execution *execution, const struct call_end *end)
{
	cleanup_buf struct buf lines = {0};
	buf_init(&lines, LINE_BYTES_MAX);
	if (e2b_result_lines(end->result, end->table_texts, &lines) == 0)
		http_stream_add(execution->rest->exchange, span_of(lines.data, lines.len));
	else
		send_line(execution, error_line("InternalError", "out of memory"));
}

static void on_done(void *user, const struct call_end *end)
{
	struct execution *execution = user;
	struct rest *rest = execution->rest;
	/* What never began to stream is refused as any request is. */
	if (end->status && !execution->begun) {
		rest->on_gone = NULL;
		rest->exchange->on_room = NULL;
		free(execution);
		rest_problem(rest, end->status, NULL, end->detail, end->retry_after_s);
		return;
	}
	begin(execution);
	for (int i = 0; i < 2; i++)
		send_text(execution, i == 1, text_stream_rest(&execution->text, i == 1));
	if (end->status)
		send_line(execution, error_line("SandboxError", end->detail));
	else
		send_result(execution, end);
	finish(execution);
}

static void refusal_gone(struct rest *rest)
{
	free(rest->user);
}

static void on_refusal_written(struct ledger_wait *wait, int rc)
{
	struct rest *rest = (struct rest *)(void *)((char *)wait - offsetof(struct rest, wait));
	struct execution *execution = rest->user;
	if (rc < 0) {
		rest->on_gone = NULL;
		free(execution);
		e2b_problem(rest, 503, ledger_why(&rest->dispatcher->ledger));
		return;
	}
	send_number(execution);
	send_line(execution, error_line("NotSupportedError", execution->refusal));
	finish(execution);
}

/* A refusal in the shape of an execution that failed; in the log like any other. */
static void refuse(struct execution *execution, const struct session *session, struct span code,
	const char *words)
{
	struct rest *rest = execution->rest;
	const struct audit_call what = {
		.tool = ROLE_TOOL_RUN, .code = code, .session = session->id};
	execution->refusal = words;
	rest->user = execution;
	rest->on_gone = refusal_gone;
	int rc = call_audit_refusal(rest->dispatcher, &rest->who, &what, words);
	if (rc < 0)
		on_refusal_written(&rest->wait, rc);
	else
		ledger_wait(&rest->dispatcher->ledger, &rest->wait, on_refusal_written);
}

static const char *refused(const json_t *object)
{
	const json_t *language = json_object_get(object, "language");
	const json_t *env_vars = json_object_get(object, "env_vars");
	struct span name = json_text(language);
	if (language && !json_is_null(language) && !span_is(name, "python") &&
		!span_is(name, "python3"))
		return "brig runs Python alone: no shell, no JavaScript, no other language; leave "
		       "the language out";
	if (json_object_size(env_vars))
		return "brig gives programs no environment variables: assign the values in the "
		       "code";
	return NULL;
}

/* The code may run as long as the role lets anything run: the SDK has a clock of its own. */
static int make_spec(const struct rest *rest, const struct session *session,
	const struct e2b_context *context, struct span code, struct job_spec *spec)
{
	const struct job_limits *max = &rest->who.role->limits_max;
	spec->limits = (struct job_limits){.wall_ms = max->wall_ms, .cpu_ms = max->cpu_ms};
	spec->session.use = SESSION_USE;
	memcpy(spec->session.id, session->id, sizeof(spec->session.id));
	memcpy(spec->session.context, context->name, sizeof(spec->session.context));
	return buf_add(&spec->code, code.data, code.len);
}

/* A call that is none, in the log as well: the SDK throws what it is told. */
static void refuse_fault(struct rest *rest, struct span code, const struct request_fault *fault)
{
	struct span named = http_field(rest->exchange->head, "e2b-sandbox-id");
	char id[SESSION_ID_BYTES] = "";
	(void)!request_session_id(named, id);
	const struct audit_call what = {.tool = ROLE_TOOL_RUN, .code = code, .session = id};
	rest_refuse_call(rest, &what, fault);
}

static void refuse_call(struct rest *rest, struct span code, int status, const char *words)
{
	struct request_fault fault;
	(void)request_refuse(&fault, status, "", "%s", words);
	refuse_fault(rest, code, &fault);
}

static void start(struct execution *execution, const struct session *session,
	struct e2b_context *context, struct span code)
{
	struct rest *rest = execution->rest;
	const struct call_sink sink = {
		.accepted = on_accepted, .output = on_output, .done = on_done, .user = execution};
	cleanup_job_spec struct job_spec spec;
	job_spec_init(&spec);
	if (make_spec(rest, session, context, code, &spec) < 0) {
		free(execution);
		refuse_call(rest, code, 413, "the code is larger than 1 MiB");
		return;
	}
	rest->user = execution;
	execution->call = call_start(rest->dispatcher, &rest->who, &spec, rest->url_base, &sink);
	if (!execution->call) {
		free(execution);
		e2b_problem(rest, 503, "out of memory");
		return;
	}
	context->runs++;
	execution->number = context->runs;
	rest->on_gone = on_gone;
	rest->exchange->on_room = on_room;
}

void e2b_execute(struct rest *rest)
{
	cleanup_json json_t *object = NULL;
	struct request_fault fault;
	if (request_parse(rest->exchange->body, &object, &fault) < 0) {
		refuse_fault(rest, rest->exchange->body, &fault);
		return;
	}
	const json_t *id = json_object_get(object, "context_id");
	const json_t *code = json_object_get(object, "code");
	struct session *session = e2b_session_or(rest, &fault);
	if (!session) {
		refuse_fault(rest, json_text(code), &fault);
		return;
	}
	struct e2b_box *box = e2b_box_of(session);
	bool named = id && !json_is_null(id);
	struct e2b_context *context = box && !named ? &box->contexts[0] : NULL;
	if (box && named && json_text(id).len)
		context = e2b_context_find(box, json_text(id));
	struct execution *execution = calloc(1, sizeof(*execution));
	if (!execution || !box || !context || !json_is_string(code)) {
		free(execution);
		if (box && !context)
			refuse_call(rest, json_text(code), 404,
				"no such context; createCodeContext makes one");
		else if (box)
			refuse_call(rest, json_text(code), 400, "code must be a string");
		else
			e2b_problem(rest, 503, "out of memory");
		return;
	}
	execution->rest = rest;
	execution->number = context->runs;
	const char *words = refused(object);
	if (words)
		refuse(execution, session, json_text(code), words);
	else
		start(execution, session, context, json_text(code));
}

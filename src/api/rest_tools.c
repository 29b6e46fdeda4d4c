/* rest_tools: POST /v1/calculate and POST /v1/run, whole or as events. */
#include "api/rest.h"

#include "api/calculate.h"
#include "api/call.h"
#include "api/describe.h"
#include "api/sse.h"
#include "http/problem.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>

static void calculate_gone(struct rest *rest)
{
	calculate_leave(rest->user);
}

static void calculated(void *user, int status, struct span answer)
{
	struct rest *rest = user;
	char why[256];
	if (!status) {
		rest_answer(rest, 200, JSON_TYPE, answer);
		return;
	}
	(void)snprintf(why, sizeof(why), "%.*s", (int)answer.len,
		answer.len ? (const char *)answer.data : "out of memory");
	rest_problem(rest, status, NULL, why,
		status == 503 ? calc_client_retry_s(&rest->dispatcher->calc) : 0);
}

/* Of a body that is no JSON, all there is to log is the body. */
static struct span code_of(const struct rest *rest, const json_t *object, const char *key)
{
	return object ? json_text(json_object_get(object, key)) : rest->exchange->body;
}

void rest_calculate(struct rest *rest)
{
	cleanup_json json_t *object = NULL;
	struct request_fault fault;
	struct span expr = span_of("", 0);
	struct err err;
	int rc = request_parse(rest->exchange->body, &object, &fault);
	if (!rc)
		rc = request_calculate(object, &expr, &fault);
	const struct audit_call what = {
		.tool = ROLE_TOOL_CALCULATE, .code = code_of(rest, object, "expr")};
	if (role_allows(rest->who.role, ROLE_TOOL_CALCULATE, &err) < 0) {
		rest_refuse_tool(rest, &what, err.text);
		return;
	}
	if (rc < 0) {
		rest_refuse_call(rest, &what, &fault);
		return;
	}
	rest->on_gone = calculate_gone;
	rest->user = calculate_start(rest->dispatcher, &rest->who, expr, calculated, rest);
	if (!rest->user)
		rest_problem(rest, 503, NULL, "out of memory", 1);
}

static void run_gone(struct rest *rest)
{
	call_leave(rest->user);
}

static void run_done(void *user, const struct call_end *end)
{
	struct rest *rest = user;
	if (end->status)
		rest_problem(rest, end->status, end->field, end->detail, end->retry_after_s);
	else
		rest_answer(rest, 200, JSON_TYPE, end->text);
}

void rest_run_spec(struct rest *rest, struct job_spec *spec)
{
	const struct call_sink whole = {.done = run_done, .user = rest};
	if (rest->wants_events) {
		sse_run(rest, spec);
		return;
	}
	rest->on_gone = run_gone;
	rest->user = call_start(rest->dispatcher, &rest->who, spec, rest->url_base, &whole);
	if (!rest->user) {
		rest->on_gone = NULL;
		rest_problem(rest, 503, NULL, "out of memory", 1);
	}
}

void rest_run(struct rest *rest)
{
	cleanup_json json_t *object = NULL;
	cleanup_job_spec struct job_spec spec;
	struct audit_input inputs[LIMIT_INPUTS];
	struct request_fault fault;
	struct audit_call what;
	struct err err;
	job_spec_init(&spec);
	if (rest->exchange->sink) {
		rest_run_uploaded(rest);
		return;
	}
	int rc = request_parse(rest->exchange->body, &object, &fault);
	bool forbidden = role_allows(rest->who.role, ROLE_TOOL_RUN, &err) < 0;
	if (!rc && !forbidden)
		rc = request_run(object, rest->who.role, &spec, &fault);
	describe_unmade(&spec, code_of(rest, object, "code"), &what, inputs);
	if (forbidden)
		rest_refuse_tool(rest, &what, err.text);
	else if (rc < 0)
		rest_refuse_call(rest, &what, &fault);
	else
		rest_run_spec(rest, &spec);
}

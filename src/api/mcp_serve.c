/* mcp_serve: one exchange is one message and what became of it. */
#include "api/mcp_serve.h"

#include "api/calculate.h"
#include "api/call.h"
#include "api/describe.h"
#include "api/request.h"
#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRESS_SECONDS 1

struct mcp_exchange {
	TAILQ_ENTRY(mcp_exchange) link;
	struct dispatcher *dispatcher;
	struct who who;
	char scope[MCP_SCOPE_BYTES];
	struct mcp_message message;
	const struct mcp_transport *transport;
	void *user;
	bool left, cancelled;
	bool serving, over; /* mcp_serve is on the stack, and frees what is over by then */
	struct call *call;
	struct calculation *calculation;
	struct event *progress;
	double progressed;
	uint64_t started_us;
	struct ledger_wait wait; /* for the row of a refusal */
	struct mcp_fault fault;
	struct request_fault refusal;
};

static struct mcp_exchange *of_wait(struct ledger_wait *wait)
{
	return (struct mcp_exchange *)(void *)((char *)wait - offsetof(struct mcp_exchange, wait));
}

static void exchange_free(struct mcp_exchange *it)
{
	it->over = true;
	if (it->serving)
		return;
	TAILQ_REMOVE(&it->dispatcher->exchanges, it, link);
	ledger_forget(&it->dispatcher->ledger, &it->wait);
	if (it->progress)
		event_free(it->progress);
	json_decref(it->fault.data);
	mcp_message_done(&it->message);
	who_done(&it->who);
	free(it);
}

/* Takes `reply` and ends the exchange. */
static void finish(struct mcp_exchange *it, int status, json_t *reply)
{
	static const char out_of_memory[] = "out of memory";
	if (!reply) {
		struct mcp_fault fault = {.code = MCP_INTERNAL};
		(void)snprintf(fault.message, sizeof(fault.message), "%s", out_of_memory);
		reply = mcp_error(&it->message, &fault);
		status = 500;
	}
	/* A request that its client has cancelled gets no answer over a pipe; over HTTP the
	 * stream has to end somehow, and a result is harmless. */
	if (!it->left && it->cancelled && it->transport->drops_cancelled)
		it->transport->nothing(it->user);
	else if (!it->left)
		it->transport->reply(it->user, status, reply);
	json_decref(reply);
	exchange_free(it);
}

static void finish_fault(struct mcp_exchange *it, struct mcp_fault *fault)
{
	/* In the older eras a message that could be read is answered with 200, whatever it says. */
	int status = it->message.modern ? fault->status : 200;
	finish(it, status, mcp_error(&it->message, fault));
}

static void finish_result(struct mcp_exchange *it, json_t *result)
{
	finish(it, 200, mcp_response(&it->message, result));
}

static void notify_progress(struct mcp_exchange *it, const char *words)
{
	if (!it->message.progress || !it->transport->notify || it->left)
		return;
	json_t *notification = mcp_progress(&it->message, it->progressed, words);
	it->progressed++;
	if (notification)
		it->transport->notify(it->user, notification);
	json_decref(notification);
}

static void on_progress(evutil_socket_t fd, short what, void *context)
{
	struct mcp_exchange *it = context;
	char words[48];
	(void)fd;
	(void)what;
	(void)snprintf(words, sizeof(words), "running for %llu s",
		(unsigned long long)((clock_now_us() - it->started_us) / 1000000));
	notify_progress(it, words);
}

static void on_accepted(void *user, const char *job_id)
{
	const struct timeval often = {.tv_sec = PROGRESS_SECONDS};
	struct mcp_exchange *it = user;
	(void)job_id;
	if (!it->message.progress || !it->transport->notify)
		return;
	notify_progress(it, "accepted");
	it->progress = event_new(it->dispatcher->base, -1, EV_PERSIST, on_progress, it);
	if (it->progress)
		(void)event_add(it->progress, &often);
}

static void on_calculated(void *user, int status, struct span answer)
{
	struct mcp_exchange *it = user;
	char words[256];
	it->calculation = NULL;
	if (!status) {
		finish_result(it, mcp_calculate_result(answer));
		return;
	}
	(void)snprintf(words, sizeof(words), "%.*s", (int)answer.len,
		answer.len ? (const char *)answer.data : "not now; try again");
	finish_result(it, mcp_refusal_result(words));
}

static void on_ran(void *user, const struct call_end *end)
{
	struct mcp_exchange *it = user;
	it->call = NULL;
	if (end->status)
		finish_result(it, mcp_refusal_result(end->detail));
	else
		finish_result(it, mcp_run_result(end->result, end->chart_urls));
}

static void on_request_refused(struct ledger_wait *wait, int rc)
{
	struct mcp_exchange *it = of_wait(wait);
	finish_result(it, mcp_refusal_result(rc < 0 ? ledger_why(&it->dispatcher->ledger)
						    : it->refusal.detail));
}

/* Text that the model can act on, once the refusal is in the log. */
static void refuse_request(
	struct mcp_exchange *it, const struct audit_call *what, const struct request_fault *fault)
{
	uint32_t retry_after_s;
	it->refusal = *fault;
	if (call_audit_fault(it->dispatcher, &it->who, what, &it->refusal, &retry_after_s) < 0)
		finish_result(it, mcp_refusal_result(ledger_why(&it->dispatcher->ledger)));
	else
		ledger_wait(&it->dispatcher->ledger, &it->wait, on_request_refused);
}

static void start_calculation(struct mcp_exchange *it, const json_t *arguments)
{
	struct request_fault fault;
	struct span expr;
	if (request_calculate(arguments, &expr, &fault) < 0) {
		const struct audit_call what = {.tool = ROLE_TOOL_CALCULATE,
			.code = json_text(json_object_get(arguments, "expr"))};
		refuse_request(it, &what, &fault);
		return;
	}
	it->calculation = calculate_start(it->dispatcher, &it->who, expr, on_calculated, it);
	if (!it->calculation)
		finish(it, 500, NULL);
}

static void start_run(struct mcp_exchange *it, const json_t *arguments, const char *url_base)
{
	cleanup_job_spec struct job_spec spec;
	struct audit_input inputs[LIMIT_INPUTS];
	struct request_fault fault;
	struct audit_call what;
	const struct call_sink sink = {.accepted = on_accepted, .done = on_ran, .user = it};
	job_spec_init(&spec);
	if (request_run(arguments, it->who.role, &spec, &fault) < 0) {
		describe_unmade(
			&spec, json_text(json_object_get(arguments, "code")), &what, inputs);
		refuse_request(it, &what, &fault);
		return;
	}
	it->call = call_start(it->dispatcher, &it->who, &spec, url_base, &sink);
	if (!it->call)
		finish(it, 500, NULL);
}

static void on_refusal_written(struct ledger_wait *wait, int rc)
{
	struct mcp_exchange *it = of_wait(wait);
	if (rc < 0)
		(void)mcp_refuse(
			&it->fault, MCP_INTERNAL, 503, "%s", ledger_why(&it->dispatcher->ledger));
	finish_fault(it, &it->fault);
}

static void refuse_tool(struct mcp_exchange *it, const struct mcp_step *step)
{
	struct span code = json_text(json_object_get(step->arguments, "code"));
	if (!code.len)
		code = json_text(json_object_get(step->arguments, "expr"));
	const struct audit_call what = {.tool = step->tool_name, .code = code};
	it->fault = step->fault;
	int rc = call_audit_refusal(it->dispatcher, &it->who, &what,
		step->is_malformed ? step->fault.message : "the role has no such tool");
	if (rc < 0)
		on_refusal_written(&it->wait, rc);
	else
		ledger_wait(&it->dispatcher->ledger, &it->wait, on_refusal_written);
}

static void start_call(struct mcp_exchange *it, const struct mcp_step *step, const char *url_base)
{
	cleanup_json json_t *none = step->arguments ? NULL : json_object();
	const json_t *arguments = step->arguments ? step->arguments : none;
	if (!step->tool) {
		refuse_tool(it, step);
		return;
	}
	it->started_us = clock_now_us();
	if (step->tool == ROLE_CALCULATE)
		start_calculation(it, arguments);
	else
		start_run(it, arguments, url_base);
}

static void cancel_other(struct mcp_exchange *it, const json_t *id)
{
	struct mcp_exchange *other;
	TAILQ_FOREACH(other, &it->dispatcher->exchanges, link)
	{
		bool same = other != it && strcmp(other->scope, it->scope) == 0 &&
			    strcmp(other->who.token, it->who.token) == 0 &&
			    strcmp(other->who.owner, it->who.owner) == 0 &&
			    other->who.role == it->who.role && other->message.id &&
			    json_equal(other->message.id, id);
		if (!same)
			continue;
		other->cancelled = true;
		if (other->call)
			call_cancel(other->call);
		return;
	}
}

static void read_resource(struct mcp_exchange *it, struct span uri)
{
	struct mcp_fault fault = {0};
	json_t *result =
		mcp_read_resource(it->dispatcher, &it->who, uri, it->message.modern, &fault);
	if (result)
		finish_result(it, result);
	else
		finish_fault(it, &fault);
}

static void say_nothing(struct mcp_exchange *it)
{
	if (!it->left)
		it->transport->nothing(it->user);
	exchange_free(it);
}

static void carry_out(struct mcp_exchange *it, struct mcp_step *step, const char *url_base)
{
	switch (step->action) {
	case MCP_ANSWER:
		finish_result(it, step->result);
		break;
	case MCP_FAULT:
		finish_fault(it, &step->fault);
		break;
	case MCP_NOTHING:
		say_nothing(it);
		break;
	case MCP_CANCEL:
		cancel_other(it, step->cancels);
		say_nothing(it);
		break;
	case MCP_LIST:
		finish_result(it, mcp_list_resources(it->dispatcher, &it->who));
		break;
	case MCP_READ:
		read_resource(it, step->uri);
		break;
	case MCP_CALL:
		start_call(it, step, url_base);
		break;
	}
}

struct mcp_exchange *mcp_serve(struct dispatcher *dispatcher, const struct who *who,
	const char *scope, struct span text, const struct http_head *head, const char *url_base,
	const struct mcp_transport *transport, void *user)
{
	struct mcp_exchange *it = calloc(1, sizeof(*it));
	struct schema_facts facts;
	struct mcp_step step;
	if (!it) {
		transport->nothing(user);
		return NULL;
	}
	it->serving = true;
	it->dispatcher = dispatcher;
	it->transport = transport;
	it->user = user;
	(void)snprintf(it->scope, sizeof(it->scope), "%s", scope);
	who_copy(&it->who, who);
	TAILQ_INSERT_TAIL(&dispatcher->exchanges, it, link);
	if (mcp_decode(text, head, &it->message, &it->fault) < 0) {
		struct mcp_fault fault = it->fault;
		it->fault.data = NULL;
		finish(it, fault.status, mcp_error(&it->message, &fault));
	} else {
		dispatcher_schema_facts(dispatcher, who->role, &facts);
		mcp_step(&it->message, &facts, &step);
		carry_out(it, &step, url_base);
	}
	/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): what is serving is not freed */
	it->serving = false;
	if (!it->over)
		return it;
	exchange_free(it);
	return NULL;
}

bool mcp_exchange_is_modern(const struct mcp_exchange *exchange)
{
	return exchange->message.modern;
}

void mcp_exchange_leave(struct mcp_exchange *exchange, bool cancel)
{
	exchange->left = true;
	if (!cancel)
		return;
	exchange->cancelled = true;
	if (exchange->call)
		call_cancel(exchange->call);
}

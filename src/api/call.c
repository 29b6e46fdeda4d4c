/* call: admission, quota, the first row. */
#include "api/call.h"

#include "api/call_parts.h"
#include "api/describe.h"
#include "api/log.h"
#include "base/clock.h"
#include "base/fd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void call_free(struct call *call)
{
	struct dispatcher *dispatcher = call->dispatcher;
	call_give_place_back(call);
	call_close_channel(call);
	call_session_release(call);
	ledger_forget(&dispatcher->ledger, &call->wait);
	TAILQ_REMOVE(&dispatcher->calls, call, link);
	if (call->collecting.step)
		event_free(call->collecting.step);
	fd_close(&call->collecting.fd);
	for (size_t i = 0; i < JOBS_FILES_MAX; i++)
		free(call->urls[i]);
	if (call->record)
		call->record->call = NULL;
	if (call->has_view)
		view_done(&call->view);
	job_result_done(&call->result);
	job_spec_done(&call->spec);
	json_decref(call->json);
	buf_done(&call->text);
	who_done(&call->who);
	free(call);
}

void call_give_place_back(struct call *call)
{
	struct dispatcher *dispatcher = call->dispatcher;
	if (!call->has_quota)
		return;
	call->has_quota = false;
	if (call->promoted)
		quota_done(dispatcher->quota, call->ticket.id, clock_now_ms());
	else
		quota_leave(dispatcher->quota, call->ticket.id);
	call_promote(dispatcher);
}

void call_promote(struct dispatcher *dispatcher)
{
	uint64_t id;
	while ((id = quota_next(dispatcher->quota, clock_now_ms()))) {
		struct call *call;
		TAILQ_FOREACH(call, &dispatcher->calls, link)
		if (call->has_quota && call->ticket.id == id)
			break;
		if (!call) {
			quota_done(dispatcher->quota, id, clock_now_ms());
			continue;
		}
		call->promoted = true;
		if (call->state == CALL_WAITING)
			call_open(call);
	}
}

void call_describe(const struct call *call, struct audit_call *ret_call,
	struct audit_input inputs[LIMIT_INPUTS])
{
	describe_job(&call->spec, ret_call, inputs);
	ret_call->role = call->who.role->name;
	ret_call->token = call->who.token;
	ret_call->door = call->who.door;
}

static void tell_refused(struct ledger_wait *wait, int rc)
{
	struct call *call = (struct call *)((char *)wait - offsetof(struct call, wait));
	bool unlogged = rc < 0 || call->unlogged;
	const struct call_end end = {
		.status = unlogged ? 503 : call->status,
		.detail = unlogged ? ledger_why(&call->dispatcher->ledger) : call->detail,
		.field = unlogged ? NULL : call->field,
		.retry_after_s = unlogged ? 1 : call->retry_after_s,
		.job_id = call->spec.id,
		.outcome = OUTCOME_REJECTED,
	};
	metrics_refusal(&call->dispatcher->metrics, call->who.role->name);
	if (call->record)
		jobs_end(&call->dispatcher->jobs, call->record, OUTCOME_REJECTED, span_of("", 0));
	call->record = NULL;
	if (!call->left)
		call->sink.done(call->sink.user, &end);
	call_free(call);
}

/* Its refusal is the call's one row, or the second where it had been accepted. */
void call_refuse(struct call *call, int status, const char *detail)
{
	struct ledger *ledger = &call->dispatcher->ledger;
	struct audit_input inputs[LIMIT_INPUTS];
	struct audit_call described;
	struct err err;
	bool accepted = call->state != CALL_ACCEPTING;
	const struct audit_end end = {
		.outcome = outcome_name(OUTCOME_REJECTED), .error = span_text(detail)};

	call->status = status;
	if (call->detail != detail)
		(void)snprintf(call->detail, sizeof(call->detail), "%s", detail);
	call_give_place_back(call);
	call_describe(call, &described, inputs);
	int rc = ledger_room(ledger, &err);
	if (!rc)
		rc = accepted ? audit_complete(ledger->audit, &described, &end, NULL, &err)
			      : audit_single(ledger->audit, &described, &end, NULL, &err);
	call->state = CALL_COMPLETING;
	if (rc < 0) {
		log_fault("audit", &err);
		call->unlogged = true;
	}
	ledger_wait(ledger, &call->wait, tell_refused);
}

static void on_accepted(struct ledger_wait *wait, int rc)
{
	struct call *call = (struct call *)((char *)wait - offsetof(struct call, wait));
	if (rc < 0) {
		tell_refused(wait, rc);
		return;
	}
	call->state = CALL_WAITING;
	if (call->sink.accepted && !call->left)
		call->sink.accepted(call->sink.user, call->spec.id);
	if (call->cancelled)
		call_end_without_cell(call, OUTCOME_CANCELLED, NULL);
	else if (call->promoted)
		call_open(call);
}

/* Within a role its tokens take turns, and so do those who have none. */
static enum quota_decision ask_quota(struct call *call)
{
	char name[QUOTA_CALLER_BYTES];
	const struct quota_asker asker = {.caller = name, .wall_ms = call->spec.limits.wall_ms};
	_Static_assert(ROLE_NAME_BYTES + WHO_OWNER_BYTES <= QUOTA_CALLER_BYTES, "whole names");
	(void)snprintf(name, sizeof(name), "%s %s", call->who.token, call->who.owner);
	return quota_ask(
		call->dispatcher->quota, call->who.role, &asker, clock_now_ms(), &call->ticket);
}

/* 0, or the HTTP status of the refusal. */
static int admit(struct call *call)
{
	struct dispatcher *dispatcher = call->dispatcher;
	struct err err = {0};
	bool wants_session = call->spec.session.use != SESSION_NONE;
	call_session_limit(call);
	int rc = role_admit(call->who.role, &call->spec, wants_session, &err);
	(void)snprintf(call->detail, sizeof(call->detail), "%s", err.text);
	if (rc < 0)
		return rc == -EPERM ? 403 : rc == -E2BIG ? 413 : 422;
	if (dispatcher->draining) {
		(void)snprintf(call->detail, sizeof(call->detail),
			"this server is shutting down; try another");
		call->retry_after_s = 5;
		return 503;
	}
	int status = call_session_admit(call);
	if (status)
		return status;
	enum quota_decision decision = ask_quota(call);
	if (decision == QUOTA_REFUSE) {
		call->retry_after_s = call->ticket.retry_after_s;
		(void)snprintf(call->detail, sizeof(call->detail),
			"the role's limit %s is reached; try again after %u s",
			call->ticket.why ? call->ticket.why : "of jobs", call->retry_after_s);
		return 429;
	}
	call->has_quota = true;
	call->promoted = decision == QUOTA_RUN;
	call->record = jobs_add(&dispatcher->jobs, call->spec.id, &call->who);
	if (!call->record) {
		(void)snprintf(call->detail, sizeof(call->detail), "too many jobs at once");
		call->retry_after_s = 1;
		return 503;
	}
	call->record->call = call;
	return 0;
}

static int accept_call(struct call *call, struct err *err)
{
	struct ledger *ledger = &call->dispatcher->ledger;
	struct audit_input inputs[LIMIT_INPUTS];
	unsigned char look[AUDIT_LOOK_BYTES];
	struct audit_call described;
	call_describe(call, &described, inputs);
	described.stdin_head = describe_stdin(&call->spec, look);
	int rc = ledger_room(ledger, err);
	return rc ? rc : audit_accept(ledger->audit, &described, NULL, err);
}

struct call *call_start(struct dispatcher *dispatcher, const struct who *who, struct job_spec *spec,
	const char *url_base, const struct call_sink *sink)
{
	struct call *call = calloc(1, sizeof(*call));
	struct err err = {0};
	if (!call || job_id_make(spec->id) < 0) {
		job_spec_done(spec);
		job_spec_init(spec);
		free(call);
		return NULL;
	}
	call->dispatcher = dispatcher;
	who_copy(&call->who, who);
	call->sink = *sink;
	call->fd = call->collecting.fd = -1;
	call->spec = *spec;
	job_spec_init(spec);
	call->spec.stream = sink->output != NULL;
	(void)snprintf(call->spec.role, sizeof(call->spec.role), "%s", who->role->name);
	call->spec.isolate = who->role->isolate;
	(void)snprintf(call->url_base, sizeof(call->url_base), "%s", url_base);
	buf_init(&call->sending, JOB_FRAME_BYTES_MAX + 2 * WIRE_HEADER_BYTES);
	cell_stream_init(&call->stream);
	job_result_init(&call->result);
	call->accepted_us = clock_now_us();
	TAILQ_INSERT_TAIL(&dispatcher->calls, call, link);
	int status = admit(call);
	if (status) {
		call_refuse(call, status, call->detail);
		return call;
	}
	if (accept_call(call, &err) < 0) {
		log_fault("audit", &err);
		call->retry_after_s = 1;
		call_refuse(call, 503, ledger_why(&dispatcher->ledger));
		return call;
	}
	ledger_wait(&dispatcher->ledger, &call->wait, on_accepted);
	return call;
}

void call_cancel(struct call *call)
{
	if (call->cancelled)
		return;
	call->cancelled = true;
	if (call->state == CALL_WAITING || call->state == CALL_OPENING)
		call_end_without_cell(call, OUTCOME_CANCELLED, NULL);
	else if (call->state == CALL_RUNNING)
		call_send_cancel(call);
}

void call_reload_all(struct dispatcher *dispatcher)
{
	struct call *next;
	for (struct call *call = TAILQ_FIRST(&dispatcher->calls); call; call = next) {
		const struct who_made made = {
			call->who.role->name, call->who.token, call->who.owner};
		struct who who;
		next = TAILQ_NEXT(call, link);
		bool is_known = who_again(dispatcher->config, &made, NULL, "", &who);
		who_done(&who);
		if (is_known)
			continue;
		call->withdrawn = who_gone_why(dispatcher->config, &made);
		call_pause(call, false);
		call_cancel(call);
	}
}

void call_leave(struct call *call)
{
	call->left = true;
	call_pause(call, false);
	call_cancel(call);
}

uint64_t call_walls_ms(const struct dispatcher *dispatcher)
{
	const struct call *call;
	uint64_t sum_ms = 0;
	TAILQ_FOREACH(call, &dispatcher->calls, link)
	sum_ms += call->state == CALL_RUNNING ? call->spec.limits.wall_ms : 0;
	return sum_ms;
}

void call_abandon(struct call *call)
{
	call_free(call);
}

struct call *call_after(struct call *call)
{
	return TAILQ_NEXT(call, link);
}

const char *call_job_id(const struct call *call)
{
	return call->spec.id;
}

int call_audit_refusal(struct dispatcher *dispatcher, const struct who *who,
	const struct audit_call *what, const char *why)
{
	struct err err;
	struct audit_call described = *what;
	described.role = who->role ? who->role->name : "";
	described.token = who->token;
	described.door = who->door;
	const struct audit_end end = {
		.outcome = outcome_name(OUTCOME_REJECTED), .error = span_text(why)};
	metrics_refusal(&dispatcher->metrics, described.role[0] ? described.role : "none");
	int rc = ledger_room(&dispatcher->ledger, &err);
	if (!rc)
		rc = audit_single(dispatcher->ledger.audit, &described, &end, NULL, &err);
	if (rc < 0)
		log_fault("audit", &err);
	return rc;
}

int call_audit_fault(struct dispatcher *dispatcher, const struct who *who,
	const struct audit_call *what, struct request_fault *fault, uint32_t *ret_retry_after_s)
{
	char why[sizeof(fault->field) + sizeof(fault->detail) + 2];
	bool named = !fault->field[0] || strstr(fault->detail, fault->field);
	*ret_retry_after_s = quota_charge(dispatcher->quota, who->role, clock_now_ms());
	(void)snprintf(why, sizeof(why), "%s%s%s", named ? "" : fault->field, named ? "" : ": ",
		fault->detail);
	if (*ret_retry_after_s)
		(void)request_refuse(fault, 429, "",
			"the role's limit jobs_per_minute is reached; try again after %u s",
			*ret_retry_after_s);
	return call_audit_refusal(dispatcher, who, what, why);
}

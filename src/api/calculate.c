/* calculate: the shortest way through the dispatcher. */
#include "api/calculate.h"

#include "api/call.h"
#include "api/log.h"
#include "base/clock.h"
#include "tool/hint_role.h"
#include "tool/json.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

struct calculation {
	struct dispatcher *dispatcher;
	struct who who;
	struct calc_wait calc;
	struct ledger_wait ledger;
	calculate_done *done;
	void *user;
	bool left;
	int status;
	struct buf answer;
	uint64_t started_us;
	size_t expr_bytes;
	unsigned char expr[];
};

#define ANSWER_BYTES_MAX (16 * KIB)
#define OF(type, member, pointer) ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

static void finish(struct ledger_wait *wait, int rc)
{
	struct calculation *it = OF(struct calculation, ledger, wait);
	if (!it->left && rc < 0)
		it->done(it->user, 503, span_text(ledger_why(&it->dispatcher->ledger)));
	else if (!it->left)
		it->done(it->user, it->status, span_of(it->answer.data, it->answer.len));
	metrics_stage(&it->dispatcher->metrics, STAGE_CALCULATE, clock_now_us() - it->started_us);
	who_done(&it->who);
	buf_done(&it->answer);
	free(it);
}

/* In the place of an answer: a status, and its reason. */
static void set_refusal(struct calculation *it, int status, const char *why)
{
	it->status = status;
	it->answer.len = 0;
	if (buf_add_text(&it->answer, why) < 0)
		it->answer.len = 0;
}

static void refuse(struct calculation *it, int status, const char *why)
{
	const struct audit_call what = {
		.tool = ROLE_TOOL_CALCULATE, .code = span_of(it->expr, it->expr_bytes)};
	set_refusal(it, status, why);
	if (call_audit_refusal(it->dispatcher, &it->who, &what, why) < 0)
		set_refusal(it, 503, ledger_why(&it->dispatcher->ledger));
	ledger_wait(&it->dispatcher->ledger, &it->ledger, finish);
}

/* Keeps the answer, its hint without what the role cannot follow. */
static int take_answer(struct calculation *it, struct span answer, bool has_value)
{
	cleanup_json json_t *object = NULL;
	if (has_value || it->who.role->tools & ROLE_RUN_SANDBOXED || !hint_names_sandbox(answer))
		return buf_add(&it->answer, answer.data, answer.len);
	int rc = json_read(answer, &object);
	json_t *error = json_object_get(object, "error");
	struct span hint = hint_without_sandbox(json_text(json_object_get(error, "hint")));
	if (!rc && hint.len)
		rc = json_put(error, "hint", json_from_text(hint));
	else if (!rc)
		(void)json_object_del(error, "hint");
	return rc ? rc : json_write(object, &it->answer);
}

static void on_answered(struct calc_wait *wait, struct span answer)
{
	struct calculation *it = OF(struct calculation, calc, wait);
	struct ledger *ledger = &it->dispatcher->ledger;
	struct err err;
	static const char error_object[] = "{\"error\"";
	if (!answer.data) {
		refuse(it, 503, "the worker for arithmetic was lost; try again");
		return;
	}
	bool has_value = answer.len < sizeof(error_object) ||
			 memcmp(answer.data, error_object, sizeof(error_object) - 1) != 0;
	const struct audit_call call = {
		.role = it->who.role->name,
		.token = it->who.token,
		.door = it->who.door,
		.tool = ROLE_TOOL_CALCULATE,
		.code = span_of(it->expr, it->expr_bytes),
	};
	int rc = take_answer(it, answer, has_value);
	answer = span_of(it->answer.data, it->answer.len);
	const struct audit_end end = {
		.outcome = has_value ? "ok" : "error",
		.output = has_value ? answer : span_of("", 0),
		.error = has_value ? span_of("", 0) : answer,
	};
	metrics_calculation(&it->dispatcher->metrics, it->who.role->name, has_value);
	if (!rc)
		rc = ledger_room(ledger, &err);
	if (!rc)
		rc = audit_single(ledger->audit, &call, &end, NULL, &err);
	if (rc < 0)
		set_refusal(it, 503, ledger_why(ledger));
	ledger_wait(ledger, &it->ledger, finish);
}

struct calculation *calculate_start(struct dispatcher *dispatcher, const struct who *who,
	struct span expr, calculate_done *done, void *user)
{
	struct calculation *it = malloc(sizeof(*it) + expr.len);
	struct err err;
	if (!it)
		return NULL;
	*it = (struct calculation){.dispatcher = dispatcher,
		.done = done,
		.user = user,
		.started_us = clock_now_us(),
		.expr_bytes = expr.len};
	if (expr.len)
		memcpy(it->expr, expr.data, expr.len);
	who_copy(&it->who, who);
	buf_init(&it->answer, ANSWER_BYTES_MAX);
	it->calc.answered = on_answered;
	if (role_allows(who->role, ROLE_TOOL_CALCULATE, &err) < 0) {
		refuse(it, 403, err.text);
		return it;
	}
	int rc = calc_client_ask(&dispatcher->calc, &it->calc, expr);
	if (rc == -ENOTCONN)
		refuse(it, 503,
			"the worker for arithmetic has ended and is being started again; try "
			"again");
	else if (rc < 0)
		refuse(it, 503, "too much arithmetic at once; try again");
	return it;
}

void calculate_leave(struct calculation *calculation)
{
	calculation->left = true;
}

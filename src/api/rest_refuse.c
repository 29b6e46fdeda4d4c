/*
 * rest_refuse: a call of a tool that never becomes one, in the log before its caller is told.
 *
 * What is refused at its head may go on sending a body: nothing looks at that any more.
 */
#include "api/rest.h"

#include "api/call.h"
#include "base/clock.h"

#include <stddef.h>
#include <stdio.h>

#define STRANGERS_A_MINUTE 60u
#define MINUTE_MS 60000u
#define WHY_BYTES 512u

static void on_refusal_written(struct ledger_wait *wait, int rc)
{
	struct rest *rest = (struct rest *)(void *)((char *)wait - offsetof(struct rest, wait));
	const struct request_fault fault = rest->fault;
	if (rc < 0)
		rest_problem(rest, 503, NULL, ledger_why(&rest->dispatcher->ledger), 1);
	else
		rest_problem(rest, fault.status, fault.field[0] ? fault.field : NULL, fault.detail,
			rest->retry_after_s);
}

static int drop_piece(struct http_exchange *exchange, struct span piece)
{
	(void)exchange;
	(void)piece;
	return 0;
}

static void tell_when_written(struct rest *rest, int rc)
{
	rest->refused = true;
	rest->on_gone = NULL;
	rest->exchange->sink = drop_piece;
	if (rc < 0)
		rest_problem(rest, 503, NULL, ledger_why(&rest->dispatcher->ledger), 1);
	else
		ledger_wait(&rest->dispatcher->ledger, &rest->wait, on_refusal_written);
}

void rest_refuse_tool(struct rest *rest, const struct audit_call *what, const char *why)
{
	(void)request_refuse(&rest->fault, 403, "", "%s", why);
	tell_when_written(
		rest, call_audit_refusal(rest->dispatcher, &rest->who, what, rest->fault.detail));
}

void rest_refuse_call(
	struct rest *rest, const struct audit_call *what, const struct request_fault *fault)
{
	rest->fault = *fault;
	tell_when_written(rest, call_audit_fault(rest->dispatcher, &rest->who, what, &rest->fault,
					&rest->retry_after_s));
}

const char *rest_tool(const struct rest *rest)
{
	unsigned flags = rest->route ? rest->route->flags : 0;
	return flags & ROUTE_CALCULATE ? ROLE_TOOL_CALCULATE
	       : flags & ROUTE_RUN     ? ROLE_TOOL_RUN
				       : NULL;
}

void rest_refuse_stranger(struct rest *rest, const char *detail)
{
	struct strangers *strangers = &rest->dispatcher->strangers;
	const struct audit_call what = {.tool = rest_tool(rest)};
	uint64_t now_ms = clock_now_ms();
	char why[WHY_BYTES], more[80] = "";
	if (now_ms - strangers->minute_ms >= MINUTE_MS)
		*strangers =
			(struct strangers){.minute_ms = now_ms, .left_out = strangers->left_out};
	if (++strangers->calls > STRANGERS_A_MINUTE) {
		strangers->left_out++;
		metrics_refusal(&rest->dispatcher->metrics, "none");
		rest_problem(rest, 401, NULL, detail, 0);
		return;
	}
	if (strangers->left_out)
		(void)snprintf(more, sizeof(more), " (and %llu before it that have no row)",
			(unsigned long long)strangers->left_out);
	strangers->left_out = 0;
	(void)snprintf(why, sizeof(why), "%s%s", detail, more);
	(void)request_refuse(&rest->fault, 401, "", "%s", detail);
	tell_when_written(rest, call_audit_refusal(rest->dispatcher, &rest->who, &what, why));
}

void rest_note_refused(struct rest *rest)
{
	const struct audit_call what = {.tool = rest_tool(rest)};
	struct ledger *ledger = &rest->dispatcher->ledger;
	struct http_fault *refused = &rest->exchange->refused;
	struct err err;
	if (!what.tool || !rest->who.role || rest->refused)
		return;
	int rc = call_audit_refusal(rest->dispatcher, &rest->who, &what, refused->detail);
	if (!rc)
		rc = ledger_write(ledger, &err);
	if (rc < 0)
		*refused = (struct http_fault){.status = 503, .detail = ledger_why(ledger)};
}

/* session_audit: one row for each deed, as it ended. */
#include "api/session_audit.h"

#include "api/log.h"

#include <string.h>

static int queue(struct dispatcher *dispatcher, const struct who_made *by, const char *door,
	const struct session_deed *deed)
{
	struct err err = {0};
	const struct audit_call call = {
		.role = by->role,
		.token = by->token,
		.door = door,
		.tool = deed->tool,
		.code = deed->subject,
		.inputs = deed->input,
		.input_count = deed->input ? 1 : 0,
		.session = deed->session,
	};
	const struct audit_end end = {
		.outcome = outcome_name(deed->rc ? OUTCOME_ERROR : OUTCOME_OK),
		.error = span_text(deed->rc ? strerrordesc_np(-deed->rc) : ""),
	};
	int rc = ledger_room(&dispatcher->ledger, &err);
	if (!rc)
		rc = audit_single(dispatcher->ledger.audit, &call, &end, NULL, &err);
	if (rc < 0)
		log_fault("audit", &err);
	return rc;
}

int session_audit(
	struct dispatcher *dispatcher, const struct who *who, const struct session_deed *deed)
{
	const struct who_made by = {who->role->name, who->token, who->owner};
	return queue(dispatcher, &by, who->door, deed);
}

int session_audit_withdrawn(
	struct dispatcher *dispatcher, const struct session *session, const char *why)
{
	const struct who_made by = session_made(session);
	const struct session_deed deed = {
		.tool = SESSION_TOOL_CLOSE, .session = session->id, .subject = span_text(why)};
	return queue(dispatcher, &by, "reload", &deed);
}

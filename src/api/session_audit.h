/* session_audit: the rows of what is done to a session beside running code in it. */
#ifndef BRIG_API_SESSION_AUDIT_H
#define BRIG_API_SESSION_AUDIT_H

#include "api/dispatcher.h"

#define SESSION_TOOL_CLOSE "session_close"
#define SESSION_TOOL_WRITE "session_write"
#define SESSION_TOOL_REMOVE "session_remove"
#define SESSION_TOOL_MOVE "session_move"
#define SESSION_TOOL_MKDIR "session_mkdir"

struct session_deed {
	const char *tool;
	const char *session;		 /* its id */
	struct span subject;		 /* the path, or both of a move */
	const struct audit_input *input; /* what was written; NULL */
	int rc;				 /* how it went */
};

/* Queues the row: wait for it with ledger_wait before the reply leaves. 0 or -errno. */
int session_audit(struct dispatcher *dispatcher, const struct who *who,
	const struct session_deed *deed) MUST_CHECK;

/* Likewise of a session that is ended for a change of the configuration, in its maker's name. */
int session_audit_withdrawn(
	struct dispatcher *dispatcher, const struct session *session, const char *why) MUST_CHECK;

#endif

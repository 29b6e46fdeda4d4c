/*
 * session_change: a request that changes a session's files, and its row in the log.
 *
 * The row is written once the service has answered, whether or not whoever asked is still there to
 * be told: a client that goes away leaves a change behind as well as any other.
 *
 *	session_change(…, changed, user) ─► answer ─► row queued ─► changed(user, answer, row_rc)
 *
 * Threads: the loop's.
 */
#ifndef BRIG_API_SESSION_CHANGE_H
#define BRIG_API_SESSION_CHANGE_H

#include "api/session_ask.h"
#include "tool/digest.h"

struct session_change;

/* `answer` as in session_ask. `row_rc` is 0, and the row is to be waited for with ledger_wait; or
 * -errno: it could not be queued. */
typedef void session_changed(void *user, struct session_answer *answer, int row_rc);

/*
 * Takes the request (SESSION_WRITE, REMOVE, MKDIR or MOVE), also on failure; `digest` is of what is
 * written, else NULL. `who` is copied. NULL where memory is out or no channel can be had; nothing
 * is changed then, and `changed` not called.
 */
struct session_change *session_change(struct dispatcher *dispatcher, const struct who *who,
	struct session *session, struct session_request *request,
	const unsigned char digest[DIGEST_BYTES], session_changed *changed, void *user);

/* Nobody waits for the answer any more; the row is written all the same. */
void session_change_leave(struct session_change *change);

/* The process ends: what became of these is not known, and their rows say so. */
void session_change_free_all(struct dispatcher *dispatcher);

#endif

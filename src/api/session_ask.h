/*
 * session_ask: one request about a session, to the service and back (wire/session.h).
 *
 * The answer comes from the loop, never from within session_ask. A request that waits for a call of
 * its session can take as long as that call.
 *
 * Threads: the loop's.
 */
#ifndef BRIG_API_SESSION_ASK_H
#define BRIG_API_SESSION_ASK_H

#include "api/dispatcher.h"
#include "wire/session.h"

struct session_ask;

/* `answer` is borrowed but for its descriptor, which may be taken. Where the service is not there
 * or went away, its err says so with -ECONNRESET. */
typedef void session_answered(void *user, struct session_answer *answer);

/*
 * Takes the request (it is left initialised and empty), also on failure. `answered` may be NULL.
 * What the answer tells of the session is noted in the table before `answered` is called. NULL
 * where memory is out or no channel can be had; `answered` is then not called.
 */
struct session_ask *session_ask(struct dispatcher *dispatcher, struct session *session,
	struct session_request *request, session_answered *answered, void *user);

/* Nobody waits for the answer any more. The request may still be carried out. */
void session_ask_leave(struct session_ask *ask);

/* Ends the session: its cell goes, nobody is told, its id is as one that never was. */
void session_end(struct dispatcher *dispatcher, struct session *session);

/* Likewise, but its caller is told `why` when it calls again. */
void session_abandon(struct dispatcher *dispatcher, struct session *session, const char *why);

/* After the configuration has changed: ends the sessions of tokens and roles that it does not know
 * any more, and gives the others no more time than their roles have now. */
void session_reload_all(struct dispatcher *dispatcher);

/* The same for one session, once the service knows it. */
void session_hold(struct dispatcher *dispatcher, struct session *session);

/* What the session may hold in all, by what it began with and by what its role has now. */
struct job_limits session_limits_now(
	const struct dispatcher *dispatcher, const struct session *session);

void session_ask_free_all(struct dispatcher *dispatcher);

#endif

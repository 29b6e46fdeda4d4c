/*
 * sessions: which sessions there are, whose they are, and what became of those that ended by
 * themselves.
 *
 *	begun here ─► OPEN ─► lost (a tombstone says why, for a while) ─► forgotten
 *		       └────► dropped by its caller: gone at once
 *
 * The cell is the service's, and so are its clocks: what is known here is what the service said
 * last, in every answer. An id is good for its maker alone, the token that it came with, or the
 * local caller; to anybody else it is as unknown as one that never was.
 *
 * Ownership: a session belongs to the table. Pointers are good until the loop turns.
 */
#ifndef BRIG_API_SESSIONS_H
#define BRIG_API_SESSIONS_H

#include "api/links.h"
#include "api/who.h"
#include "base/err.h"
#include "tool/job_id.h"
#include "wire/limits.h"
#include "wire/session.h"

#include <event2/event.h>
#include <sys/queue.h>

#define SESSIONS_TOMBSTONES_MAX 1024u
#define SESSIONS_TOMBSTONE_MS (60u * 60 * 1000)
#define SESSIONS_WHY_BYTES 96u

struct session {
	TAILQ_ENTRY(session) link;
	char id[SESSION_ID_BYTES];
	char role[ROLE_NAME_BYTES], token[ROLE_NAME_BYTES], owner[WHO_OWNER_BYTES];
	char access[JOB_ID_BYTES]; /* E2B's clients: opens this session alone; "" until given out */
	unsigned char access_secret[TOKEN_HASH_BYTES]; /* for as long as its token has this one */
	struct job_limits limits; /* what it began with: the bounds of the whole, and what a call
				   * gets that does not say */
	char image[LINK_IMAGE_BYTES];
	uint64_t epoch;	 /* of its link; 0 until it is begun there */
	bool heard;	 /* the service has said something of it */
	bool idle_asked; /* idle_ms is a wish of its own, and not the role's usual one */
	bool lost;
	char why[SESSIONS_WHY_BYTES];	       /* it is lost */
	uint64_t forget_ms;		       /* when its tombstone goes */
	int64_t begun_ms;		       /* since 1970 */
	uint64_t born_ms;		       /* likewise, monotonic */
	uint64_t idle_ms, life_ms;	       /* as they were granted last */
	uint64_t idle_until_ms, life_until_ms; /* monotonic */
	unsigned calls;			       /* under way */
	/* Whoever opened the session may keep something with it until it is over. */
	void *user;
	void (*user_free)(void *user);
};

struct sessions {
	TAILQ_HEAD(session_list, session) open, tombstones; /* the oldest first */
	size_t tombstone_count;
	struct links *links;
	struct event *sweep;
};

int sessions_init(
	struct sessions *sessions, struct event_base *base, struct links *links) MUST_CHECK;
void sessions_done(struct sessions *sessions);

/*
 * Makes the id and the entry of a session that `who` is about to begin; 0 for `idle_ms` or
 * `life_ms` asks for the role's own. -EPERM the role has none; -EDQUOT it has sessions_max of them
 * already; -EIO, -ENOMEM. `err` has the words for the caller.
 */
int sessions_begin(struct sessions *sessions, const struct who *who, uint64_t idle_ms,
	uint64_t life_ms, struct session **ret_session, struct err *err) MUST_CHECK;

/* The caller's own, open or lost; or NULL. */
struct session *sessions_find(struct sessions *sessions, const struct who *who, struct span id);

/* Whosever it is, open ones alone; or NULL. */
struct session *sessions_by_id(struct sessions *sessions, struct span id);

/* Whether the session is the caller's. A lost one stays its token's, whatever role that has now. */
bool session_is_of(const struct session *session, const struct who *who);

/* Whose it is; it points into the session. */
struct who_made session_made(const struct session *session);

/* A call's limits by those of its session: what it does not name is the session's, and of memory,
 * work folder and processes, which are the whole's, it has no more than the session. */
void session_limit(const struct session *session, struct job_limits *limits);

/* -ENOENT (404) or -ESTALE (410) with the words for whoever names a session that is none; else 0.
 */
int session_check(const struct session *session, struct err *err) MUST_CHECK;

/* What is left of its life at most by what its role grants now; 0 where that is over. */
uint64_t session_life_left_ms(const struct session *session, const struct role *role);

/*
 * By what its role grants now: true where the session has more, and the entry then has what it may
 * have. `ret_idle_ms` and `ret_life_ms` are for SESSION_EXTEND: 0 leaves one as it is.
 */
bool sessions_tighten(struct session *session, const struct role *role, uint64_t *ret_idle_ms,
	uint64_t *ret_life_ms) MUST_CHECK;

/* What the service said of it. */
void sessions_heard(
	struct sessions *sessions, struct session *session, const struct session_status *status);

void sessions_lose(struct sessions *sessions, struct session *session, const char *why);

/* Gone at the caller's own word, or never begun. */
void sessions_drop(struct sessions *sessions, struct session *session);

/* The service behind an image's link is another one now. */
void sessions_link_changed(struct sessions *sessions, const char *image);

/* How long it has if no call comes, as far as is known here. */
void session_status_of(const struct session *session, struct session_status *ret_status);

#endif

/*
 * session: cells that live between the calls of one caller.
 *
 *	first call ─► cell as any job's ─► answered ─► frozen, waiting ─► thawed for the next …
 *
 * A session has one line, in which its calls and requests stand in the order in which they came;
 * one is served at a time. Between calls the whole cell is frozen: nothing in it runs. It ends when
 * it is closed, when its time is up, or when a call leaves nothing that could go on; whoever still
 * stands in line is then told so, and the cell is taken down as any other.
 *
 * session.c: birth, clocks, end. session_line.c: who is next. session_call.c: what a call of a
 * session has beyond a job. session_files.c and _list, _write, _remove: its files.
 *session_memory.c: what it holds.
 */
#ifndef BRIG_SERVICE_SESSION_H
#define BRIG_SERVICE_SESSION_H

#include "service/artifacts.h"
#include "service/service.h"
#include "wire/session.h"

/* Different names that the inputs of all calls of one session may have. */
#define SESSION_INPUTS_MAX 1024u

#define FIRST_CALL_CANCELLED "its first call was cancelled"

struct session {
	TAILQ_ENTRY(session) entry;
	struct service *service;
	char id[SESSION_ID_BYTES];
	struct cell *cell;	 /* NULL until its first call has one */
	TAILQ_HEAD(, turn) line; /* who waits */
	struct turn *now;	 /* who is served; not in the line any more */
	char role_name[64];
	uint32_t role; /* index of the share in which its slot counts */
	bool counted;
	bool closing; /* its call's answer is the last */
	char why[96]; /* then: what that answer says */
	uint64_t idle_ms, idle_end_us, life_end_us;
	struct event *clock; /* the earlier end, while nothing is served */
	struct event *next;  /* the line moves from the loop only */
	/* The work folder is of the whole: calls make it larger and never smaller than what it may
	 * already hold. The other limits are each call's. */
	struct job_limits limits;
	uint64_t memory_bytes; /* the most that a call had */
	uint64_t given_bytes; /* written into its tmpfs by the service, at most: session_memory.c */
	struct job_input *inputs; /* of all calls; no descriptors, only names and sizes */
	uint32_t input_count;
	struct seen_list seen;
};

/* A request of wire/session.h on its way. */
struct errand {
	struct turn turn;
	struct service *service;
	struct channel *channel;
	struct session_request request;
	struct session_answer answer;
	struct event *step;	/* the next piece of what takes several turns of the loop */
	struct event *patience; /* while it stands in line */
	int folder_fd,
		file_fd; /* SESSION_WRITE: where it goes, and the file before it is renamed */
	uint64_t done_bytes;
	uint32_t uid; /* the job's, as the service sees it */
};

/* session.c */
struct session *session_find(struct service *service, const char *id);
int session_begin(struct service *service, struct job *job, struct err *err) MUST_CHECK;
void session_status(const struct session *session, struct session_status *status);
bool session_is_over(const struct session *session); /* its life is */
void session_expire_soon(struct session *session);
/* A call has no more time than its session. 0 or -errno. */
int session_cut_wall(struct session *session) MUST_CHECK;
void session_extend(struct session *session, uint64_t idle_ms, uint64_t life_ms);
void session_stop(struct session *session, const char *why);
void session_gone_words(
	struct service *service, const char *id, struct session_status *status, struct err *err);

/* session_line.c */
void session_on_next(evutil_socket_t fd, short what, void *context);
void session_served(struct session *session);
void turn_refuse(struct service *service, struct turn *turn, const char *id, const char *why);
void errand_answer(struct errand *errand);

/* session_call.c: a call that is not the first one; its cell is frozen. */
void session_call(struct session *session, struct job *job);

/* session_memory.c */
struct session_memory {
	uint64_t held_bytes;	/* its own, which no reclaim gives back */
	uint64_t foreign_bytes; /* what the service has written for it, and is still there */
};
int session_memory(struct session *session, struct session_memory *ret_memory) MUST_CHECK;
/* The service has written that much for it, or is about to. */
void session_gave(struct session *session, uint64_t bytes);
/* What a file from outside may have now, where all may hold `limit_bytes` (0: as its calls had). */
int session_room(struct session *session, uint64_t limit_bytes, uint64_t *ret_bytes) MUST_CHECK;

/* session_files.c, session_write.c, session_remove.c: fill the errand's answer. -EINPROGRESS where
 * it goes on by itself and ends in session_file_done. */
int session_files(struct errand *errand) MUST_CHECK;
void session_file_done(struct errand *errand, int rc);
/* What looks and changes nothing, while something else is served: the answer is filled. */
void session_look(struct errand *errand, struct session *session);
int session_write(struct errand *errand) MUST_CHECK;
void session_write_drop(struct errand *errand); /* what is half written */
int session_remove(struct errand *errand) MUST_CHECK;
int session_list(struct errand *errand) MUST_CHECK;
/* The folder of a path's last name, which becomes `*ret_name`; made where it is not there. */
int session_parent(
	const struct errand *errand, const char *path, bool make, const char **ret_name) MUST_CHECK;

#endif

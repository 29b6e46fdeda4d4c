/* call_parts: the inside of a call, shared by the files that make it up. */
#ifndef BRIG_API_CALL_PARTS_H
#define BRIG_API_CALL_PARTS_H

#include "api/call.h"
#include "tool/mime.h"
#include "tool/view.h"

#include <sodium.h>

#define URL_BASE_BYTES 300u

enum call_state {
	CALL_ACCEPTING, /* its row is on the way to the audit log */
	CALL_WAITING,	/* for a place in its role's quota */
	CALL_OPENING,	/* for an interpreter service */
	CALL_RUNNING,
	CALL_COLLECTING, /* files are being stored */
	CALL_COMPLETING, /* its last row is on the way to the audit log */
};

/* The file that is being stored. */
struct collecting {
	size_t next; /* artifacts first, then charts */
	int fd;
	uint64_t bytes, copied;
	crypto_hash_sha256_state hash;
	unsigned char head[MIME_HEAD_BYTES];
	size_t head_bytes;
	struct event *step;
};

struct call {
	TAILQ_ENTRY(call) link;
	struct dispatcher *dispatcher;
	struct who who;
	struct call_sink sink;
	enum call_state state;
	bool left, cancelled, promoted, has_quota, paused;
	const char *withdrawn; /* why its caller is none any more; NULL */
	bool channel_lost;
	bool session_open;  /* the session's entry counts this call */
	bool session_begun; /* the service said that the session goes on */
	struct job_spec spec;
	struct record *record;
	char url_base[URL_BASE_BYTES];
	struct quota_ticket ticket;
	struct ledger_wait wait;

	/* a refusal */
	int status;
	bool unlogged; /* its row could not be queued: that is all its caller is told */
	const char *field;
	char detail[256];
	uint32_t retry_after_s;

	/* the channel */
	int fd;
	struct event *read, *write, *retry;
	struct event *silence; /* of the service: how long is too long */
	uint64_t retry_until_ms, patience_ms;
	struct buf sending;
	size_t sent;
	int send_fds[LIMIT_INPUTS + 1];
	size_t send_fd_count;
	struct cell_stream stream;

	/* the end */
	struct job_result result;
	struct view view;
	bool has_view;
	char fault_id[JOB_ID_BYTES];
	struct collecting collecting;
	char *urls[JOBS_FILES_MAX];	/* of artifacts, then of charts; NULL: not kept */
	char *shown_urls[LIMIT_CHARTS]; /* of those, the ones of the object's charts; borrowed */
	unsigned char digests[LIMIT_ARTIFACTS][DIGEST_BYTES];
	json_t *json;
	struct buf text;
	uint64_t accepted_us, opened_us, result_us;
};

/* call.c */
void call_refuse(struct call *call, int status, const char *detail);
void call_free(struct call *call);
void call_give_place_back(struct call *call);
void call_describe(const struct call *call, struct audit_call *ret_call,
	struct audit_input inputs[LIMIT_INPUTS]);

/* call_channel.c */
void call_open(struct call *call);
void call_close_channel(struct call *call);
void call_send_cancel(struct call *call);

/* call_session.c: 0, or the HTTP status of a refusal, with its detail. */
int call_session_admit(struct call *call);
/* Before the role's own bounds: those of the session that it is a call of. */
void call_session_limit(struct call *call);
/* The job is about to be handed over. As above: the session may have ended meanwhile. */
int call_session_opening(struct call *call);
/* It has a channel to a service: from now on its session is that one's. */
void call_session_opened(struct call *call);
/* Whose service the job goes to: a session stays where it began, whatever its role has by now. */
const char *call_session_image(const struct call *call);
/* As call_session_admit; 0 also for a result that is one. */
int call_session_result(struct call *call);
void call_session_release(struct call *call);

/* call_end.c: the result has come, or one is made up where there will be none. */
void call_on_result(struct call *call);
void call_end_without_cell(struct call *call, enum outcome outcome, const struct err *fault);

#endif

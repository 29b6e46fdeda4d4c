/*
 * session: a cell that lives between the calls of one caller, as it crosses from a client to the
 * service.
 *
 * A job says in its spec whether it begins a session, uses one, or is alone (struct job_session in
 * wire/job.h); one that begins a session may have no code. Everything else that can be done with a
 * session is one request of this file: one channel carries one CHANNEL_SESSION frame instead of a
 * CHANNEL_JOB and is answered by one CHANNEL_SESSION_DONE. Calls and requests of one session are
 * served one after another, in the order in which they came; SESSION_CLOSE does not wait.
 *
 * Who may use an id is the client's to judge: the service knows ids, not callers.
 *
 * Paths are relative to the work folder, of ordinary names joined by '/': no empty part, "." or
 * "..", no NUL; the empty path is the folder itself. They are resolved beneath it, through no
 * symbolic link and into no other mount, with the job's rights and not the service's.
 *
 * Source: openat2(2).
 */
#ifndef BRIG_WIRE_SESSION_H
#define BRIG_WIRE_SESSION_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

#define SESSION_ID_BYTES 40u	  /* as a job's id, with its NUL */
#define SESSION_CONTEXT_BYTES 40u /* ASCII letters, digits, '-', with its NUL */
#define SESSION_CONTEXTS_MAX 16u  /* of one session, the first one ("") included */
#define SESSION_PATH_BYTES 1024u  /* with its NUL */
#define SESSION_ENTRIES_MAX 1024u /* that one listing tells */
#define SESSION_FRAME_BYTES_MAX (512u * 1024u)

#define SESSION_IDLE_MS_DEFAULT (10u * 60 * 1000)
#define SESSION_LIFE_MS_DEFAULT (60u * 60 * 1000)
#define SESSION_LIFE_MS_MAX (24u * 60 * 60 * 1000)

enum session_verb {
	SESSION_CLOSE = 1, /* the cell goes, a running call is cancelled */
	SESSION_EXTEND,	   /* idle_ms, life_ms, both counted from now on; 0 leaves one as it is */
	SESSION_STATE,	   /* nothing but what every answer tells */
	SESSION_WRITE,	/* path, one descriptor: the file is made or replaced, its parents made */
	SESSION_READ,	/* path: the answer brings a descriptor */
	SESSION_LIST,	/* path, depth (1: the folder's own entries) */
	SESSION_STAT,	/* path: one entry that bears it whole, or -ENOENT */
	SESSION_REMOVE, /* path: a file, or a folder with all that is in it */
	SESSION_MKDIR,	/* path and its parents; -EEXIST where it is there */
	SESSION_MOVE,	/* path to target, which is replaced, its parents made */
};

/* Whether a session can go on. */
enum session_state {
	SESSION_ALONE,	     /* the job has none */
	SESSION_ALIVE,	     /* it waits for its next call */
	SESSION_INTERRUPTED, /* likewise: the call was stopped by KeyboardInterrupt, the state stays
			      */
	SESSION_LOST,	     /* its cell is gone */
};

/* What every answer about a session tells. */
struct session_status {
	enum session_state state;
	uint64_t idle_left_ms, life_left_ms; /* until it goes by itself */
	char lost_why[96];		     /* SESSION_LOST: ASCII, for the model; else empty */
};

struct session_entry {
	struct span path; /* relative to the folder that was listed; any bytes but NUL */
	uint64_t bytes;
	int64_t modified_ms; /* since the epoch */
	uint32_t mode;	     /* st_mode */
};

struct session_request {
	enum session_verb verb;
	char id[SESSION_ID_BYTES];
	char path[SESSION_PATH_BYTES], target[SESSION_PATH_BYTES];
	uint32_t depth;
	uint64_t idle_ms, life_ms;
	/* SESSION_WRITE, SESSION_STATE: what the session may hold in all; 0: as its calls had. */
	uint64_t memory_bytes;
	int fd; /* SESSION_WRITE: a regular file or memfd, read by pread from 0; owned; else -1 */
	uint64_t bytes; /* of it, at most LIMIT_WORK_BYTES_MAX */
};

struct session_answer {
	struct err err; /* code 0, or what went wrong: -ENOENT no such path, -ESRCH no such session,
			   -EISDIR, -ENOTDIR, -EEXIST, -ENOSPC, -EACCES, -EINVAL … */
	struct session_status status;
	int fd; /* SESSION_READ: the file, read-only, owned; else -1 */
	uint64_t bytes;
	struct session_entry *entries; /* SESSION_LIST and SESSION_STAT */
	uint32_t entry_count;
	uint64_t room_bytes; /* SESSION_STATE: what a file that is written may have now */
	bool more; /* there are entries beyond SESSION_ENTRIES_MAX or LIMIT_ARTIFACT_DEPTH */
	struct buf storage;
};

/* The status as a nested record, for whatever answers about a session. */
int session_status_encode(
	const struct session_status *status, uint16_t tag, struct buf *out) MUST_CHECK;
int session_status_decode(struct span fields, struct session_status *status) MUST_CHECK;

void session_request_init(struct session_request *request);
void session_request_done(struct session_request *request);
void session_answer_init(struct session_answer *answer);
void session_answer_done(struct session_answer *answer);
#define cleanup_session_request __attribute__((cleanup(session_request_done)))
#define cleanup_session_answer __attribute__((cleanup(session_answer_done)))

/* 0 or -EINVAL with a text that names the fault. The empty path is right where `root_too`. */
int session_path_check(const void *path, size_t bytes, bool root_too, struct err *err) MUST_CHECK;

/* The same for a path that is to be made: its names are such as a job's input may have. What code
 * itself has made, under whatever name, can still be read, moved and removed. */
int session_new_path_check(const void *path, size_t bytes, struct err *err) MUST_CHECK;

/* Appends the frame of a request that is complete by itself; `ret_fd` is -1 or the descriptor to
 * send with it, still owned by the request. */
int session_request_encode(
	const struct session_request *request, struct buf *out, int *ret_fd) MUST_CHECK;

/* Reads the fields of a CHANNEL_SESSION frame; takes `fds`, also on failure. -EBADMSG, -EINVAL. */
int session_request_decode(struct span fields, int *fds, size_t fd_count,
	struct session_request *request, struct err *err) MUST_CHECK;

int session_answer_encode(
	const struct session_answer *answer, struct buf *out, int *ret_fd) MUST_CHECK;

/* Reads the fields of a CHANNEL_SESSION_DONE frame; takes `fds`, also on failure. */
int session_answer_decode(
	struct span fields, int *fds, size_t fd_count, struct session_answer *answer) MUST_CHECK;

/* Of a fault by -EDQUOT: the file's KiB, and those that it may have. */
#define SESSION_NO_ROOM                                                                            \
	"a file of %llu KiB is more than the session's memory, which bounds its files too, has "   \
	"room for: %llu KiB; remove files, delete variables in a call, or begin a session with "   \
	"more memory"

/* Why one is lost whose life is over. */
#define SESSION_WHY_OVER "its time was up"

/* Why a session is lost whose code wrote to, or closed, the runtime's own descriptors. */
#define SESSION_WHY_SPOILED "its code spoiled the channel of its own results"

#endif

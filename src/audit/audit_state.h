/* audit_state: the open log, as the files of src/audit share it. */
#ifndef BRIG_AUDIT_AUDIT_STATE_H
#define BRIG_AUDIT_AUDIT_STATE_H

#include "audit/audit_db.h"
#include "audit/audit_wal.h"

#include <sys/types.h>

/* How long retention rests once nothing more is due. */
#define AUDIT_RETAIN_MS 60000u

/*
 * To copy the WAL into the database waits for the disk, milliseconds for a little of it and up to a
 * second for much. A little is copied in between when nothing is written, the rest by a thread from
 * PAGES_BUSY (16 MiB) on. At PAGES_MAX the thread does not keep up, and the disk's room counts more
 * than time.
 */
#define AUDIT_WAL_PAGES_IDLE 256u
#define AUDIT_WAL_PAGES_BUSY 4096u
#define AUDIT_WAL_PAGES_MAX (16u * AUDIT_WAL_PAGES_BUSY)

struct audit_queued {
	struct audit_row row;
	struct buf storage;
	uint64_t ticket;
	struct audit_queued *next;
};

/* The database, its WAL, and the index of that. */
#define AUDIT_FILES 3u

struct audit_place {
	dev_t device;
	ino_t inode;
};

struct audit {
	struct audit_db db; /* without a handle where it could not be opened again */
	struct audit_place places[AUDIT_FILES];
	struct audit_head head_before; /* of the log that was lost, while there is no other */
	struct redact *redact;
	int lock_fd;
	uint64_t writer;
	uint64_t retention_ms, retention_bytes, head_ms;
	struct audit_queued *queue, *queue_last;
	size_t queue_rows, queue_bytes;
	uint64_t ticket, durable;
	struct audit_tail tail;
	struct audit_wal *wal;		     /* started when the WAL is first long; or NULL */
	size_t wal_pages;		     /* after the last commit */
	uint64_t tick_ticket;		     /* the last one at the last tick */
	uint64_t head_due_ms, retain_due_ms; /* monotonic */
};

/* Opens what `options` name and registers this process as a writer. */
int audit_open_files(
	struct audit *audit, const struct audit_options *options, struct err *err) MUST_CHECK;

/* Remembers which files they are. -ESTALE where they have gone by then. */
int audit_place_note(struct audit *audit, struct err *err) MUST_CHECK;

/* Leaves the lost log and begins another, whose first row says after which. */
int audit_begin_anew(
	struct audit *audit, const struct audit_options *options, struct err *err) MUST_CHECK;

/* Registers this process as a writer and ends the calls of dead ones. */
int audit_recover(struct audit *audit, struct err *err) MUST_CHECK;

/*
 * One bounded step of retention, where it is due: signs off rows and removes them. `*ret_more` says
 * that another step is due at once.
 */
int audit_retain(struct audit *audit, uint64_t now_us, bool *ret_more, struct err *err) MUST_CHECK;

#endif

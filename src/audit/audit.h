/*
 * audit: the append-only log of every call, in SQLite (WAL), for humans.
 *
 *	rc = audit_open(&options, &audit, &err);
 *	rc = audit_accept(audit, &call, &ticket, &err);		queued
 *	rc = audit_flush(audit, &err);				one commit for all that is queued
 *	… start the job …
 *	rc = audit_complete(audit, &call, &end, &ticket, &err);
 *	rc = audit_flush(audit, &err);
 *	… send the reply …
 *
 * A job has two rows, `accepted` before it starts and `completed` before its reply leaves;
 * `calculate` and refusals have one (audit_single). Rows are chained: each holds the BLAKE2b-256 of
 * the row before it and of its own fields (audit_chain.h), so that a changed, missing or reordered
 * row shows. A cut tail shows only against a head that was kept elsewhere: audit_tick hands one out
 * at intervals for the log.
 *
 * Everything from outside is redacted here, before it is queued: code, stdin, output, error, names
 * of inputs, the tool's name and a session's id. The SHA-256 of the original code stays.
 *
 * Grouping: rows are queued in memory and written by audit_flush in one transaction. Queue what one
 * turn of the event loop brings, flush once, then act on it. Tickets count up; those up to
 * audit_durable() are written. The queue is bounded (AUDIT_QUEUE_ROWS, AUDIT_QUEUE_BYTES).
 *
 * Crash: SIGKILL at any moment leaves a chain that verifies, with or without the last group. Calls
 * accepted and never completed get a row `interrupted` when the log is opened next, unless the
 * process that accepted them still lives: several processes may write to one log at a time.
 *
 * Errors: -EIO, -ENOSPC, -EACCES, -EBUSY and so on from the database, with a text that names the
 * file and the fix. Threads: one. One open audit for each log in a process (its lock is fcntl's).
 * A forked child must not use it. sodium_init() is called by audit_open.
 */
#ifndef BRIG_AUDIT_AUDIT_H
#define BRIG_AUDIT_AUDIT_H

#include "base/err.h"
#include "base/span.h"
#include "wire/limits.h"
#include "wire/outcome.h"
#include "wire/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AUDIT_QUEUE_ROWS 4096u
#define AUDIT_QUEUE_BYTES (64 * MIB)
#define AUDIT_HASH_BYTES 32u
#define AUDIT_HASH_HEX_BYTES (2 * AUDIT_HASH_BYTES + 1)

/* What is kept of one call at most; the rest is cut after redaction. */
#define AUDIT_CODE_BYTES LIMIT_CODE_BYTES
#define AUDIT_REFUSED_CODE_BYTES (4 * KIB) /* of one that never came to run: it costs nothing */
#define AUDIT_STDIN_BYTES (4 * KIB)
#define AUDIT_OUTPUT_BYTES (4 * KIB)
#define AUDIT_ERROR_BYTES (4 * KIB)

/* Hand over up to this much of stdin and output, so that no secret is cut before it is seen. */
#define AUDIT_LOOK_BYTES (16 * KIB)

enum audit_durability {
	AUDIT_PROCESS, /* survives SIGKILL of every brig process */
	AUDIT_POWER,   /* survives a loss of power: every flush waits for the disk */
};

struct audit;

struct audit_options {
	const char *path;
	enum audit_durability durability;
	uint64_t retention_ms;	  /* rows older than this go; 0 keeps them */
	uint64_t retention_bytes; /* the oldest rows go beyond this size; 0 keeps them */
	uint64_t head_ms;	  /* how often audit_tick hands out a head; 0 never */
	bool brief; /* of a process with one call: what tidies the files at its end, and waits for
		     * the disk, is left to a later one */
	const struct span *values; /* exact values to redact, see redact.h; borrowed for the call */
	size_t value_count;
};

/* An input as it is logged. */
struct audit_input {
	const char *name;
	uint64_t bytes;
	const unsigned char *sha256; /* 32 bytes */
};

/* Who called what. All borrowed for the length of the call; NULL strings count as empty. */
struct audit_call {
	const char *id;	   /* unique: the job's id, or for audit_single NULL: one is made up */
	const char *role;  /* "" where the caller has none (401) */
	const char *token; /* its name, never the token; "" without one */
	const char *door;  /* "rest", "mcp", "cli", "e2b" */
	const char *tool;  /* as named by the caller: cut and redacted */
	struct span code;  /* the code, or the expression of calculate; whole */
	struct span stdin_head;
	const struct audit_input *inputs;
	size_t input_count;
	const struct job_limits *limits; /* as applied; NULL where none apply */
	const char *session;		 /* the id of the session it was in; NULL without one */
};

/* How it ended. `output` is the head of stdout, then of stderr, as the caller likes. */
struct audit_end {
	const char *outcome; /* outcome_name(), or for calculate "ok", "error", "rejected" */
	const struct job_usage *usage; /* NULL where nothing ran */
	struct span output;
	struct span error; /* type and message, or the refusal's reason */
};

/*
 * Opens or makes the log (mode 0600; its folder must exist), and writes `interrupted` for calls
 * that a dead process left open. -EBADMSG where the file is no log of brig's.
 */
int audit_open(
	const struct audit_options *options, struct audit **ret_audit, struct err *err) MUST_CHECK;

/* Flushes, ignoring failure, and closes. NULL-safe. */
void audit_close(struct audit *audit);

/*
 * Queue a row. `ret_ticket` may be NULL. -ENOBUFS where the queue is full: flush, then try again;
 * -EINVAL where an id is missing or longer than 64 bytes; -ENOMEM. audit_complete wants the same
 * id, role, token, door and tool as the call was accepted with; in the rest of `call` it only looks
 * for secrets, which then go from the output too.
 */
int audit_accept(struct audit *audit, const struct audit_call *call, uint64_t *ret_ticket,
	struct err *err) MUST_CHECK;
int audit_complete(struct audit *audit, const struct audit_call *call, const struct audit_end *end,
	uint64_t *ret_ticket, struct err *err) MUST_CHECK;
int audit_single(struct audit *audit, const struct audit_call *call, const struct audit_end *end,
	uint64_t *ret_ticket, struct err *err) MUST_CHECK;

/*
 * Writes all that is queued in one commit. On failure nothing of it is written and all of it stays
 * queued, so that a later flush can still succeed: do not start those jobs nor send those replies.
 * audit_abandon drops what is queued instead.
 */
int audit_flush(struct audit *audit, struct err *err) MUST_CHECK;
void audit_abandon(struct audit *audit);

/* All tickets up to this one are in the log; how many rows are queued behind it. */
uint64_t audit_durable(const struct audit *audit);
size_t audit_queued(const struct audit *audit);

/* Whether the queue takes another row, and has places for so many. */
bool audit_has_room(const struct audit *audit, size_t rows);

struct audit_head {
	uint64_t seq; /* 0 with an empty log */
	char hash[AUDIT_HASH_HEX_BYTES];
};

/* The last row that this process has written or seen. */
struct audit_head audit_head(const struct audit *audit);

/*
 * Work for about once a second, when there is little else to do: flushes, applies the retention in
 * bounded steps, keeps the WAL short. `*ret_head_due` says that `head` should go to the log now.
 */
int audit_tick(struct audit *audit, struct audit_head *ret_head, bool *ret_head_due,
	struct err *err) MUST_CHECK;

/* 0, or -ESTALE where the log's files are no longer those that are open. Then nothing is written:
 * audit_flush and audit_tick fail with the same until they are back or audit_reload has begun anew.
 * Cheap: a few stat(2). */
int audit_present(const struct audit *audit, struct err *err) MUST_CHECK;

/* Whether a row could be written now: writes to the log's files, and leaves no trace in it. For
 * after a failed flush, as nobody may come any more to try. 0, or what a flush would say. */
int audit_probe(struct audit *audit, struct err *err) MUST_CHECK;

/*
 * Replaces what may change under a running dispatcher (SIGHUP): retention, head_ms, values. Path
 * and durability stay. A log that was removed or replaced is left, and a new one begun at its place
 * or continued there: `*ret_anew`. On failure everything stays.
 */
int audit_reload(struct audit *audit, const struct audit_options *options, bool *ret_anew,
	struct err *err) MUST_CHECK;

#endif

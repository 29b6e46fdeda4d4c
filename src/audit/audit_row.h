/*
 * audit_row: one row of the log, and the hash that chains it to the one before.
 *
 * The hash is BLAKE2b-256 (unkeyed) over, in this order:
 *
 *	"brig-audit-1" and a NUL
 *	the 32 bytes of the row before (zeros for row 1)
 *	seq, time_us, writer, code_bytes: 8 bytes each, little-endian
 *	each text of enum audit_text, in its order: its length in 8 bytes, little-endian, its bytes
 *
 * so that no two different rows have one encoding. Anybody can check it with `brig audit export`.
 */
#ifndef BRIG_AUDIT_AUDIT_ROW_H
#define BRIG_AUDIT_AUDIT_ROW_H

#include "audit/audit.h"
#include "audit/redact.h"
#include "base/buf.h"

/* The columns that hold text, as they are named in the database; all NOT NULL, "" for none. */
enum audit_text {
	AUDIT_TEXT_KIND, /* accepted, completed, single, interrupted, checkpoint */
	AUDIT_TEXT_CALL,
	AUDIT_TEXT_ROLE,
	AUDIT_TEXT_TOKEN,
	AUDIT_TEXT_DOOR,
	AUDIT_TEXT_TOOL,
	AUDIT_TEXT_CODE,
	AUDIT_TEXT_CODE_SHA256, /* of the original, in hexadecimal */
	AUDIT_TEXT_STDIN,
	AUDIT_TEXT_INPUTS, /* JSON: [{name, bytes, sha256}] */
	AUDIT_TEXT_LIMITS, /* JSON: {wall_ms, cpu_ms, memory_bytes, output_bytes} */
	AUDIT_TEXT_OUTCOME,
	AUDIT_TEXT_USAGE, /* JSON: {wall_ms, cpu_ms, memory_peak_bytes, processes_peak} */
	AUDIT_TEXT_OUTPUT,
	AUDIT_TEXT_ERROR,
	AUDIT_TEXT_NOTE, /* JSON; of a checkpoint {through, hash, rows, why}, of a call in a session
			    {session} */
	AUDIT_TEXTS,
};

extern const char *const audit_text_names[AUDIT_TEXTS];

#define AUDIT_KIND_ACCEPTED "accepted"
#define AUDIT_KIND_COMPLETED "completed"
#define AUDIT_KIND_SINGLE "single"
#define AUDIT_KIND_INTERRUPTED "interrupted"
#define AUDIT_KIND_CHECKPOINT "checkpoint"

#define AUDIT_CALL_ID_BYTES 64u

struct audit_row {
	uint64_t seq;
	uint64_t time_us; /* since 1970, of the wall clock */
	uint64_t writer;
	uint64_t code_bytes; /* of the original */
	struct span texts[AUDIT_TEXTS];
	unsigned char prev[AUDIT_HASH_BYTES];
	unsigned char hash[AUDIT_HASH_BYTES];
};

/* The hash that belongs to the row's fields and its `prev`. */
void audit_row_hash(const struct audit_row *row, unsigned char ret_hash[AUDIT_HASH_BYTES]);

void audit_row_set(struct audit_row *row, enum audit_text which, const char *text);

/* Now, as time_us. */
uint64_t audit_now_us(void);

/*
 * Fills a row of `kind` from what the caller said, redacted, cut and made valid UTF-8 without NUL.
 * `end` may be NULL. All texts point into `storage`, an initialised buffer of the row's own.
 * -EINVAL for a missing or too long id, -ENOMEM.
 */
int audit_row_make(struct audit_row *row, const char *kind, const struct audit_call *call,
	const struct audit_end *end, struct redact *redact, struct buf *storage) MUST_CHECK;

#endif

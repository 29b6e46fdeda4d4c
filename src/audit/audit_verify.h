/*
 * audit_verify: whether a log is as it was written.
 *
 * Finds a row that was changed, one that is missing, rows that were reordered, and rows missing at
 * the front that no checkpoint signed off. A cut tail shows only against a head that was kept
 * elsewhere. Reads one consistent state; a running brig is not disturbed.
 */
#ifndef BRIG_AUDIT_AUDIT_VERIFY_H
#define BRIG_AUDIT_AUDIT_VERIFY_H

#include "audit/audit.h"

struct audit_verdict {
	uint64_t rows, first_seq, last_seq;
	uint64_t removed;		 /* rows that retention removed and signed off */
	uint64_t open_calls;		 /* accepted, without an end yet */
	char head[AUDIT_HASH_HEX_BYTES]; /* of the last row */
	uint64_t kept_seq;		 /* the row of the head that was asked for, 0 without one */
};

/*
 * `kept_head` is a row's hash in 64 hexadecimal digits, or NULL. 0 where the log verifies; -EBADMSG
 * where it does not, with a text that names the row; -EINVAL for a malformed head; else what
 * opening or reading gives. `ret_verdict` is filled as far as the log was read.
 */
int audit_verify(const char *path, const char *kept_head, struct audit_verdict *ret_verdict,
	struct err *err) MUST_CHECK;

#endif

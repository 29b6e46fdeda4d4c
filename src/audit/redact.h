/*
 * redact: takes secrets out of a stream of bytes before anything is written.
 *
 *	struct redact *redact;
 *	int rc = redact_new(values, count, &redact);
 *	rc = redact_push(redact, chunk, bytes, &out);	any number of times, split anywhere
 *	rc = redact_finish(redact, &out);		what was held back; ready for the next
 *stream
 *
 * What goes: the token shapes of redact_shapes.c (a prefix, a charset, a length), private keys in
 * PEM, JWTs, passwords in URLs, behind `Basic` and curl's -u, the values of secret-looking names
 * (KEY=value, "password": "…", api_key='…', password: …), and exact values that the operator names.
 * Each becomes "[redacted:WHAT]". Hashes, UUIDs, base64 and base32 data and identifiers stay.
 *
 * The result does not depend on where the chunks are cut: a tail that may still become a secret is
 * held back, at most REDACT_HOLD_BYTES. Time is linear in the bytes, memory constant.
 *
 * Threads: none shared. The output may be longer than the input; it ends at the buffer's cap.
 */
#ifndef BRIG_AUDIT_REDACT_H
#define BRIG_AUDIT_REDACT_H

#include "base/buf.h"
#include "base/span.h"

#define REDACT_HOLD_BYTES 8192u
#define REDACT_VALUES_MAX 256u
#define REDACT_VALUE_BYTES_MIN 6u
#define REDACT_VALUE_BYTES_MAX 4096u

struct redact;

/*
 * `values` (copied) are the operator's exact values, each of REDACT_VALUE_BYTES_MIN to
 * REDACT_VALUE_BYTES_MAX bytes. 0, -EINVAL for one of another length or for too many, -ENOMEM.
 */
int redact_new(const struct span *values, size_t count, struct redact **ret_redact) MUST_CHECK;
void redact_free(struct redact *redact);

/* Appends what is certain. 0, -ENOSPC (the buffer's cap), -ENOMEM; then finish or reset. */
int redact_push(struct redact *redact, const void *data, size_t bytes, struct buf *out) MUST_CHECK;

/* Ends the stream: appends the rest and begins anew. */
int redact_finish(struct redact *redact, struct buf *out) MUST_CHECK;

/* Forgets the stream. */
void redact_reset(struct redact *redact);

/* A whole text at once: push and finish, and reset on failure. */
int redact_text(struct redact *redact, struct span text, struct buf *out) MUST_CHECK;

/*
 * A call's texts belong together: what is a secret by its name or shape in one of them goes from
 * all. First hand over each text to redact_learn, then take the secrets out of each, then forget.
 * Values of REDACT_LEARN_BYTES_MIN and more are learned, at most 64 of them and 32 KiB; of a longer
 * one than REDACT_VALUE_BYTES_MAX the beginning. 0, -ENOMEM.
 */
#define REDACT_LEARN_BYTES_MIN 8u
int redact_learn(struct redact *redact, struct span text) MUST_CHECK;
void redact_unlearn(struct redact *redact);

#endif

/*
 * frame: the one shape of message between dispatcher, service and cell. No I/O here.
 *
 * A frame is a header of 8 bytes and then fields; all numbers are little-endian:
 *
 *	u32 bytes	length of the fields that follow
 *	u16 type	which message (each protocol numbers its own)
 *	u16 fds		how many descriptors travel with it (0 over a pipe)
 *
 *	field: u16 tag, u16 zero, u32 bytes, then the bytes
 *
 * A reader skips tags that it does not know; a length that runs over its frame is -EBADMSG.
 *
 * Writing:
 *	size_t mark; int rc = wire_begin(&buf, TYPE, &mark);
 *	rc = rc ?: wire_add_u64(&buf, TAG, value);
 *	rc = rc ?: wire_end(&buf, mark, fd_count);
 */
#ifndef BRIG_WIRE_FRAME_H
#define BRIG_WIRE_FRAME_H

#include "base/buf.h"
#include "base/span.h"

#include <stdint.h>

#define WIRE_HEADER_BYTES 8u
#define WIRE_FIELD_BYTES 8u

struct wire_frame {
	uint16_t type;
	uint16_t fds;
	struct span fields;
	size_t bytes; /* header and fields together: what to drop from the stream */
};

struct wire_field {
	uint16_t tag;
	struct span value;
};

int wire_begin(struct buf *buf, uint16_t type, size_t *ret_mark) MUST_CHECK;
int wire_end(struct buf *buf, size_t mark, size_t fd_count) MUST_CHECK;

int wire_add(struct buf *buf, uint16_t tag, const void *data, size_t bytes) MUST_CHECK;
int wire_add_u64(struct buf *buf, uint16_t tag, uint64_t value) MUST_CHECK;
int wire_add_text(struct buf *buf, uint16_t tag, const char *text) MUST_CHECK;

/*
 * Looks at the start of a stream. Returns 1 and a frame whose spans point into `data`, 0 where
 * more bytes are needed, -EMSGSIZE where the fields are said to be more than `max_bytes`.
 */
int wire_peek(
	const void *data, size_t bytes, size_t max_bytes, struct wire_frame *ret_frame) MUST_CHECK;

/* Takes the next field off `*rest`. 1 and the field, 0 at the end, -EBADMSG. */
int wire_next(struct span *rest, struct wire_field *ret_field) MUST_CHECK;

/* The value of an integer field of 8 bytes. 0 or -EBADMSG (wrong length, or above `max`). */
int wire_u64(const struct wire_field *field, uint64_t max, uint64_t *ret_value) MUST_CHECK;
int wire_u32(const struct wire_field *field, uint64_t max, uint32_t *ret_value) MUST_CHECK;
int wire_bool(const struct wire_field *field, bool *ret_value) MUST_CHECK;

/* Copies a text field into `out`, NUL-terminated. -EBADMSG where it has a NUL or does not fit. */
int wire_text(const struct wire_field *field, char *out, size_t room) MUST_CHECK;

/* The same of a text that is empty or of ASCII letters, digits and '-' only. */
int wire_word(const struct wire_field *field, char *out, size_t room) MUST_CHECK;

#endif

/*
 * buf: a growing byte buffer that gets its cap at birth.
 *
 *	struct buf b;
 *	buf_init(&b, 64 * 1024);
 *	int rc = buf_add(&b, data, bytes);	-ENOSPC beyond the cap, -ENOMEM; then unchanged
 *	buf_done(&b);
 *
 * The bytes are b.data[0 .. b.len). buf_done is NULL-safe on an initialised or zeroed struct.
 */
#ifndef BRIG_BASE_BUF_H
#define BRIG_BASE_BUF_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct buf {
	unsigned char *data;
	size_t len;
	size_t room;
	size_t cap_bytes;
};

void buf_init(struct buf *buf, size_t cap_bytes);
void buf_done(struct buf *buf);
#define cleanup_buf __attribute__((cleanup(buf_done)))

int buf_add(struct buf *buf, const void *data, size_t bytes) MUST_CHECK;
int buf_add_text(struct buf *buf, const char *text) MUST_CHECK;
int buf_printf(struct buf *buf, const char *format, ...) MUST_CHECK
	__attribute__((format(printf, 2, 3)));

/* Makes room for `bytes` more and returns where they go, or NULL. Follow with buf.len += n. */
unsigned char *buf_reserve(struct buf *buf, size_t bytes) MUST_CHECK;

/* Drops the first `bytes`. */
void buf_drop(struct buf *buf, size_t bytes);

#endif

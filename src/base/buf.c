/* buf: a capped byte buffer. */
#include "base/buf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_init(struct buf *buf, size_t cap_bytes)
{
	*buf = (struct buf){.cap_bytes = cap_bytes};
}

void buf_done(struct buf *buf)
{
	if (!buf)
		return;
	free(buf->data);
	*buf = (struct buf){.cap_bytes = buf->cap_bytes};
}

static int grow(struct buf *buf, size_t bytes)
{
	if (bytes > buf->cap_bytes - buf->len)
		return -ENOSPC;
	if (bytes <= buf->room - buf->len)
		return 0;
	size_t room = buf->room ? buf->room : 256;
	while (room - buf->len < bytes)
		room = room > buf->cap_bytes / 2 ? buf->cap_bytes : room * 2;
	unsigned char *data = realloc(buf->data, room);
	if (!data)
		return -ENOMEM;
	buf->data = data;
	buf->room = room;
	return 0;
}

int buf_add(struct buf *buf, const void *data, size_t bytes)
{
	int rc = grow(buf, bytes);
	if (rc < 0)
		return rc;
	if (bytes)
		memcpy(buf->data + buf->len, data, bytes);
	buf->len += bytes;
	return 0;
}

int buf_add_text(struct buf *buf, const char *text)
{
	return buf_add(buf, text, strlen(text));
}

int buf_printf(struct buf *buf, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int wanted = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (wanted < 0)
		return -EINVAL;
	/* vsnprintf writes a NUL that does not count, but needs its place. */
	int rc = grow(buf, (size_t)wanted + 1);
	if (rc < 0)
		return rc;
	va_start(args, format);
	(void)vsnprintf((char *)buf->data + buf->len, (size_t)wanted + 1, format, args);
	va_end(args);
	buf->len += (size_t)wanted;
	return 0;
}

unsigned char *buf_reserve(struct buf *buf, size_t bytes)
{
	return grow(buf, bytes) < 0 ? NULL : buf->data + buf->len;
}

void buf_drop(struct buf *buf, size_t bytes)
{
	if (bytes > buf->len)
		bytes = buf->len;
	if (buf->len - bytes)
		memmove(buf->data, buf->data + bytes, buf->len - bytes);
	buf->len -= bytes;
}

/* percent: both ways. */
#include "http/percent.h"

#include <errno.h>
#include <string.h>

static int hex(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int percent_encode(struct span text, struct buf *out)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
	int rc = 0;
	for (size_t i = 0; !rc && i < text.len; i++) {
		unsigned char c = text.data[i];
		rc = c && strchr(plain, c) ? buf_add(out, &c, 1) : buf_printf(out, "%%%02X", c);
	}
	return rc;
}

int percent_decode(struct span text, struct buf *out)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = text.data[i];
		if (c == '%') {
			bool whole = i + 2 < text.len;
			int high = whole ? hex(text.data[i + 1]) : -1;
			int low = whole ? hex(text.data[i + 2]) : -1;
			if (high < 0 || low < 0)
				return -EINVAL;
			c = (unsigned char)(high << 4 | low);
			i += 2;
		}
		if (!c || buf_add(out, &c, 1) < 0)
			return -EINVAL;
	}
	return 0;
}

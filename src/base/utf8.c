/* utf8: judging and mending text. */
#include "base/utf8.h"

#include <stdio.h>

static bool is_tail(unsigned char byte)
{
	return (byte & 0xc0u) == 0x80u;
}

size_t utf8_length(const unsigned char *data, size_t bytes)
{
	if (!bytes)
		return 0;
	unsigned char first = data[0];
	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first <= 0xdf)
		return bytes >= 2 && is_tail(data[1]) ? 2 : 0;
	if (first >= 0xe0 && first <= 0xef) {
		if (bytes < 3 || !is_tail(data[1]) || !is_tail(data[2]))
			return 0;
		/* E0 needs A0..BF (overlong otherwise), ED needs 80..9F (a surrogate otherwise). */
		if ((first == 0xe0 && data[1] < 0xa0) || (first == 0xed && data[1] > 0x9f))
			return 0;
		return 3;
	}
	if (first >= 0xf0 && first <= 0xf4) {
		if (bytes < 4 || !is_tail(data[1]) || !is_tail(data[2]) || !is_tail(data[3]))
			return 0;
		if ((first == 0xf0 && data[1] < 0x90) || (first == 0xf4 && data[1] > 0x8f))
			return 0;
		return 4;
	}
	return 0;
}

unsigned utf8_decode(const unsigned char *data, size_t length)
{
	static const unsigned char first_mask[5] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	unsigned point = data[0] & first_mask[length];
	for (size_t i = 1; i < length; i++)
		point = point << 6 | (data[i] & 0x3fu);
	return point;
}

bool utf8_valid(const void *data, size_t bytes, size_t *bad_offset)
{
	const unsigned char *at = data;
	for (size_t i = 0; i < bytes;) {
		size_t length = utf8_length(at + i, bytes - i);
		if (!length) {
			if (bad_offset)
				*bad_offset = i;
			return false;
		}
		i += length;
	}
	return true;
}

size_t utf8_cut_head(const unsigned char *data, size_t bytes)
{
	/* Only the last three bytes can belong to a character that the cut splits. */
	for (size_t back = 1; back <= 3 && back <= bytes; back++) {
		unsigned char byte = data[bytes - back];
		if (is_tail(byte))
			continue;
		size_t wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
		return wanted > back ? bytes - back : bytes;
	}
	return bytes;
}

size_t utf8_cut_tail(const unsigned char *data, size_t bytes)
{
	size_t skip = 0;
	while (skip < 3 && skip < bytes && is_tail(data[skip]))
		skip++;
	return skip;
}

int utf8_escape(struct buf *out, const void *data, size_t bytes)
{
	const unsigned char *at = data;
	size_t start = 0;
	for (size_t i = 0; i < bytes;) {
		size_t length = utf8_length(at + i, bytes - i);
		if (length) {
			i += length;
			continue;
		}
		char escaped[5];
		(void)snprintf(escaped, sizeof(escaped), "\\x%02x", at[i]);
		int rc = buf_add(out, at + start, i - start);
		if (!rc)
			rc = buf_add(out, escaped, 4);
		if (rc < 0)
			return rc;
		start = ++i;
	}
	return buf_add(out, at + start, bytes - start);
}

/* source: the characters around an expression, and those that are not to be shown. */
#include "calc/source.h"

#include "base/utf8.h"

/* What str.strip() strips. */
static bool is_blank(unsigned point)
{
	return (point >= 0x09 && point <= 0x0d) || (point >= 0x1c && point <= 0x20) ||
	       point == 0x85 || point == 0xa0 || point == 0x1680 ||
	       (point >= 0x2000 && point <= 0x200a) || point == 0x2028 || point == 0x2029 ||
	       point == 0x202f || point == 0x205f || point == 0x3000;
}

void source_strip(const char **source, size_t *bytes)
{
	const unsigned char *at = (const unsigned char *)*source;
	const unsigned char *end = at + *bytes;
	size_t length;
	if (*bytes && *at > ' ' && *at < 0x80 && end[-1] > ' ' && end[-1] < 0x80)
		return;
	while ((length = utf8_length(at, (size_t)(end - at))) && is_blank(utf8_decode(at, length)))
		at += length;
	while (end > at) {
		const unsigned char *last = end - 1;
		while (last > at && (*last & 0xc0) == 0x80)
			last--;
		length = utf8_length(last, (size_t)(end - last));
		if (length != (size_t)(end - last) || !is_blank(utf8_decode(last, length)))
			break;
		end = last;
	}
	*source = (const char *)at;
	*bytes = (size_t)(end - at);
}

bool is_shown(unsigned point)
{
	if (point < 0x20 || (point >= 0x7f && point < 0xa1) || point == 0xad)
		return false;
	/* Marks that join the character before them; what steers the direction of text. */
	if ((point >= 0x300 && point <= 0x36f) || (point >= 0x200b && point <= 0x200f) ||
		(point >= 0x2028 && point <= 0x202e) || (point >= 0x2060 && point <= 0x206f))
		return false;
	/* Private use, variation selectors, the byte order mark, tags. */
	return !(point >= 0xe000 && point <= 0xf8ff) && !(point >= 0xfe00 && point <= 0xfe0f) &&
	       point != 0xfeff && !(point >= 0xfff0 && point <= 0xffff) && point < 0xe0000;
}

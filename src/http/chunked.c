/* chunked: sizes, pieces, trailers. */
#include "http/chunked.h"

#include <errno.h>
#include <stddef.h>

#define LINE_BYTES_MAX 1024u
#define TRAILER_BYTES_MAX 8192u

static int hex_digit(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* What another server could take for a line's end, or for something else altogether. */
static bool has_control(struct span line)
{
	for (size_t i = 0; i < line.len; i++)
		if ((line.data[i] < 0x20 && line.data[i] != '\t') || line.data[i] == 0x7f)
			return true;
	return false;
}

/* The size on a line, before an extension. */
static int parse_size(struct span line, uint64_t *ret_size)
{
	uint64_t size = 0;
	size_t digits = 0;
	for (; digits < line.len && hex_digit(line.data[digits]) >= 0; digits++) {
		if (digits == 12)
			return -EBADMSG;
		size = size << 4 | (uint64_t)hex_digit(line.data[digits]);
	}
	struct span rest = span_of(line.data + digits, line.len - digits);
	while (rest.len && (*rest.data == ' ' || *rest.data == '\t'))
		rest = span_of(rest.data + 1, rest.len - 1);
	if (!digits || (rest.len && *rest.data != ';') || has_control(rest))
		return -EBADMSG;
	*ret_size = size;
	return 0;
}

/* A whole line, or 0 where its end has not come, or -EBADMSG where it will not be short enough. */
static int take_line(struct span data, struct span *ret_line, size_t *ret_used)
{
	const unsigned char *end = data.len ? memmem(data.data, data.len, "\r\n", 2) : NULL;
	size_t length = end ? (size_t)(end - data.data) : data.len;
	if (length > LINE_BYTES_MAX)
		return -EBADMSG;
	if (!end)
		return 0;
	*ret_line = span_of(data.data, length);
	*ret_used = length + 2;
	return 1;
}

static int next_size(struct chunked *chunked, struct span data, size_t *ret_used)
{
	struct span line;
	int rc = take_line(data, &line, ret_used);
	if (rc <= 0)
		return rc;
	if (parse_size(line, &chunked->left) < 0)
		return -EBADMSG;
	chunked->state = chunked->left ? CHUNKED_DATA : CHUNKED_TRAILER;
	return 1;
}

static int next_trailer(struct chunked *chunked, struct span data, size_t *ret_used)
{
	struct span line;
	int rc = take_line(data, &line, ret_used);
	if (rc <= 0)
		return rc;
	chunked->trailer += *ret_used;
	if (chunked->trailer > TRAILER_BYTES_MAX || has_control(line))
		return -EBADMSG;
	if (!line.len)
		chunked->state = CHUNKED_OVER;
	return 1;
}

int chunked_next(
	struct chunked *chunked, struct span data, size_t *ret_used, struct span *ret_piece)
{
	*ret_used = 0;
	*ret_piece = span_of("", 0);
	switch (chunked->state) {
	case CHUNKED_SIZE:
		return next_size(chunked, data, ret_used);
	case CHUNKED_DATA:
		*ret_used = data.len < chunked->left ? data.len : (size_t)chunked->left;
		*ret_piece = span_of(data.data, *ret_used);
		chunked->left -= *ret_used;
		if (!chunked->left)
			chunked->state = CHUNKED_DATA_END;
		return *ret_used > 0;
	case CHUNKED_DATA_END:
		if (data.len < 2)
			return 0;
		if (memcmp(data.data, "\r\n", 2) != 0)
			return -EBADMSG;
		*ret_used = 2;
		chunked->state = CHUNKED_SIZE;
		return 1;
	case CHUNKED_TRAILER:
		return next_trailer(chunked, data, ret_used);
	case CHUNKED_OVER:
		break;
	}
	return 0;
}

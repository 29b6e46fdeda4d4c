/* multipart: look for the mark, hand on what is surely before it. */
#include "http/multipart.h"

#include "http/parse.h"
#include "http/percent.h"

#include <errno.h>

#define PIECE_BYTES_MAX (256u * 1024u)

/* The value of `key` in "form-data; key=value; key=\"quoted\"". */
static struct span parameter(struct span text, const char *key)
{
	size_t key_bytes = strlen(key);
	while (text.len) {
		const unsigned char *semi = memchr(text.data, ';', text.len);
		if (!semi)
			break;
		text = span_of(semi + 1, text.len - (size_t)(semi - text.data) - 1);
		while (text.len && (*text.data == ' ' || *text.data == '\t'))
			text = span_of(text.data + 1, text.len - 1);
		if (text.len <= key_bytes || text.data[key_bytes] != '=' ||
			!http_same(span_of(text.data, key_bytes), key))
			continue;
		struct span value = span_of(text.data + key_bytes + 1, text.len - key_bytes - 1);
		bool quoted = value.len && *value.data == '"';
		if (quoted)
			value = span_of(value.data + 1, value.len - 1);
		const unsigned char *end =
			value.len ? memchr(value.data, quoted ? '"' : ';', value.len) : NULL;
		if (quoted && !end)
			break;
		size_t length = end ? (size_t)(end - value.data) : value.len;
		return quoted ? span_of(value.data, length)
			      : http_trim(span_of(value.data, length));
	}
	return span_of(NULL, 0);
}

int multipart_init(
	struct multipart *multipart, struct span type, const struct multipart_events *events)
{
	struct span boundary = parameter(type, "boundary");
	*multipart = (struct multipart){.events = *events};
	if (!boundary.len || boundary.len > MULTIPART_BOUNDARY_MAX)
		return -EINVAL;
	memcpy(multipart->mark, "\r\n--", 4);
	memcpy(multipart->mark + 4, boundary.data, boundary.len);
	multipart->mark_bytes = boundary.len + 4;
	buf_init(&multipart->held, PIECE_BYTES_MAX + MULTIPART_HEAD_MAX);
	/* The first boundary has no line before it: then this stands for its end. */
	return buf_add(&multipart->held, "\r\n", 2);
}

void multipart_done(struct multipart *multipart)
{
	buf_done(&multipart->held);
}

bool multipart_over(const struct multipart *multipart)
{
	return multipart->state == MULTIPART_OVER;
}

/* filename*=UTF-8''percent-encoded (RFC 5987) says what a quoted filename cannot: it goes first. */
static int begin_named(struct multipart *multipart, struct span value, struct span name)
{
	static const char charset[] = "utf-8''";
	size_t length = sizeof(charset) - 1;
	cleanup_buf struct buf decoded = {0};
	struct span coded = parameter(value, "filename*");
	if (!coded.data)
		return multipart->events.begin(
			multipart->events.user, name, parameter(value, "filename"));
	buf_init(&decoded, MULTIPART_HEAD_MAX);
	if (coded.len < length || !http_same(span_of(coded.data, length), charset) ||
		percent_decode(span_of(coded.data + length, coded.len - length), &decoded) < 0)
		return -EBADMSG;
	return multipart->events.begin(multipart->events.user, name,
		span_of(decoded.len ? decoded.data : coded.data, decoded.len));
}

static int begin_part(struct multipart *multipart, struct span head)
{
	while (head.len) {
		const unsigned char *end = memmem(head.data, head.len, "\r\n", 2);
		size_t length = end ? (size_t)(end - head.data) : head.len;
		const unsigned char *colon = memchr(head.data, ':', length);
		if (colon && http_same(span_of(head.data, (size_t)(colon - head.data)),
				     "content-disposition")) {
			struct span value =
				span_of(colon + 1, length - (size_t)(colon - head.data) - 1);
			struct span name = parameter(value, "name");
			if (!name.data)
				return -EBADMSG;
			return begin_named(multipart, value, name);
		}
		size_t used = end ? length + 2 : length;
		head = span_of(head.data + used, head.len - used);
	}
	return -EBADMSG;
}

/* 1 where it got further, 0 where more has to come, -errno. `*ret_used` bytes are done with. */
static int step_head(struct multipart *multipart, struct span held, size_t *ret_used)
{
	if (held.len >= 2 && memcmp(held.data, "--", 2) == 0) {
		multipart->state = MULTIPART_OVER;
		*ret_used = held.len;
		return 1;
	}
	const unsigned char *end = held.len ? memmem(held.data, held.len, "\r\n\r\n", 4) : NULL;
	if (!end)
		return held.len > MULTIPART_HEAD_MAX ? -EBADMSG : 0;
	size_t length = (size_t)(end - held.data);
	int rc = begin_part(multipart, span_of(held.data, length));
	multipart->state = MULTIPART_DATA;
	*ret_used = length + 4;
	return rc ? rc : 1;
}

static int step_data(struct multipart *multipart, struct span held, size_t *ret_used)
{
	bool in_part = multipart->state == MULTIPART_DATA;
	const unsigned char *mark =
		held.len ? memmem(held.data, held.len, multipart->mark, multipart->mark_bytes)
			 : NULL;
	size_t sure = mark				  ? (size_t)(mark - held.data)
		      : held.len >= multipart->mark_bytes ? held.len - multipart->mark_bytes + 1
							  : 0;
	int rc = sure && in_part
			 ? multipart->events.data(multipart->events.user, span_of(held.data, sure))
			 : 0;
	*ret_used = sure;
	if (rc || !mark)
		return rc;
	*ret_used += multipart->mark_bytes;
	multipart->state = MULTIPART_HEAD;
	if (in_part)
		rc = multipart->events.end(multipart->events.user);
	return rc ? rc : 1;
}

static int digest(struct multipart *multipart)
{
	int rc = 1;
	while (rc > 0 && multipart->state != MULTIPART_OVER) {
		struct span held = span_of(multipart->held.data, multipart->held.len);
		size_t used = 0;
		rc = multipart->state == MULTIPART_HEAD ? step_head(multipart, held, &used)
							: step_data(multipart, held, &used);
		buf_drop(&multipart->held, used);
	}
	return rc < 0 ? rc : 0;
}

int multipart_feed(struct multipart *multipart, struct span piece)
{
	int rc = 0;
	/* What follows the closing boundary is an epilogue, and ignored. */
	while (!rc && piece.len && multipart->state != MULTIPART_OVER) {
		size_t part = piece.len < PIECE_BYTES_MAX / 2 ? piece.len : PIECE_BYTES_MAX / 2;
		rc = buf_add(&multipart->held, piece.data, part);
		if (!rc)
			rc = digest(multipart);
		piece = span_of(piece.data + part, piece.len - part);
	}
	return rc;
}

/* multipart: look for the mark, hand on what is surely before it. */
#include "http/multipart.h"

#include "http/parse.h"
#include "http/percent.h"

#include <errno.h>

#define PIECE_BYTES_MAX (256u * 1024u)

static struct span after(struct span text, size_t used)
{
	return span_of(text.data + used, text.len - used);
}

/* From the next ';' on; empty where there is none. */
static struct span at_semicolon(struct span text)
{
	const unsigned char *semi = text.len ? memchr(text.data, ';', text.len) : NULL;
	return after(text, semi ? (size_t)(semi - text.data) : text.len);
}

/* What stands in quotes at the start of `text`. A backslash quotes a quote or a backslash, and is
 * itself before anything else: browsers send the names of files so. */
static int take_quoted(struct span *text, struct buf *value)
{
	size_t i = 1;
	int rc = 0;
	for (; !rc && i < text->len && text->data[i] != '"'; i++) {
		if (text->data[i] == '\\' && i + 1 < text->len &&
			(text->data[i + 1] == '"' || text->data[i + 1] == '\\'))
			i++;
		rc = buf_add(value, text->data + i, 1);
	}
	if (rc || i >= text->len)
		return rc ? rc : -EBADMSG;
	*text = at_semicolon(after(*text, i + 1));
	return 0;
}

static int take_value(struct span *text, struct buf *value)
{
	value->len = 0;
	if (text->len && *text->data == '"')
		return take_quoted(text, value);
	struct span rest = at_semicolon(*text);
	struct span plain = http_trim(span_of(text->data, text->len - rest.len));
	*text = rest;
	return buf_add(value, plain.data, plain.len);
}

/* The value of `key` in "form-data; key=value; key=\"quoted\"": 1 where it is there, else 0. */
static int parameter(struct span text, const char *key, struct buf *value)
{
	for (text = at_semicolon(text); text.len;) {
		text = after(text, 1);
		while (text.len && (*text.data == ' ' || *text.data == '\t'))
			text = after(text, 1);
		size_t length = 0;
		while (length < text.len && text.data[length] != '=' && text.data[length] != ';')
			length++;
		struct span name = span_of(text.data, length);
		text = after(text, length);
		if (!text.len || *text.data == ';')
			continue;
		text = after(text, 1);
		int rc = take_value(&text, value);
		if (rc < 0 || http_same(name, key))
			return rc < 0 ? rc : 1;
	}
	return 0;
}

/* Also where it is empty, this has data. */
static struct span value_of(const struct buf *value)
{
	return value->len ? span_of(value->data, value->len) : span_of("", 0);
}

int multipart_init(
	struct multipart *multipart, struct span type, const struct multipart_events *events)
{
	cleanup_buf struct buf boundary = {0};
	buf_init(&boundary, MULTIPART_BOUNDARY_MAX);
	*multipart = (struct multipart){.events = *events};
	if (parameter(type, "boundary", &boundary) != 1 || !boundary.len)
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
	cleanup_buf struct buf coded = {0}, decoded = {0};
	buf_init(&coded, MULTIPART_HEAD_MAX);
	buf_init(&decoded, MULTIPART_HEAD_MAX);
	int rc = parameter(value, "filename*", &coded);
	if (rc == 0) {
		rc = parameter(value, "filename", &coded);
		return rc < 0 ? rc
			      : multipart->events.begin(multipart->events.user, name,
					rc ? value_of(&coded) : span_of(NULL, 0));
	}
	if (rc < 0 || coded.len < length || !http_same(span_of(coded.data, length), charset) ||
		percent_decode(span_of(coded.data + length, coded.len - length), &decoded) < 0)
		return -EBADMSG;
	return multipart->events.begin(multipart->events.user, name, value_of(&decoded));
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
			cleanup_buf struct buf name = {0};
			buf_init(&name, MULTIPART_HEAD_MAX);
			int rc = parameter(value, "name", &name);
			return rc == 1	? begin_named(multipart, value, value_of(&name))
			       : rc < 0 ? rc
					: -EBADMSG;
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

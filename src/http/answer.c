/* answer: a status line, the few fields that matter, a body by length or in chunks. */
#include "http/answer.h"

#include "http/parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define HELD_BYTES_MAX (1024u * 1024u)

void answer_init(struct answer *answer)
{
	*answer = (struct answer){.status = 0};
	buf_init(&answer->held, HELD_BYTES_MAX);
}

void answer_done(struct answer *answer)
{
	buf_done(&answer->held);
}

bool answer_over(const struct answer *answer)
{
	if (!answer->status)
		return false;
	return answer->is_chunked ? answer->chunked.state == CHUNKED_OVER : answer->left == 0;
}

int answer_feed(struct answer *answer, struct span bytes)
{
	buf_drop(&answer->held, answer->used);
	answer->used = 0;
	return buf_add(&answer->held, bytes.data, bytes.len);
}

static int take_field(struct answer *answer, struct span line)
{
	const unsigned char *colon = line.len ? memchr(line.data, ':', line.len) : NULL;
	char number[24];
	if (!colon)
		return -EBADMSG;
	size_t length = (size_t)(colon - line.data);
	struct span name = span_of(line.data, length);
	struct span value = http_trim(span_of(colon + 1, line.len - length - 1));
	if (http_same(name, "content-type"))
		(void)snprintf(answer->type, sizeof(answer->type), "%.*s", (int)value.len,
			value.len ? (const char *)value.data : "");
	else if (http_same(name, "transfer-encoding"))
		answer->is_chunked = http_same(value, "chunked");
	else if (http_same(name, "content-length")) {
		if (!value.len || value.len >= sizeof(number))
			return -EBADMSG;
		memcpy(number, value.data, value.len);
		number[value.len] = 0;
		answer->left = strtoull(number, NULL, 10);
	}
	return 0;
}

/* 1 with the status known, 0 where the head is not whole, -EBADMSG. */
static int take_head(struct answer *answer)
{
	struct span held = span_of(answer->held.data, answer->held.len);
	static const char version[] = "HTTP/1.1 ";
	size_t bytes = http_head_bytes(held), at = sizeof(version) - 1;
	if (!bytes)
		return held.len > ANSWER_HEAD_BYTES_MAX ? -EBADMSG : 0;
	if (bytes < at + 4 || memcmp(held.data, version, at) != 0)
		return -EBADMSG;
	int status = atoi((const char *)held.data + at);
	if (status < 100 || status > 599)
		return -EBADMSG;
	const unsigned char *end = memmem(held.data, bytes, "\r\n", 2);
	for (at = (size_t)(end - held.data) + 2; at + 2 < bytes;) {
		end = memmem(held.data + at, bytes - at, "\r\n", 2);
		size_t length = (size_t)(end - held.data) - at;
		if (take_field(answer, span_of(held.data + at, length)) < 0)
			return -EBADMSG;
		at += length + 2;
	}
	answer->used = bytes;
	answer->status = status;
	return 1;
}

int answer_next(struct answer *answer, struct span *ret_piece)
{
	*ret_piece = span_of(NULL, 0);
	if (!answer->status) {
		int rc = take_head(answer);
		if (rc <= 0)
			return rc;
	}
	struct span rest =
		span_of(answer->held.data + answer->used, answer->held.len - answer->used);
	size_t used = rest.len < answer->left ? rest.len : (size_t)answer->left;
	int rc = used > 0;
	if (answer->is_chunked)
		rc = chunked_next(&answer->chunked, rest, &used, ret_piece);
	else if (rc)
		*ret_piece = span_of(rest.data, used);
	answer->left -= answer->is_chunked ? 0 : used;
	answer->used += rc < 0 ? 0 : used;
	return rc;
}

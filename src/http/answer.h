/*
 * answer: one HTTP/1.1 answer as it comes, for brig's own clients of its own server. No I/O.
 *
 *	rc = answer_feed(&answer, bytes);
 *	while ((rc = answer_next(&answer, &piece)) > 0)
 *		...					answer.status is known from here on
 *	answer_over(&answer)				the body is whole
 *
 * Threads: none shared. Source: RFC 9112, 4 and 6.
 */
#ifndef BRIG_HTTP_ANSWER_H
#define BRIG_HTTP_ANSWER_H

#include "base/buf.h"
#include "base/span.h"
#include "http/chunked.h"

#include <stdbool.h>

#define ANSWER_HEAD_BYTES_MAX (16u * 1024u)
#define ANSWER_TYPE_BYTES 64u

struct answer {
	int status; /* 0 until the head is there */
	char type[ANSWER_TYPE_BYTES];
	bool is_chunked;
	uint64_t left; /* of a body with a length */
	struct chunked chunked;
	struct buf held;
	size_t used; /* bytes of it that are done with */
};

void answer_init(struct answer *answer);
void answer_done(struct answer *answer);

/* 0 or -ENOMEM, -ENOSPC where more is held than an answer's pieces need. */
int answer_feed(struct answer *answer, struct span bytes) MUST_CHECK;

/* 1 and a piece of the body (perhaps empty), good until the next call; 0 where more has to come or
 * the body is over; -EBADMSG. */
int answer_next(struct answer *answer, struct span *ret_piece) MUST_CHECK;

bool answer_over(const struct answer *answer);

#endif

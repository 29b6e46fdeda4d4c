/*
 * chunked: the body of a request that does not say its length beforehand. No I/O.
 *
 * chunked_feed takes bytes as they come and hands on the data in them. Trailers are read over, up
 * to a cap; chunk extensions too.
 *
 * Source: RFC 9112, 7.1.
 */
#ifndef BRIG_HTTP_CHUNKED_H
#define BRIG_HTTP_CHUNKED_H

#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

enum chunked_state {
	CHUNKED_SIZE,
	CHUNKED_DATA,
	CHUNKED_DATA_END, /* the CR LF behind the data */
	CHUNKED_TRAILER,
	CHUNKED_OVER,
};

struct chunked {
	enum chunked_state state;
	uint64_t left;	/* bytes of this chunk that are still to come */
	size_t trailer; /* bytes of trailers so far */
};

/*
 * Looks at `data`: `*ret_used` bytes of it are done with, and `*ret_piece` (within them, perhaps
 * empty) is body. 1 where it got further, 0 where more bytes are needed or the body is over,
 * -EBADMSG.
 */
int chunked_next(struct chunked *chunked, struct span data, size_t *ret_used,
	struct span *ret_piece) MUST_CHECK;

#endif

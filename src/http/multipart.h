/*
 * multipart: multipart/form-data as it comes in. No I/O, bounded memory: what is held back is at
 * most one part's head, or the start of what may be a boundary.
 *
 *	multipart_init(&multipart, type, &events)	-EINVAL where the type has no boundary
 *	multipart_feed(&multipart, piece)		calls the events; -EBADMSG, or what they
 *return multipart_over(&multipart)			whether the closing boundary has come
 *
 * Threads: none shared. Source: RFC 7578, RFC 2046 5.1.
 */
#ifndef BRIG_HTTP_MULTIPART_H
#define BRIG_HTTP_MULTIPART_H

#include "base/buf.h"
#include "base/span.h"

#include <stdbool.h>

#define MULTIPART_BOUNDARY_MAX 70u
#define MULTIPART_HEAD_MAX 4096u

struct multipart_events {
	/* A part begins. `file` has data NULL where it is no file. Both good until it returns. */
	int (*begin)(void *user, struct span name, struct span file);
	int (*data)(void *user, struct span piece);
	int (*end)(void *user);
	void *user;
};

enum multipart_state { MULTIPART_START, MULTIPART_HEAD, MULTIPART_DATA, MULTIPART_OVER };

struct multipart {
	struct multipart_events events;
	enum multipart_state state;
	char mark[MULTIPART_BOUNDARY_MAX + 5]; /* CR LF - - boundary */
	size_t mark_bytes;
	struct buf held;
};

int multipart_init(struct multipart *multipart, struct span type,
	const struct multipart_events *events) MUST_CHECK;
void multipart_done(struct multipart *multipart);
int multipart_feed(struct multipart *multipart, struct span piece) MUST_CHECK;
bool multipart_over(const struct multipart *multipart);

#endif

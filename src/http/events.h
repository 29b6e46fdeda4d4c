/*
 * events: a text/event-stream as it comes, for brig's own clients of its own server: each event one
 * line "event: NAME" and one line "data: …". No I/O.
 *
 * Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
#ifndef BRIG_HTTP_EVENTS_H
#define BRIG_HTTP_EVENTS_H

#include "base/buf.h"
#include "base/span.h"

#define EVENTS_NAME_BYTES 16u

struct events {
	struct buf held;
	size_t used, looked; /* bytes that are done with; bytes without a line's end */
	char name[EVENTS_NAME_BYTES];
};

/* No event may be longer than `max_bytes`. */
void events_init(struct events *events, size_t max_bytes);
void events_done(struct events *events);

/* 0, -ENOMEM, -ENOSPC. */
int events_feed(struct events *events, struct span bytes) MUST_CHECK;

/* 1 and an event, whose data is good until the next call or feed; 0 where more has to come. */
int events_next(struct events *events, const char **ret_name, struct span *ret_data) MUST_CHECK;

#endif

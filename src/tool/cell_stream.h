/*
 * cell_stream: the client's end of a job's channel, without any I/O: bytes and descriptors go in as
 * they arrive, events come out.
 *
 *	cell_stream_feed(&stream, bytes, fds)		what was received
 *	while ((rc = cell_stream_next(&stream, &event)) > 0)
 *		…					the event's span holds until the next feed
 *
 * The service is trusted to be the service, not to be sane: sizes, order and counts are checked.
 */
#ifndef BRIG_TOOL_CELL_STREAM_H
#define BRIG_TOOL_CELL_STREAM_H

#include "base/fd.h"
#include "wire/job.h"
#include "wire/result.h"

enum cell_event_type { CELL_EVENT_STDOUT, CELL_EVENT_STDERR, CELL_EVENT_RESULT };

struct cell_event {
	enum cell_event_type type;
	struct span data; /* of the two streams */
};

struct cell_stream {
	struct buf bytes;
	size_t used; /* bytes of it that are done with */
	int fds[FD_MESSAGE_MAX];
	size_t fd_count;
	struct job_result result; /* sound after CELL_EVENT_RESULT */
	bool over;		  /* the result has been read: nothing may follow */
};

void cell_stream_init(struct cell_stream *stream);
void cell_stream_done(struct cell_stream *stream);

/*
 * Adds what arrived; takes `fds`, also on failure. 0; -EMSGSIZE for more descriptors or bytes than
 * a result can have; -ENOMEM.
 */
int cell_stream_feed(
	struct cell_stream *stream, struct span data, const int *fds, size_t fd_count) MUST_CHECK;

/* 1 and an event; 0 where more has to arrive; -EBADMSG, -EMSGSIZE, -ENOMEM. */
int cell_stream_next(struct cell_stream *stream, struct cell_event *ret_event) MUST_CHECK;

#endif

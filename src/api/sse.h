/*
 * sse: a job as events: `job`, `stdout`, `stderr`, `result`, `problem`.
 *
 *	event: stdout
 *	data: {"text": "42\n"}
 *
 * A client that reads slowly slows its job's output down, not the dispatcher: the job's channel is
 * left alone while more than HTTP_OUT_HIGH_BYTES wait to be sent. Bytes that are no UTF-8 become
 * \xHH, and a character that is split over two reads stays whole.
 *
 * Source: WHATWG HTML, "Server-sent events".
 */
#ifndef BRIG_API_SSE_H
#define BRIG_API_SSE_H

#include "api/rest.h"

/* Starts the job and streams it; takes the spec. */
void sse_run(struct rest *rest, struct job_spec *spec);

/* Appends one event; `data` is one line. 0 or -errno. */
int sse_event(struct buf *out, const char *event, struct span data) MUST_CHECK;

#endif

/*
 * output: the start and the end of a stream whose middle is let go.
 *
 * Memory is bounded by LIMIT_TEXT_HEAD_BYTES + LIMIT_TEXT_TAIL_BYTES whatever is written; the count
 * of bytes is exact.
 */
#ifndef BRIG_SERVICE_OUTPUT_H
#define BRIG_SERVICE_OUTPUT_H

#include "base/buf.h"
#include "base/err.h"

#include <stdint.h>

struct output {
	struct buf head;
	struct buf tail; /* at most twice LIMIT_TEXT_TAIL_BYTES; trimmed when it is full */
	uint64_t bytes;
};

void output_init(struct output *output);
void output_done(struct output *output);

int output_add(struct output *output, const void *data, size_t bytes) MUST_CHECK;

/* Trims the tail to its final size. Call once, before head and tail are read. */
void output_finish(struct output *output);

#endif

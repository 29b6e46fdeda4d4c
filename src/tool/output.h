/*
 * output: a stream's kept head and tail as text.
 *
 * The text is UTF-8 whatever the job wrote: a byte that is part of no character becomes \xHH, and
 * where something is left out a line of its own says how many bytes.
 */
#ifndef BRIG_TOOL_OUTPUT_H
#define BRIG_TOOL_OUTPUT_H

#include "wire/result.h"

/* A stream's 32 KiB, every byte of them escaped, and the line between. */
#define OUTPUT_TEXT_BYTES_MAX (4 * LIMIT_TEXT_BYTES + 128)

/* Appends the text; `*ret_truncated` says whether anything is left out. 0, -ENOSPC, -ENOMEM. */
int output_text(const struct job_output *output, struct buf *out, bool *ret_truncated) MUST_CHECK;

#endif

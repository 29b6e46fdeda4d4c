/*
 * sink: standard output or error as this process's own words and a job's words share it.
 *
 * A job's bytes go through untouched, except to a terminal, where control characters become \xHH
 * (tool/text.h): a program in the jail must not drive the terminal of whoever runs it. A reader
 * that went away (EPIPE) is no fault: what is written after that is dropped, and `closed` says so.
 */
#ifndef BRIG_CMD_SINK_H
#define BRIG_CMD_SINK_H

#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>

struct sink {
	int fd;
	bool terminal;
	bool closed;	       /* the reader went away */
	unsigned char pending; /* see text_add_terminal */
	unsigned char last;    /* the byte written last; a line break at the start */
};

void sink_init(struct sink *sink, int fd);

/* 0 or -errno of the write, other than EPIPE. */
int sink_write(struct sink *sink, struct span data) MUST_CHECK;

/* What brig itself says, strangers' names and messages in it: encoded wherever it goes. */
int sink_tell(struct sink *sink, struct span text) MUST_CHECK;

/* Ends an unfinished line, if there is one. */
int sink_end_line(struct sink *sink) MUST_CHECK;

#endif

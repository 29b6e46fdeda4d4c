/*
 * run_spool: a job's output on its way to this process's own, in its order, without waiting.
 *
 * A server drops a client that takes nothing for a while, and a pager may be in front of ours: so
 * what comes is taken at once, and what cannot be written yet is kept, up to what a job may print.
 */
#ifndef BRIG_CMD_RUN_SPOOL_H
#define BRIG_CMD_RUN_SPOOL_H

#include "base/buf.h"
#include "cmd/sink.h"

struct run_spool {
	struct sink *sinks[2]; /* standard output, standard error */
	struct buf held;       /* pieces, each a struct and its bytes */
	size_t used;	       /* bytes of it that are done with */
};

void run_spool_init(struct run_spool *spool, struct sink *out, struct sink *err);
void run_spool_done(struct run_spool *spool);

/* 0, -ENOMEM, -ENOSPC beyond what two streams may carry. */
int run_spool_add(struct run_spool *spool, bool is_stderr, struct span data) MUST_CHECK;

/* The descriptor that the next bytes go to, or -1 where there are none. */
int run_spool_fd(const struct run_spool *spool);

/* Writes a few bytes to it, as many as never block once it is writable. 0 or -errno. */
int run_spool_step(struct run_spool *spool) MUST_CHECK;

#endif

/*
 * embed: CPython inside the zygote, and the few calls into `_brig` that brig makes.
 *
 * Every function that fails turns the Python exception into a `struct err` and clears it.
 * Source: Python/C API, "Python Initialization Configuration".
 */
#ifndef BRIG_ZYGOTE_EMBED_H
#define BRIG_ZYGOTE_EMBED_H

#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

/* Starts the interpreter and imports what the level preloads (/usr/lib/brig/levels/LEVEL), or
 * nothing where it is to be `cold`. */
int embed_start(const char *level, bool cold, struct err *err) MUST_CHECK;

/* Around the fork of a runner: before it, in the zygote after it, in the runner after it. */
void embed_before_fork(void);
void embed_after_fork_parent(void);
void embed_after_fork_child(void);

/* In the runner, before its job is known: all that any job needs, and before that a job that does
 * nothing, so that the first touch of memory is paid, unless it would only delay one that is
 * `awaited`. Once, before embed_run. */
int embed_make_ready(bool awaited, struct err *err) MUST_CHECK;

/* What the runner itself must know of a CELL_JOB frame. */
struct embed_call {
	uint32_t number;
	bool session; /* another one may follow */
};

/*
 * Runs the job of a CELL_JOB frame's fields. What it shows goes to `control_fd` as CELL_ITEM
 * frames with the call's number. `*ret_exit` is the program's exit code.
 */
int embed_run(struct span fields, const struct embed_call *call, int control_fd, int *ret_exit,
	struct err *err) MUST_CHECK;

#endif

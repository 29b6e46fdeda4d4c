/*
 * arena: GMP's memory in a process that can have no more.
 *
 * calc_arena_install() makes GMP take all its memory from a fixed pool of this program, for good
 * and for the whole process: only a process that is calc alone calls it. The pool is larger than
 * what the bounds of an exact evaluation allow; were it ever to run out, the process would leave
 * with status 125.
 *
 * Threads: one only.
 */
#ifndef BRIG_CALC_ARENA_H
#define BRIG_CALC_ARENA_H

#include <stddef.h>

#define CALC_ARENA_BYTES (4u * 1024 * 1024)

void calc_arena_install(void);

/* The most bytes of the pool that were ever handed out at the same time. */
size_t calc_arena_peak_bytes(void);

#endif

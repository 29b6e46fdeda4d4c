/*
 * calculate: one call of that tool, from whichever door: role, worker, audit, answer.
 *
 * Threads: the loop's.
 */
#ifndef BRIG_API_CALCULATE_H
#define BRIG_API_CALCULATE_H

#include "api/dispatcher.h"

struct calculation;

/*
 * `status` is 0 and `answer` the JSON object of calc.h; or `status` is that of a refusal and
 * `answer` its reason as text.
 */
typedef void calculate_done(void *user, int status, struct span answer);

/*
 * `who` and `expr` are copied. `done` is called once and never from within. NULL where memory is
 * out.
 */
struct calculation *calculate_start(struct dispatcher *dispatcher, const struct who *who,
	struct span expr, calculate_done *done, void *user);

/* The client has gone: `done` is not called. */
void calculate_leave(struct calculation *calculation);

#endif

/* runner: what a fork of the zygote does, from its birth to its one job, or its session's last. */
#ifndef BRIG_ZYGOTE_RUNNER_H
#define BRIG_ZYGOTE_RUNNER_H

#include "jail/seal.h"

/* Seals the process, parks, runs the job that comes, or one after another, and ends. Never returns.
 */
_Noreturn void runner_main(const struct jail_plan *plan);

#endif

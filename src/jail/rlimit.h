/*
 * rlimit: the per-process limits of a cell. RLIMIT_CPU is not among them: the service sets it when
 * a job comes, since a hard limit could not be raised again for the later calls of a session.
 *
 * Source: getrlimit(2).
 */
#ifndef BRIG_JAIL_RLIMIT_H
#define BRIG_JAIL_RLIMIT_H

#include "base/err.h"

#include <stdint.h>

struct rlimit_plan {
	uint64_t file_bytes; /* RLIMIT_FSIZE */
	uint32_t processes;  /* RLIMIT_NPROC, only where no cgroup counts pids; 0 leaves it */
};

#define RLIMIT_DESCRIPTORS 256u
#define RLIMIT_STACK_BYTES (8u << 20)
#define RLIMIT_SIGNALS 64u

int rlimit_apply(const struct rlimit_plan *plan, struct err *err) MUST_CHECK;

#endif

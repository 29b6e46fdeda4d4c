/*
 * verdict: one word from the kernel's figures. Pure: no descriptor, no clock, no cell.
 *
 * What the job itself said counts only where the job may decide anyway: its exit code, and whether
 * it was an exception. Everything else is what the kernel counted and what the service did.
 */
#ifndef BRIG_SERVICE_VERDICT_H
#define BRIG_SERVICE_VERDICT_H

#include "wire/limits.h"
#include "wire/outcome.h"

#include <stdbool.h>
#include <stdint.h>

/* Why the service ended the job: the first cause counts. */
enum end_cause {
	END_NONE,
	END_DONE,   /* the runner said so */
	END_EXITED, /* the runner's process ended */
	END_WALL,
	END_CPU,
	END_MEMORY,
	END_OUTPUT,
	END_DENIED,
	END_CANCELLED,
	END_FAULT,
};

struct verdict_facts {
	enum end_cause cause;
	bool exited;	 /* the process ended: how stands in the next two */
	int exit_code;	 /* where it ended by itself or said done; else -1 */
	int signal;	 /* where a signal ended it; else 0 */
	bool error_item; /* an uncaught exception was reported */
	uint64_t oom_kills;
	uint64_t cpu_us;
	bool rlimit_alone; /* no group counts: RLIMIT_CPU ends it, by ticks that may run ahead */
	struct job_limits limits;
	int syscall; /* END_DENIED: its number */
	uint32_t syscall_arch;
};

struct verdict {
	enum outcome outcome;
	int exit_code;	    /* -1 where it does not apply */
	int signal;	    /* 0 where it does not apply */
	uint64_t limit_hit; /* in the limit's own unit; 0 where none was hit */
};

struct verdict verdict_of(const struct verdict_facts *facts);

#endif

/* outcome: the verdict on a job, one word each. The service alone decides it. */
#ifndef BRIG_WIRE_OUTCOME_H
#define BRIG_WIRE_OUTCOME_H

enum outcome {
	OUTCOME_OK,
	OUTCOME_ERROR,	/* uncaught exception, syntax errors included */
	OUTCOME_EXIT,	/* non-zero exit without exception */
	OUTCOME_SIGNAL, /* ended by a signal that it raised or earned itself */
	OUTCOME_TIMEOUT_WALL,
	OUTCOME_TIMEOUT_CPU,
	OUTCOME_MEMORY, /* from the cgroup's own events */
	OUTCOME_OUTPUT, /* hard output limit */
	OUTCOME_DENIED, /* killed by the syscall filter */
	OUTCOME_CANCELLED,
	OUTCOME_REJECTED, /* refused before any cell; the dispatcher's word, never the service's */
	OUTCOME_INTERNAL, /* brig's own fault */
	OUTCOME_COUNT,
};

/* "ok", "timeout_wall" and so on; never NULL. */
const char *outcome_name(enum outcome outcome);

#endif

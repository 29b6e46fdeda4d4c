/* outcome: the words. */
#include "wire/outcome.h"

const char *outcome_name(enum outcome outcome)
{
	static const char *const names[OUTCOME_COUNT] = {
		[OUTCOME_OK] = "ok",
		[OUTCOME_ERROR] = "error",
		[OUTCOME_EXIT] = "exit",
		[OUTCOME_SIGNAL] = "signal",
		[OUTCOME_TIMEOUT_WALL] = "timeout_wall",
		[OUTCOME_TIMEOUT_CPU] = "timeout_cpu",
		[OUTCOME_MEMORY] = "memory",
		[OUTCOME_OUTPUT] = "output",
		[OUTCOME_DENIED] = "denied",
		[OUTCOME_CANCELLED] = "cancelled",
		[OUTCOME_REJECTED] = "rejected",
		[OUTCOME_INTERNAL] = "internal",
	};
	return (unsigned)outcome < OUTCOME_COUNT ? names[outcome] : "internal";
}

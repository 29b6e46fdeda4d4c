/*
 * hint: the one line that comes with every outcome but `ok`: what happened, from the kernel's own
 * figures, and what the author of the code can do about it.
 */
#ifndef BRIG_TOOL_HINT_H
#define BRIG_TOOL_HINT_H

#include "wire/result.h"

#define HINT_BYTES 512u

/*
 * Fills `out` (empty for `ok`). `offered` is what the job's runtime suggests; it is used for
 * `error` alone, since only there it knows more than the service, and is made into one line.
 * `fault_id` (may be NULL) is the id to quote for `internal`.
 */
void hint_of(const struct job_result *result, struct span offered, const char *fault_id,
	char out[HINT_BYTES]);

/* "SIGSEGV", or "signal 34" where it has no name. Returns `out`. */
const char *hint_signal_name(int number, char out[24]);

#endif

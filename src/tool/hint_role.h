/*
 * hint_role: calculate's hints for a role that has calculate alone.
 *
 * The worker that evaluates knows no roles, and what it cannot do it leaves to run_sandboxed:
 * "there is no floor division; write / or use run_sandboxed". A caller without that tool must not
 * be sent there.
 */
#ifndef BRIG_TOOL_HINT_ROLE_H
#define BRIG_TOOL_HINT_ROLE_H

#include "base/span.h"

#include <stdbool.h>

bool hint_names_sandbox(struct span hint);

/* The hint without the clause that sends its reader to run_sandboxed; empty where nothing else is
 * in it. Points into `hint`. */
struct span hint_without_sandbox(struct span hint);

#endif

/*
 * log: JSON lines on standard error, for the operator. Never code, output, tokens or inputs.
 *
 *	log_line("call", "tool", "run_sandboxed", "outcome", "ok", NULL)
 *
 * Keys and values are strings, in pairs, ended by NULL; values are escaped.
 */
#ifndef BRIG_API_LOG_H
#define BRIG_API_LOG_H

#include "base/err.h"

void log_line(const char *event, ...) __attribute__((sentinel));

/* {"event": EVENT, "stage": …, "error": …} */
void log_fault(const char *event, const struct err *err);

#endif

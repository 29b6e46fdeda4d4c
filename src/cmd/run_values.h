/*
 * run_values: the values of `brig run`'s flags. Each is 0, or -EINVAL with one line that names the
 * fix. A limit beyond its ceiling is taken down to it, which the result's `limits` then show.
 */
#ifndef BRIG_CMD_RUN_VALUES_H
#define BRIG_CMD_RUN_VALUES_H

#include "cmd/run_options.h"

int run_value_duration(uint32_t *slot, const char *flag, const char *value, uint32_t max_ms,
	struct err *err) MUST_CHECK;
int run_value_memory(struct run_options *options, const char *value, struct err *err) MUST_CHECK;
int run_value_output(struct run_options *options, const char *value, struct err *err) MUST_CHECK;
int run_value_chart_format(
	struct run_options *options, const char *value, struct err *err) MUST_CHECK;
int run_value_layers(struct run_options *options, const char *value, struct err *err) MUST_CHECK;

#endif

/* run_values: limits, formats and layers. */
#include "cmd/run_values.h"

#include "cmd/args.h"
#include "wire/layer.h"

#include <errno.h>
#include <string.h>

int run_value_duration(
	uint32_t *slot, const char *flag, const char *value, uint32_t max_ms, struct err *err)
{
	uint64_t ms;
	int rc = args_duration(flag, value, &ms, err);
	if (!rc)
		*slot = ms < max_ms ? (uint32_t)ms : max_ms;
	return rc;
}

int run_value_memory(struct run_options *options, const char *value, struct err *err)
{
	uint64_t bytes;
	int rc = args_size("--memory", value, &bytes, err);
	if (rc < 0)
		return rc;
	if (bytes < LIMIT_MEMORY_BYTES_MIN)
		return err_set(err, -EINVAL, "usage",
			"--memory is less than Python itself needs; give at least %lluM",
			LIMIT_MEMORY_BYTES_MIN / MIB);
	options->limits.memory_bytes =
		bytes < LIMIT_MEMORY_BYTES_MAX ? bytes : LIMIT_MEMORY_BYTES_MAX;
	return 0;
}

int run_value_output(struct run_options *options, const char *value, struct err *err)
{
	uint64_t bytes;
	int rc = args_size("--output", value, &bytes, err);
	if (!rc)
		options->limits.output_bytes =
			bytes < LIMIT_OUTPUT_BYTES_MAX ? bytes : LIMIT_OUTPUT_BYTES_MAX;
	return rc;
}

int run_value_chart_format(struct run_options *options, const char *value, struct err *err)
{
	if (strcmp(value, "png") == 0)
		options->chart_format = CHART_PNG;
	else if (strcmp(value, "svg") == 0)
		options->chart_format = CHART_SVG;
	else
		return err_set(err, -EINVAL, "usage", "--chart-format is png or svg");
	return 0;
}

int run_value_layers(struct run_options *options, const char *value, struct err *err)
{
	return args_layers("--allow-degraded", value, &options->allow_degraded, err);
}

/* role: admission. What opens files is role_open.c. */
#include "tool/role.h"

#include "tool/text.h"

#include <errno.h>
#include <string.h>

unsigned role_tool_by_name(const char *name)
{
	if (strcmp(name, ROLE_TOOL_CALCULATE) == 0)
		return ROLE_CALCULATE;
	if (strcmp(name, ROLE_TOOL_RUN) == 0)
		return ROLE_RUN_SANDBOXED;
	return 0;
}

int role_allows(const struct role *role, const char *tool, struct err *err)
{
	unsigned wanted = role_tool_by_name(tool);
	if (wanted && (role->tools & wanted))
		return 0;
	/* Known or not, the answer is the same: what other roles have is none of the caller's. */
	return err_set(err, -EPERM, "role", "this role does not have that tool");
}

static uint32_t clamp32(uint32_t wanted, uint32_t usual, uint32_t role_max, uint32_t ceiling)
{
	uint32_t max = role_max && role_max < ceiling ? role_max : ceiling;
	uint32_t value = wanted ? wanted : usual;
	return value && value < max ? value : max;
}

static uint64_t clamp64(uint64_t wanted, uint64_t usual, uint64_t role_max, uint64_t ceiling)
{
	uint64_t max = role_max && role_max < ceiling ? role_max : ceiling;
	uint64_t value = wanted ? wanted : usual;
	return value && value < max ? value : max;
}

static void tighten(
	struct job_limits *limits, const struct job_limits *usual, const struct job_limits *max)
{
	limits->wall_ms = clamp32(limits->wall_ms, usual->wall_ms, max->wall_ms, LIMIT_WALL_MS_MAX);
	limits->cpu_ms = clamp32(limits->cpu_ms, usual->cpu_ms, max->cpu_ms, LIMIT_CPU_MS_MAX);
	limits->memory_bytes = clamp64(limits->memory_bytes, usual->memory_bytes, max->memory_bytes,
		LIMIT_MEMORY_BYTES_MAX);
	limits->output_bytes = clamp64(limits->output_bytes, usual->output_bytes, max->output_bytes,
		LIMIT_OUTPUT_BYTES_MAX);
	limits->work_bytes = clamp64(
		limits->work_bytes, usual->work_bytes, max->work_bytes, LIMIT_WORK_BYTES_MAX);
	limits->work_inodes = clamp32(
		limits->work_inodes, usual->work_inodes, max->work_inodes, LIMIT_WORK_INODES_MAX);
	limits->processes =
		clamp32(limits->processes, usual->processes, max->processes, LIMIT_PROCESSES_MAX);
	limits->cpus = clamp32(limits->cpus, usual->cpus, max->cpus, LIMIT_CPUS_MAX);
	if (limits->memory_bytes < LIMIT_MEMORY_BYTES_MIN)
		limits->memory_bytes = LIMIT_MEMORY_BYTES_MIN;
}

void role_tighten(const struct role *role, struct job_limits *limits)
{
	tighten(limits, &role->limits_default, &role->limits_max);
}

int role_admit(const struct role *role, struct job_spec *spec, bool wants_session, struct err *err)
{
	int rc = role_allows(role, ROLE_TOOL_RUN, err);
	if (rc < 0)
		return rc;
	if (wants_session && !role->sessions)
		return err_set(
			err, -EPERM, "role", "this role has no sessions; leave `session` out");
	if (spec->code.len > LIMIT_CODE_BYTES)
		return err_set(err, -E2BIG, "role",
			"the code is larger than %llu KiB; move its data into a file",
			LIMIT_CODE_BYTES / KIB);
	role_tighten(role, &spec->limits);
	return 0;
}

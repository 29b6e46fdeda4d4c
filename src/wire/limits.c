/* limits: the defaults. */
#include "wire/limits.h"

const struct job_limits limits_default = {
	.wall_ms = 30000,
	.cpu_ms = 20000,
	.memory_bytes = 512 * MIB,
	.output_bytes = LIMIT_OUTPUT_BYTES_MAX,
	.work_bytes = LIMIT_WORK_BYTES_MAX,
	.work_inodes = LIMIT_WORK_INODES_MAX,
	.processes = LIMIT_PROCESSES_MAX,
	.cpus = LIMIT_CPUS_MAX,
};

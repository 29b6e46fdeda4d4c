/* limits: the defaults. */
#include "wire/limits.h"

const struct job_limits limits_default = {
	.wall_ms = 30000,
	.cpu_ms = 20000,
	.memory_bytes = 512 * MIB,
	.output_bytes = LIMIT_OUTPUT_BYTES_MAX,
	.work_bytes = 256 * MIB,
	.work_inodes = 16384,
	.processes = 64,
	.cpus = 1,
};

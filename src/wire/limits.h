/*
 * limits: what a job may use. Defaults and ceilings are the product's contract; a role may raise
 * a default as far as its ceiling and no caller may go beyond its role.
 */
#ifndef BRIG_WIRE_LIMITS_H
#define BRIG_WIRE_LIMITS_H

#include <stdint.h>

#define KIB 1024ull
#define MIB (1024ull * KIB)
#define GIB (1024ull * MIB)

#define LIMIT_CODE_BYTES (1 * MIB)
#define LIMIT_INPUTS 64u
#define LIMIT_INPUT_BYTES (256 * MIB)
#define LIMIT_INPUT_NAME_BYTES 255u
#define LIMIT_STDIN_BYTES (16 * MIB)

#define LIMIT_WALL_MS_MAX 300000u
#define LIMIT_CPU_MS_MAX 300000u
#define LIMIT_MEMORY_BYTES_MIN (64 * MIB)
#define LIMIT_MEMORY_BYTES_MAX (8 * GIB)
#define LIMIT_OUTPUT_BYTES_MAX (32 * MIB)
#define LIMIT_WORK_BYTES_MAX (256 * MIB)
#define LIMIT_WORK_INODES_MAX 16384u
#define LIMIT_PROCESSES_MAX 64u
#define LIMIT_CPUS_MAX 1u

#define LIMIT_TEXT_BYTES (32 * KIB) /* returned per stream, head and tail 3:1 */
#define LIMIT_TEXT_HEAD_BYTES (24 * KIB)
#define LIMIT_TEXT_TAIL_BYTES (8 * KIB)
#define LIMIT_ARTIFACTS 32u
#define LIMIT_ARTIFACT_BYTES (64 * MIB) /* all together */
#define LIMIT_ARTIFACT_DEPTH 16u
#define LIMIT_CHARTS 20u
#define LIMIT_CHART_BYTES (4 * MIB)
#define LIMIT_TABLES 20u
#define LIMIT_FRAME_BYTES (1 * MIB)  /* one control frame of a cell */
#define LIMIT_FRAMES_BYTES (4 * MIB) /* all control frames of a job */

struct job_limits {
	uint32_t wall_ms;
	uint32_t cpu_ms;
	uint64_t memory_bytes; /* with the work folder */
	uint64_t output_bytes; /* hard, per stream */
	uint64_t work_bytes;
	uint32_t work_inodes;
	uint32_t processes; /* and threads */
	uint32_t cpus;
};

/* The defaults: 30 s, 20 s, 512 MiB, 32 MiB, 256 MiB, 16,384, 64, 1. */
extern const struct job_limits limits_default;

#endif

/* result_fields: the tags of CHANNEL_RESULT, shared by its writer and its reader. */
#ifndef BRIG_WIRE_RESULT_FIELDS_H
#define BRIG_WIRE_RESULT_FIELDS_H

#include "wire/number.h"
#include "wire/result.h"

enum result_tag {
	TAG_OUTCOME = 1,
	TAG_EXIT_CODE = 2, /* one more than it is; 0 stands for "none" */
	TAG_SIGNAL = 3,
	TAG_SYSCALL = 4, /* as the exit code */
	TAG_SYSCALL_ARCH = 5,
	TAG_LIMIT_HIT = 6,
	TAG_STDOUT = 7,	   /* nested: OUTPUT_ */
	TAG_STDERR = 8,	   /* nested: OUTPUT_ */
	TAG_ITEM = 9,	   /* nested: ITEM_TAG_ */
	TAG_ARTIFACT = 10, /* nested: FILE_ */
	TAG_SKIPPED = 11,  /* nested: FILE_ */
	TAG_USAGE = 12,	   /* nested: result_usage_fields */
	TAG_LIMITS = 13,   /* nested: result_limit_fields */
	TAG_LAYER = 14,	   /* nested: LAYER_TAG_; the receipt is there where these are */
	TAG_IMAGE = 15,
	TAG_KERNEL = 16,
	TAG_CGROUP = 17,
	TAG_FAULT = 18,	  /* nested: wire/fault.h */
	TAG_STAGES = 19,  /* nested: result_stage_fields */
	TAG_SESSION = 20, /* nested: wire/session.h; absent where the job has none */
};

enum output_tag { OUTPUT_HEAD = 1, OUTPUT_TAIL, OUTPUT_BYTES };
enum item_tag { ITEM_TAG_KIND = 1, ITEM_TAG_PAYLOAD, ITEM_TAG_IMAGE_BYTES };
enum file_tag { FILE_NAME = 1, FILE_BYTES, FILE_WHY };
enum layer_tag { LAYER_TAG_ID = 1, LAYER_TAG_STATE, LAYER_TAG_DETAIL };

#define USAGE_FIELD(tag, member) WIRE_NUMBER(tag, struct job_usage, member, 0, UINT64_MAX)
static const struct wire_number result_usage_fields[] = {
	USAGE_FIELD(1, wall_ms),
	USAGE_FIELD(2, cpu_ms),
	USAGE_FIELD(3, memory_peak_bytes),
	USAGE_FIELD(4, processes_peak),
};
#define USAGE_FIELDS (sizeof(result_usage_fields) / sizeof(result_usage_fields[0]))

#define STAGE_FIELD(tag, member) WIRE_NUMBER(tag, struct job_stages, member, 0, UINT64_MAX)
static const struct wire_number result_stage_fields[] = {
	STAGE_FIELD(1, queue_us),
	STAGE_FIELD(2, handover_us),
	STAGE_FIELD(3, run_us),
	STAGE_FIELD(4, drain_us),
	STAGE_FIELD(5, verdict_us),
};
#define STAGE_FIELDS (sizeof(result_stage_fields) / sizeof(result_stage_fields[0]))

#define APPLIED_FIELD(tag, member) WIRE_NUMBER(tag, struct job_limits, member, 0, UINT64_MAX)
static const struct wire_number result_limit_fields[] = {
	APPLIED_FIELD(1, wall_ms),
	APPLIED_FIELD(2, cpu_ms),
	APPLIED_FIELD(3, memory_bytes),
	APPLIED_FIELD(4, output_bytes),
	APPLIED_FIELD(5, work_bytes),
	APPLIED_FIELD(6, work_inodes),
	APPLIED_FIELD(7, processes),
	APPLIED_FIELD(8, cpus),
};
#define APPLIED_FIELDS (sizeof(result_limit_fields) / sizeof(result_limit_fields[0]))

#endif

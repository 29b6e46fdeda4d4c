/* sample_result: a job_result with something in every member, and its frame. */
#ifndef BRIG_TESTS_UNIT_SAMPLE_RESULT_H
#define BRIG_TESTS_UNIT_SAMPLE_RESULT_H

#include "check.h"

#include "base/fd.h"
#include "wire/job.h"
#include "wire/result.h"

/* A 2 × 2 PNG, whole: header, data, end. */
static const unsigned char sample_png[] =
	"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\2\0\0\0\2\x08\2\0\0\0\xfd\xd4\x9as"
	"\0\0\0\x0b"
	"IDATx\x9c\x63\x60\x40\x05\0\0\x0e\0\1\xa9\x91\x73\xb1"
	"\0\0\0\0IEND\xae\x42\x60\x82";
#define SAMPLE_PNG_BYTES (sizeof(sample_png) - 1)

static inline void sample_lists(struct job_result *result)
{
	result->items = calloc(RESULT_ITEMS_MAX, sizeof(*result->items));
	result->artifacts = calloc(LIMIT_ARTIFACTS, sizeof(*result->artifacts));
	result->skipped = calloc(RESULT_SKIPPED_MAX, sizeof(*result->skipped));
	assert_true(result->items && result->artifacts && result->skipped);
}

/* An initialised result with the outcome, its lists ready to be added to. */
static inline void sample_begin(struct job_result *result, enum outcome outcome)
{
	job_result_init(result);
	result->outcome = outcome;
	result->limits = limits_default;
	sample_lists(result);
}

static inline void sample_item(struct job_result *result, enum item_kind kind, const char *payload)
{
	result->items[result->item_count++] =
		(struct job_item){.kind = kind, .payload = span_text(payload), .fd = -1};
}

static inline void sample_chart(
	struct job_result *result, const char *payload, const void *image, size_t bytes)
{
	result->items[result->item_count++] = (struct job_item){.kind = ITEM_CHART,
		.payload = span_text(payload),
		.fd = check_memfd(image, bytes),
		.bytes = bytes};
}

static inline void sample_artifact(
	struct job_result *result, struct span name, const void *data, size_t bytes)
{
	result->artifacts[result->artifact_count++] =
		(struct job_artifact){.name = name, .bytes = bytes, .fd = check_memfd(data, bytes)};
}

static inline void sample_skipped(struct job_result *result, const char *name, const char *why)
{
	result->skipped[result->skipped_count++] =
		(struct job_skipped){.name = span_text(name), .why = span_text(why)};
}

static inline void sample_out(struct job_result *result, const char *text)
{
	result->out = (struct job_output){.head = span_text(text), .bytes = strlen(text)};
	result->exit_code = 0;
}

static const char sample_value[] = "{\"text\":\"42\",\"json\":42}";
static const char sample_table[] =
	"{\"table\":{\"columns\":[{\"name\":\"a\",\"dtype\":\"int64\"}],\"rows\":[[1],[2]],"
	"\"row_count\":2,\"truncated\":false},\"text\":\"   a\\n0  1\\n1  2\"}";
static const char sample_chart_json[] =
	"{\"mime\":\"image/png\",\"width\":2,\"height\":2,\"title\":\"T\",\"alt\":\"dots\"}";

static inline void sample_full(struct job_result *result)
{
	sample_begin(result, OUTCOME_ERROR);
	result->exit_code = 1;
	result->signal = 11;
	result->syscall = 101;
	result->syscall_arch = 0xc000003e;
	result->limit_hit = 512 * MIB;
	result->out = (struct job_output){
		.head = span_text("head"), .tail = span_text("tail"), .bytes = 1000};
	result->err = (struct job_output){.head = span_text("oops"), .bytes = 4};
	sample_item(result, ITEM_VALUE, sample_value);
	sample_item(result, ITEM_TABLE, sample_table);
	sample_chart(result, sample_chart_json, sample_png, SAMPLE_PNG_BYTES);
	sample_item(result, ITEM_ERROR,
		"{\"type\":\"KeyError\",\"message\":\"'x'\",\"line\":3,\"traceback\":\"\"}");
	sample_item(result, ITEM_HINT, "look at the columns");
	sample_item(result, ITEM_NOTE, "a note");
	sample_artifact(result, span_text("out/data.csv"), "a,b\n1,2\n", 8);
	sample_artifact(result, span_text("empty"), "", 0);
	sample_skipped(result, "link", "not a regular file");
	result->usage = (struct job_usage){
		.wall_ms = 12, .cpu_ms = 34, .memory_peak_bytes = 56 * MIB, .processes_peak = 2};
	result->stages = (struct job_stages){.queue_us = 1,
		.handover_us = 2,
		.run_us = 3,
		.drain_us = UINT64_MAX,
		.verdict_us = 5};
	result->receipt.present = true;
	for (int i = 0; i < LAYER_COUNT; i++)
		(void)snprintf(result->receipt.layers[i].detail,
			sizeof(result->receipt.layers[i].detail), "detail %d", i);
	result->receipt.layers[LAYER_SPECULATION].state = LAYER_NOT_OFFERED;
	(void)strcpy(result->receipt.image, "default 0123");
	(void)strcpy(result->receipt.kernel, "6.1");
	(void)strcpy(result->receipt.cgroup_version, "v2");
	result->session = (struct session_status){.state = SESSION_LOST,
		.idle_left_ms = 7,
		.life_left_ms = 8,
		.lost_why = "it used more memory than its limit"};
	result->fault = (struct err){.code = -EIO, .stage = "stage", .text = "text"};
}

#endif

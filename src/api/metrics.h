/*
 * metrics: counts and histograms of one dispatcher, as Prometheus reads them.
 *
 * Source: https://prometheus.io/docs/instrumenting/exposition_formats (text, 0.0.4).
 */
#ifndef BRIG_API_METRICS_H
#define BRIG_API_METRICS_H

#include "api/stats.h"
#include "base/buf.h"
#include "wire/outcome.h"
#include "wire/result.h"

#include <stdbool.h>
#include <stdint.h>

#define METRICS_ROLES_MAX 64u
#define METRICS_BOUNDS 19u

enum metrics_stage {
	STAGE_QUEUE,   /* accepted until its channel is open */
	STAGE_RUN,     /* until the result has come */
	STAGE_COLLECT, /* until files are stored and the reply may leave */
	STAGE_JOB,     /* all of it */
	STAGE_CALCULATE,
	STAGE_CELL_QUEUE, /* and on, as the service timed them (struct job_stages) */
	STAGE_CELL_HANDOVER,
	STAGE_CELL_RUN,
	STAGE_CELL_DRAIN,
	STAGE_CELL_VERDICT,
	STAGE_COUNT,
};

struct histogram {
	uint64_t counts[METRICS_BOUNDS + 1]; /* the last: above every bound */
	uint64_t sum_us, max_us;
};

struct metrics {
	struct {
		char role[36];
		uint64_t jobs[OUTCOME_COUNT];
		uint64_t calculations[2]; /* with a value, without */
		uint64_t refusals;
	} roles[METRICS_ROLES_MAX];
	size_t role_count;
	struct histogram stages[STAGE_COUNT];
	uint64_t requests[6]; /* by the hundreds of their status */
	uint64_t reloads[2];  /* of the configuration: failed, good */
	uint64_t service_losses;
	uint64_t streamed_bytes;
};

/* Beyond METRICS_ROLES_MAX roles the last one stands for the rest. */
void metrics_job(struct metrics *metrics, const char *role, enum outcome outcome);
void metrics_calculation(struct metrics *metrics, const char *role, bool has_value);
void metrics_refusal(struct metrics *metrics, const char *role);
void metrics_stage(struct metrics *metrics, enum metrics_stage stage, uint64_t took_us);

/* Of a job that had a cell until its verdict. */
void metrics_cell_stages(struct metrics *metrics, const struct job_stages *stages);

/* Figures of the moment, which others keep. */
struct metrics_gauges {
	uint64_t running, waiting, connections, records, artifact_bytes, audit_queued;
	uint64_t audit_failures, audit_lost, services, services_up;
};

/* 0, -ENOMEM, -ENOSPC. */
int metrics_text(const struct metrics *metrics, const struct metrics_gauges *gauges,
	const struct stats_sum *services, struct buf *out) MUST_CHECK;

#endif

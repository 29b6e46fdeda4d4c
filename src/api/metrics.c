/* metrics: counting, and one page of text. */
#include "api/metrics.h"

#include "api/metrics_parts.h"
#include "api/version.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Microseconds: from a calculation to the longest job. */
static const uint64_t bounds_us[METRICS_BOUNDS] = {100, 250, 500, 1000, 2500, 5000, 10000, 25000,
	50000, 100000, 250000, 500000, 1000000, 2000000, 5000000, 10000000, 30000000, 100000000,
	300000000};

static const char *const stage_names[STAGE_COUNT] = {
	[STAGE_QUEUE] = "queue",
	[STAGE_RUN] = "run",
	[STAGE_COLLECT] = "collect",
	[STAGE_JOB] = "job",
	[STAGE_CALCULATE] = "calculate",
	[STAGE_CELL_QUEUE] = "cell_queue",
	[STAGE_CELL_HANDOVER] = "cell_handover",
	[STAGE_CELL_RUN] = "cell_run",
	[STAGE_CELL_DRAIN] = "cell_drain",
	[STAGE_CELL_VERDICT] = "cell_verdict",
};

static size_t role_index(struct metrics *metrics, const char *role)
{
	for (size_t i = 0; i < metrics->role_count; i++)
		if (strcmp(metrics->roles[i].role, role) == 0)
			return i;
	if (metrics->role_count == METRICS_ROLES_MAX)
		return METRICS_ROLES_MAX - 1;
	bool last = metrics->role_count == METRICS_ROLES_MAX - 1;
	size_t index = metrics->role_count++;
	(void)snprintf(metrics->roles[index].role, sizeof(metrics->roles[index].role), "%s",
		last ? "(others)" : role);
	return index;
}

void metrics_job(struct metrics *metrics, const char *role, enum outcome outcome)
{
	metrics->roles[role_index(metrics, role)].jobs[outcome]++;
}

void metrics_calculation(struct metrics *metrics, const char *role, bool has_value)
{
	metrics->roles[role_index(metrics, role)].calculations[has_value ? 0 : 1]++;
}

void metrics_refusal(struct metrics *metrics, const char *role)
{
	metrics->roles[role_index(metrics, role)].refusals++;
}

void metrics_stage(struct metrics *metrics, enum metrics_stage stage, uint64_t took_us)
{
	struct histogram *histogram = &metrics->stages[stage];
	size_t i = 0;
	while (i < METRICS_BOUNDS && took_us > bounds_us[i])
		i++;
	histogram->counts[i]++;
	histogram->sum_us += took_us;
	if (took_us > histogram->max_us)
		histogram->max_us = took_us;
}

void metrics_cell_stages(struct metrics *metrics, const struct job_stages *stages)
{
	metrics_stage(metrics, STAGE_CELL_QUEUE, stages->queue_us);
	metrics_stage(metrics, STAGE_CELL_HANDOVER, stages->handover_us);
	metrics_stage(metrics, STAGE_CELL_RUN, stages->run_us);
	metrics_stage(metrics, STAGE_CELL_DRAIN, stages->drain_us);
	metrics_stage(metrics, STAGE_CELL_VERDICT, stages->verdict_us);
}

int metrics_family(struct buf *out, const char *name, const char *type, const char *help)
{
	return buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

int metrics_gauge(struct buf *out, const char *name, const char *help, uint64_t value)
{
	int rc = metrics_family(out, name, "gauge", help);
	return rc ? rc : buf_printf(out, "%s %" PRIu64 "\n", name, value);
}

int metrics_counter(struct buf *out, const char *name, const char *help, uint64_t value)
{
	int rc = metrics_family(out, name, "counter", help);
	return rc ? rc : buf_printf(out, "%s %" PRIu64 "\n", name, value);
}

static int put_jobs(struct buf *out, const struct metrics *metrics)
{
	int rc = metrics_family(out, "brig_jobs_total", "counter", "Jobs that ended, by outcome.");
	for (size_t i = 0; i < metrics->role_count; i++)
		for (unsigned o = 0; !rc && o < OUTCOME_COUNT; o++)
			if (metrics->roles[i].jobs[o])
				rc = buf_printf(out,
					"brig_jobs_total{role=\"%s\",outcome=\"%s\"} %" PRIu64 "\n",
					metrics->roles[i].role, outcome_name((enum outcome)o),
					metrics->roles[i].jobs[o]);
	return rc;
}

static int put_calls(struct buf *out, const struct metrics *metrics)
{
	int rc = metrics_family(out, "brig_calculations_total", "counter",
		"Expressions that were evaluated or refused by calculate.");
	for (size_t i = 0; !rc && i < metrics->role_count; i++)
		rc = buf_printf(out,
			"brig_calculations_total{role=\"%s\",outcome=\"ok\"} %" PRIu64 "\n"
			"brig_calculations_total{role=\"%s\",outcome=\"error\"} %" PRIu64 "\n",
			metrics->roles[i].role, metrics->roles[i].calculations[0],
			metrics->roles[i].role, metrics->roles[i].calculations[1]);
	if (!rc)
		rc = metrics_family(
			out, "brig_reloads_total", "counter", "Reloads of the configuration.");
	if (!rc)
		rc = buf_printf(out,
			"brig_reloads_total{result=\"ok\"} %" PRIu64 "\n"
			"brig_reloads_total{result=\"failed\"} %" PRIu64 "\n",
			metrics->reloads[1], metrics->reloads[0]);
	if (!rc)
		rc = metrics_family(out, "brig_refusals_total", "counter",
			"Calls that were refused before they ran.");
	for (size_t i = 0; !rc && i < metrics->role_count; i++)
		rc = buf_printf(out, "brig_refusals_total{role=\"%s\"} %" PRIu64 "\n",
			metrics->roles[i].role, metrics->roles[i].refusals);
	return rc;
}

static int put_histogram(struct buf *out, const char *stage, const struct histogram *histogram)
{
	uint64_t count = 0;
	int rc = 0;
	for (size_t i = 0; !rc && i < METRICS_BOUNDS; i++) {
		count += histogram->counts[i];
		rc = buf_printf(out,
			"brig_stage_seconds_bucket{stage=\"%s\",le=\"%g\"} %" PRIu64 "\n", stage,
			(double)bounds_us[i] / 1e6, count);
	}
	count += histogram->counts[METRICS_BOUNDS];
	if (!rc)
		rc = buf_printf(out,
			"brig_stage_seconds_bucket{stage=\"%s\",le=\"+Inf\"} %" PRIu64 "\n"
			"brig_stage_seconds_sum{stage=\"%s\"} %.6f\n"
			"brig_stage_seconds_count{stage=\"%s\"} %" PRIu64 "\n",
			stage, count, stage, (double)histogram->sum_us / 1e6, stage, count);
	return rc;
}

/* A quantile that is read from buckets may lie above all that ever happened: this is the cap. */
static int put_longest(struct buf *out, const struct metrics *metrics)
{
	int rc = metrics_family(out, "brig_stage_seconds_max", "gauge",
		"The longest time in each stage since the start.");
	for (size_t i = 0; !rc && i < STAGE_COUNT; i++)
		rc = buf_printf(out, "brig_stage_seconds_max{stage=\"%s\"} %.6f\n", stage_names[i],
			(double)metrics->stages[i].max_us / 1e6);
	return rc;
}

static int put_requests(struct buf *out, const struct metrics *metrics)
{
	int rc = metrics_family(
		out, "brig_http_requests_total", "counter", "HTTP requests, by class of status.");
	for (unsigned i = 1; !rc && i < 6; i++)
		rc = buf_printf(out, "brig_http_requests_total{class=\"%uxx\"} %" PRIu64 "\n", i,
			metrics->requests[i]);
	return rc;
}

static int put_gauges(struct buf *out, const struct metrics_gauges *gauges)
{
	int rc = metrics_gauge(out, "brig_jobs_running", "Jobs in a cell now.", gauges->running);
	if (!rc)
		rc = metrics_gauge(
			out, "brig_queue_length", "Jobs that wait for a place.", gauges->waiting);
	if (!rc)
		rc = metrics_gauge(
			out, "brig_http_connections", "Open connections.", gauges->connections);
	if (!rc)
		rc = metrics_gauge(
			out, "brig_job_records", "Jobs that can be asked for.", gauges->records);
	if (!rc)
		rc = metrics_gauge(out, "brig_artifacts_bytes",
			"Bytes of jobs' files that are kept.", gauges->artifact_bytes);
	if (!rc)
		rc = metrics_gauge(out, "brig_audit_queue_length", "Rows not in the audit log yet.",
			gauges->audit_queued);
	if (!rc)
		rc = metrics_gauge(out, "brig_audit_lost",
			"1 while the audit log is not at its place and no call is served.",
			gauges->audit_lost);
	if (!rc)
		rc = metrics_gauge(out, "brig_services_up",
			"Interpreter services that can be reached.", gauges->services_up);
	if (!rc)
		rc = metrics_counter(out, "brig_audit_failures_total",
			"Groups of audit rows that could not be written.", gauges->audit_failures);
	return rc;
}

int metrics_text(const struct metrics *metrics, const struct metrics_gauges *gauges,
	const struct stats_sum *services, struct buf *out)
{
	int rc = metrics_family(out, "brig_build_info", "gauge", "Which brig this is.");
	if (!rc)
		rc = buf_add_text(out, "brig_build_info{version=\"" BRIG_VERSION "\"} 1\n");
	if (!rc)
		rc = put_jobs(out, metrics);
	if (!rc)
		rc = put_calls(out, metrics);
	if (!rc)
		rc = put_requests(out, metrics);
	if (!rc)
		rc = metrics_family(
			out, "brig_stage_seconds", "histogram", "Time by stage of a call.");
	for (unsigned i = 0; !rc && i < STAGE_COUNT; i++)
		rc = put_histogram(out, stage_names[i], &metrics->stages[i]);
	if (!rc)
		rc = put_longest(out, metrics);
	if (!rc)
		rc = metrics_counter(out, "brig_service_losses_total",
			"Times that an interpreter service ended and had to be started again.",
			metrics->service_losses);
	if (!rc)
		rc = metrics_counter(out, "brig_streamed_bytes_total",
			"Bytes of output that were streamed.", metrics->streamed_bytes);
	if (!rc)
		rc = put_gauges(out, gauges);
	return rc ? rc : metrics_services(out, services);
}

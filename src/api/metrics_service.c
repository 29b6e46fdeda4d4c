/* metrics_service: the page's part that the interpreter services tell. */
#include "api/metrics_parts.h"

#include <inttypes.h>

static const char *const states[STATS_STATE_COUNT] = {
	[STATS_FREE] = "free",
	[STATS_MAKING] = "making",
	[STATS_PARKED] = "parked",
	[STATS_RUNNING] = "running",
	[STATS_SESSION] = "session",
	[STATS_DYING] = "dying",
};

static const char *const causes[STATS_KILL_COUNT] = {
	[STATS_KILL_WALL] = "timeout_wall",
	[STATS_KILL_CPU] = "timeout_cpu",
	[STATS_KILL_MEMORY] = "memory",
	[STATS_KILL_OUTPUT] = "output",
	[STATS_KILL_DENIED] = "denied",
	[STATS_KILL_CANCELLED] = "cancelled",
	[STATS_KILL_FAULT] = "internal",
};

/* Free slots have no level, cells that are there always have one. */
static int put_cells(struct buf *out, const struct stats_sum *sum)
{
	int rc = metrics_family(out, "brig_cells", "gauge", "Slots by state and level.");
	for (size_t state = 0; state < STATS_STATE_COUNT; state++)
		for (size_t i = 0; !rc && i < sum->level_count; i++)
			if (sum->cells[state][i] || (state == STATS_FREE) == (i == 0))
				rc = buf_printf(out,
					"brig_cells{state=\"%s\",level=\"%s\"} %" PRIu64 "\n",
					states[state], sum->levels[i], sum->cells[state][i]);
	return rc;
}

int metrics_services(struct buf *out, const struct stats_sum *sum)
{
	int rc = put_cells(out, sum);
	if (!rc)
		rc = metrics_family(out, "brig_kills_total", "counter",
			"Jobs that the interpreter services stopped, by cause.");
	for (size_t i = 0; !rc && i < STATS_KILL_COUNT; i++)
		rc = buf_printf(out, "brig_kills_total{cause=\"%s\"} %" PRIu64 "\n", causes[i],
			sum->kills[i]);
	if (!rc)
		rc = metrics_gauge(
			out, "brig_queue_jobs", "Jobs that wait for a cell.", sum->queued);
	if (!rc)
		rc = metrics_gauge(out, "brig_zygotes", "Warm interpreters.", sum->zygotes);
	if (!rc)
		rc = metrics_gauge(out, "brig_cgroups",
			"Control groups of cells, as the kernel lists them.", sum->cgroups);
	if (!rc)
		rc = metrics_gauge(out, "brig_namespaces",
			"Namespaces of cells, as the kernel numbers them.", sum->namespaces);
	if (!rc)
		rc = metrics_counter(out, "brig_cells_parked_total",
			"Cells that stood ready, complete and sealed.", sum->cells_parked);
	return rc ? rc
		  : metrics_counter(out, "brig_cells_failed_total",
			    "Cells that could not be made, or broke.", sum->cells_failed);
}

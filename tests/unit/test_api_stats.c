/* stats: the figures of several services as one page, whatever their levels are called. */
#include "check.h"

#include "api/metrics.h"
#include "api/stats.h"

static struct service_stats stats_of(const char *first, const char *second)
{
	struct service_stats stats = {.bytes = sizeof(stats), .level_count = 2, .queued = 3};
	(void)snprintf(stats.levels[0], sizeof(stats.levels[0]), "%s", first);
	(void)snprintf(stats.levels[1], sizeof(stats.levels[1]), "%s", second);
	stats.cells[STATS_PARKED][0] = 2;
	stats.cells[STATS_RUNNING][1] = 5;
	stats.cells[STATS_FREE][LAUNCH_LEVELS_MAX] = 7;
	stats.kills[STATS_KILL_MEMORY] = 1;
	return stats;
}

static void add(struct stats_sum *sum, const char *first, const char *second)
{
	const struct service_stats stats = stats_of(first, second);
	stats_add(sum, &stats);
}

static void page_of(const struct stats_sum *sum, struct buf *page)
{
	static struct metrics metrics;
	const struct metrics_gauges gauges = {0};
	buf_init(page, 1 << 20);
	assert_int_equal(metrics_text(&metrics, &gauges, sum, page), 0);
	assert_int_equal(buf_add(page, "", 1), 0);
}

static void assert_has(const struct buf *page, const char *line)
{
	if (!strstr((const char *)page->data, line))
		fail_msg("no %s in %s", line, (const char *)page->data);
}

static void levels_are_summed_by_name(void **state)
{
	(void)state;
	struct stats_sum sum = {0};
	cleanup_buf struct buf page = {0};
	add(&sum, "bare", "data");
	add(&sum, "bare", "geo");
	page_of(&sum, &page);
	assert_int_equal(sum.services, 2);
	assert_has(&page, "brig_cells{state=\"parked\",level=\"bare\"} 4\n");
	assert_has(&page, "brig_cells{state=\"running\",level=\"data\"} 5\n");
	assert_has(&page, "brig_cells{state=\"running\",level=\"geo\"} 5\n");
	assert_has(&page, "brig_cells{state=\"free\",level=\"none\"} 14\n");
	assert_has(&page, "brig_kills_total{cause=\"memory\"} 2\n");
	assert_has(&page, "brig_queue_jobs 6\n");
}

static void a_name_adds_no_line(void **state)
{
	(void)state;
	struct stats_sum sum = {0};
	cleanup_buf struct buf page = {0};
	add(&sum, "a\"} 1\nevil 2", "\\\xff");
	page_of(&sum, &page);
	assert_null(strstr((const char *)page.data, "\nevil"));
	assert_has(&page, "brig_cells{state=\"parked\",level=\"a___1_evil_2\"} 2\n");
	assert_has(&page, "brig_cells{state=\"running\",level=\"__\"} 5\n");
}

static void more_levels_than_there_is_room_for(void **state)
{
	(void)state;
	struct stats_sum sum = {0};
	char first[16], second[16];
	for (int i = 0; i < 20; i++) {
		(void)snprintf(first, sizeof(first), "a%d", i);
		(void)snprintf(second, sizeof(second), "b%d", i);
		add(&sum, first, second);
	}
	assert_int_equal(sum.level_count, STATS_LEVELS_SUM_MAX);
	uint64_t parked = 0;
	for (size_t i = 0; i < sum.level_count; i++)
		parked += sum.cells[STATS_PARKED][i];
	assert_int_equal(parked, 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_are_summed_by_name),
		cmocka_unit_test(a_name_adds_no_line),
		cmocka_unit_test(more_levels_than_there_is_room_for),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

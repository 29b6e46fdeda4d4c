/* What the service may take of the machine's memory. */
#include "check.h"

#include "service/service.h"

static uint64_t spare(const char *meminfo)
{
	struct service service = {.meminfo_fd = check_memfd(meminfo, strlen(meminfo))};
	uint64_t bytes = pool_spare_bytes(&service);
	(void)close(service.meminfo_fd);
	return bytes;
}

static void the_last_sixteenth_is_the_machine_s(void **state)
{
	(void)state;
	assert_int_equal(
		spare("MemTotal: 16000 kB\nMemFree: 1 kB\nMemAvailable: 8000 kB\n"), 7000 * KIB);
	assert_int_equal(spare("MemTotal: 16000 kB\nMemFree: 1 kB\nMemAvailable: 1000 kB\n"), 0);
	assert_int_equal(spare("MemTotal: 16000 kB\nMemFree: 1 kB\nMemAvailable: 10 kB\n"), 0);
}

static void what_cannot_be_read_bounds_nothing(void **state)
{
	const struct service service = {.meminfo_fd = -1};
	(void)state;
	assert_true(pool_spare_bytes(&service) == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_sixteenth_is_the_machine_s),
		cmocka_unit_test(what_cannot_be_read_bounds_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

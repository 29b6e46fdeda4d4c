/* quantity: sizes and durations, and those that are too large to count. */
#include "check.h"

#include "base/quantity.h"

static uint64_t size_of(const char *text)
{
	uint64_t bytes = 1;
	assert_true(quantity_size(text, &bytes));
	return bytes;
}

static void reads_numbers_with_units(void **state)
{
	uint64_t value = 0;
	(void)state;
	assert_int_equal(size_of("512"), 512);
	assert_int_equal(size_of("1.5K"), 1536);
	assert_int_equal(size_of("512M"), 512u << 20);
	assert_int_equal(size_of("2gib"), 2ull << 30);
	assert_int_equal(size_of("0.001K"), 1);
	assert_true(quantity_duration("1.5m", &value));
	assert_int_equal(value, 90000);
	assert_true(quantity_duration("250ms", &value));
	assert_int_equal(value, 250);
}

static void refuses_what_is_none(void **state)
{
	static const char *const wrong[] = {
		"", "M", "-1", "1.", "1.2345K", "1 K", "1KB", ".5K", "0x10", "1e3"};
	uint64_t value;
	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++)
		assert_false(quantity_size(wrong[i], &value));
	assert_false(quantity_duration("10", &value));
}

/* In thousandths 64 bits end between the integer and its decimals. */
static void too_large_is_the_largest(void **state)
{
	(void)state;
	assert_int_equal(size_of("18446744073709551615"), UINT64_MAX);
	assert_int_equal(size_of("99999999999999999999999G"), UINT64_MAX);
	assert_int_equal(size_of("18446744073709551.615"), 18446744073709551);
	assert_int_equal(size_of("18446744073709551.616"), UINT64_MAX);
	assert_int_equal(size_of("18446744073709551.999"), UINT64_MAX);
	assert_int_equal(size_of("18446744073709551.999G"), UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_numbers_with_units),
		cmocka_unit_test(refuses_what_is_none),
		cmocka_unit_test(too_large_is_the_largest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

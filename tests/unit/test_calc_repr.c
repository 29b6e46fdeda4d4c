/*
 * repr: the shortest decimal that reads back, laid out as Python does. The differential test
 * compares millions with CPython; these are the corners, and round trips that need no reference.
 */
#include "check.h"

#include "calc/value.h"

#include <float.h>
#include <math.h>

static void corners(void **state)
{
	(void)state;
	static const struct {
		double value;
		const char *repr;
	} cases[] = {
		{0.0, "0.0"},
		{-0.0, "-0.0"},
		{1.0, "1.0"},
		{-1.0, "-1.0"},
		{0.1, "0.1"},
		{0.1 + 0.2, "0.30000000000000004"},
		{1e15, "1000000000000000.0"},
		{9007199254740992.0, "9007199254740992.0"},
		{9999999999999998.0, "9999999999999998.0"},
		{1e16, "1e+16"},
		{1.2345678901234567e16, "1.2345678901234568e+16"},
		{1e22, "1e+22"},
		{1e23, "1e+23"},
		{1.0000000000000001e23, "1.0000000000000001e+23"},
		{0.0001, "0.0001"},
		{0.00012, "0.00012"},
		{0.00001, "1e-05"},
		{1.5e-5, "1.5e-05"},
		{1e100, "1e+100"},
		{1e-100, "1e-100"},
		{DBL_MAX, "1.7976931348623157e+308"},
		{DBL_MIN, "2.2250738585072014e-308"},
		{DBL_TRUE_MIN, "5e-324"},
		{1e-323, "1e-323"},
		{0x1p-44, "5.684341886080802e-14"},
		{0x1p-1022, "2.2250738585072014e-308"},
		{0x0.fffffffffffffp-1022, "2.225073858507201e-308"},
		{5e-324 * 3, "1.5e-323"},
		{2.0 / 3, "0.6666666666666666"},
		{100 * 1.1, "110.00000000000001"},
		{123456.789, "123456.789"},
		{4.35, "4.35"},
		{0x1p60, "1.152921504606847e+18"},
		{0x1p63, "9.223372036854776e+18"},
		{INFINITY, "inf"},
		{-INFINITY, "-inf"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[CALC_REPR_SIZE];
		size_t length = repr_double(cases[i].value, text);
		assert_string_equal(text, cases[i].repr);
		assert_int_equal(length, strlen(text));
	}
	char text[CALC_REPR_SIZE];
	(void)repr_double((double)NAN, text);
	assert_string_equal(text, "nan");
	(void)repr_double(-(double)NAN, text);
	assert_string_equal(text, "nan");
}

static size_t digits_of(const char *repr)
{
	size_t count = 0;
	for (; *repr && *repr != 'e'; repr++)
		count += *repr >= '0' && *repr <= '9';
	return count;
}

/* Reads back as itself, and never with more digits than 17 significant ones. */
static void reads_back(uint64_t bits)
{
	double value, back;
	memcpy(&value, &bits, sizeof(value));
	if (!isfinite(value))
		return;
	char text[CALC_REPR_SIZE];
	assert_true(repr_double(value, text) < CALC_REPR_SIZE);
	back = strtod(text, NULL);
	assert_memory_equal(&back, &value, sizeof(value));
	assert_true(digits_of(text) <= 17 + 4);
}

static void round_trips(void **state)
{
	(void)state;
	uint64_t random = UINT64_C(0x9e3779b97f4a7c15);
	for (int i = 0; i < 400000; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		reads_back(random);
		/* Powers of two, where the neighbours are not at the same distance; subnormals. */
		reads_back(random & UINT64_C(0xfff0000000000000));
		reads_back(random & UINT64_C(0x000fffffffffffff));
	}
	for (uint64_t exponent = 0; exponent < 2047; exponent++) {
		for (uint64_t near = 0; near < 5; near++)
			reads_back((exponent << 52) + near - (exponent ? 2 : 0));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(corners),
		cmocka_unit_test(round_trips),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

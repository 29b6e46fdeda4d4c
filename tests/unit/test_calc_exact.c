/*
 * exact: the three ways to an exact value agree, and what would cost too much is refused before it
 * is begun.
 */
#include "calc_check.h"

#include "calc/parse.h"
#include "calc/value.h"

static struct parser parser;
static struct calc_program program;
static union calc_stack stack;
static char source[CALC_SOURCE_MAX + 4];

static void compile(const char *expression)
{
	struct calc_fault fault = {0};
	memset(source, 0, sizeof(source));
	(void)stpcpy(source, expression);
	parse_source(&parser, &program, source, (unsigned)strlen(source), &fault);
	assert_int_equal(fault.error, CALC_ERROR_NONE);
}

static void ways_agree(void **state)
{
	(void)state;
	static const struct {
		const char *expression, *exact;
		bool decimal, small; /* whether these ways are enough */
	} cases[] = {
		{"1+2*3", "7", true, true},
		{"7%4", "3", true, true},
		{"-7%4", "1", true, true},
		{"8/4", "2", true, true},
		{"2**62", "4611686018427387904", true, true},
		{"0**0", "1", true, true},
		{"-3**3", "-27", true, true},
		{"9223372036854775807", "9223372036854775807", true, true},
		{"2**63", "9223372036854775808", false, true},
		{"9223372036854775807+1", "9223372036854775808", false, true},
		{"7%-4", "-1", false, true},
		{"6/4", "1.5", true, true},
		{"0.1+0.2", "0.3", true, true},
		{"1/3", "1/3", false, true},
		{"-1/3", "-1/3", false, true},
		{"1/-3", "-1/3", false, true},
		{"3/6", "0.5", false, true},
		{"2**-1", "0.5", true, true},
		{"2.5**-2", "0.16", true, true},
		{"1/1024", "0.0009765625", true, true},
		{"-3/40", "-0.075", true, true},
		{"3/-40", "-0.075", false, true},
		{"1e300/1e-300/1e300/1e300", "1", false, false},
		{"(2/3)**-3", "3.375", false, true},
		{"-7.5%2", "0.5", true, true},
		{"7.5%-2", "-0.5", false, true},
		{"1/3%1/4", "1/12", false, true},
		{"1e18*1e18", "1000000000000000000000000000000000000", true, true},
		{"1000*1.05**10", "1628.89462677744140625", false, true},
		{"1/7+1/11+1/13", "311/1001", false, true},
		{"2**126", "85070591730234615865843651857942052864", false, true},
		{"1-2**126-2**126", "-170141183460469231731687303715884105727", false, true},
		{"2**127", "170141183460469231731687303715884105728", false, false},
		{"-2**126-2**126", "-170141183460469231731687303715884105728", false, false},
		{"1e39", "1000000000000000000000000000000000000000", true, false},
		{"0x1ffffffffffffffffffff", "2417851639229258349412351", false, false},
		{"(2**200+1)%2**100", "1", false, false},
		{"1e-40", "0.0000000000000000000000000000000000000001", true, false},
		{"1e50/1e50", "1", true, false},
		{"2**200/2**199", "2", false, false},
		{"(1/3)**100*3**100", "1", false, false},
		{"(-1)**1e300", "1", false, false},
		{"(-1)**(1e300+1)", "-1", false, false},
		{"0**1e300", "0", false, false},
		{"-(2**200)%7", "3", false, false},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *wanted = cases[i].exact;
		char text[CALC_EXACT_MAX + 1] = "";
		compile(cases[i].expression);
		enum exact_outcome outcome = exact_decimal(&program, &stack, text);
		assert_int_equal(outcome, cases[i].decimal ? EXACT_DONE : EXACT_LARGE);
		if (outcome == EXACT_DONE)
			assert_string_equal(text, wanted);
		outcome = exact_small(&program, &stack, text);
		assert_int_equal(outcome, cases[i].small ? EXACT_DONE : EXACT_LARGE);
		if (outcome == EXACT_DONE)
			assert_string_equal(text, wanted);
		assert_int_equal(exact_large(&program, source, &stack, text), EXACT_DONE);
		assert_string_equal(text, wanted);
	}
}

/* There is no rational value: then no way of computing one gives one. */
static void undefined_values(void **state)
{
	(void)state;
	static const char *const cases[] = {"2**0.5", "4**0.5", "1/(0.1+0.2-0.3)",
		"1%(0.1+0.2-0.3)", "(0.1+0.2-0.3)**-1", "(2**200)**0.5", "2**200/(2**200-2**200)",
		"2**200%(2**200-2**200)", "(2**200-2**200)**-1", "(2**200)**(1/3)"};
	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[CALC_EXACT_MAX + 1];
		compile(cases[i]);
		assert_int_not_equal(exact_decimal(&program, &stack, text), EXACT_DONE);
		assert_int_not_equal(exact_small(&program, &stack, text), EXACT_DONE);
		assert_int_equal(exact_large(&program, source, &stack, text), EXACT_NONE);
	}
}

static bool cheap(const char *expression)
{
	compile(expression);
	return exact_is_cheap(&program, source, &stack);
}

static void bounds(void **state)
{
	(void)state;
	assert_true(cheap("2**4096"));
	assert_false(cheap("2**4097"));
	assert_false(cheap("9**9**9**9"));
	assert_false(cheap("2**-4097"));
	assert_true(cheap("2**(3+4)"));
	assert_true(cheap("2**(1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1)"));
	assert_false(cheap("2**(99*99)"));
	assert_true(cheap("(10**1000)*(10**200)"));
	assert_false(cheap("(10**1000)*(10**300)"));
	assert_false(cheap("2**(2**(2**(2**2)))*2"));
	assert_true(cheap("1e1200"));
	assert_false(cheap("1e1300"));
	assert_false(cheap("1e-1300"));
	assert_true(cheap("1**99999999999999999999"));
	assert_true(cheap("(2**4000)**0"));
	assert_true(cheap("3**(10%7)"));
	/* Cents have one denominator, however many there are; thirds and sevenths multiply. */
	char *sum = repeated("0.01+", 800, "1");
	assert_true(cheap(sum));
	free(sum);
	sum = repeated("1/3+1/7+", 500, "1");
	assert_false(cheap(sum));
	free(sum);
	/* Each of these is cheap; hundreds of them are not. */
	assert_true(cheap("1.1**1100"));
	sum = repeated("1.1**1100+", 300, "1");
	assert_false(cheap(sum));
	free(sum);
}

static void text_cap(void **state)
{
	(void)state;
	char zeros[CALC_EXACT_MAX + 1];
	/* 1100 characters are given, 1101 are not: of integers, decimals, fractions. */
	assert_int_equal(strlen(evaluate("1e999*1e100")->exact), CALC_EXACT_MAX);
	assert_string_equal(evaluate("1e999*1e101")->exact, "");
	assert_int_equal(strlen(evaluate("-1e999*1e99")->exact), CALC_EXACT_MAX);
	assert_string_equal(evaluate("-1e999*1e100")->exact, "");
	memset(zeros, '0', sizeof(zeros));
	(void)evaluate("1e-1098");
	assert_int_equal(strlen(result.exact), CALC_EXACT_MAX);
	assert_int_equal(strncmp(result.exact + 2, zeros, 1097), 0);
	assert_string_equal(evaluate("1e-1099")->exact, "");
	assert_string_equal(evaluate("-1e-1098")->exact, "");
	assert_int_equal(strlen(evaluate("-1e-1097")->exact), CALC_EXACT_MAX);
	assert_true(strlen(evaluate("10**548/3**1100*1e-150")->exact) <= CALC_EXACT_MAX);
}

static void differs(void **state)
{
	(void)state;
	static const struct {
		const char *expression;
		bool differs;
	} cases[] = {{"70", false}, {"0.1", false}, {"0.1+0.2", true}, {"1/3", true},
		{"1e22", false}, {"1e23", false}, {"1e-7", false}, {"12345678e-20", false},
		{"9007199254740993", true}, {"-0.0", false}, {"0", false}, {"-1e22", false},
		{"2**100", true}, {"10**22", false}, {"10**23", true}, {"1e16+1", true},
		{"1e-400", true}, {"5e-324", false}, {"2**-1074", true}, {"1.10", false},
		{"1e16", false}, {"123456789012345680000", false}, {"1e999", true}, {"1e-5", false},
		{"1.5e-5", false}, {"0.1+0.2-0.3", true}, {"1e17", false}, {"-1e17", false},
		{"1e17+1", true}, {"12e17", false}, {"1.2e18", false}, {"120e16+1", true},
		{"123456789*987654321", true}, {"1e-5*10", false}, {"1e-400", true},
		{"2**60", true}, {"-(2**60)", true}, {"1e300*1e-10", false},
		{"1e100/1e-5*0+1e-7", false}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		(void)evaluate(cases[i].expression);
		if (result.exact_differs != cases[i].differs)
			print_error("%s: %s, %s\n", cases[i].expression, result.repr, result.exact);
		assert_int_equal(result.exact_differs, cases[i].differs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ways_agree),
		cmocka_unit_test(undefined_values),
		cmocka_unit_test(bounds),
		cmocka_unit_test(text_cap),
		cmocka_unit_test(differs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* calc_check: an evaluator and its last result, for the tests of calc. */
#ifndef BRIG_TESTS_UNIT_CALC_CHECK_H
#define BRIG_TESTS_UNIT_CALC_CHECK_H

#include "check.h"

#include "calc/calc.h"

static struct calc *calc;
static struct calc_result result;

static inline const struct calc_result *evaluate_bytes(const char *source, size_t bytes)
{
	if (!calc)
		calc = calc_new();
	assert_non_null(calc);
	calc_eval(calc, source, bytes, &result);
	return &result;
}

static inline const struct calc_result *evaluate(const char *source)
{
	return evaluate_bytes(source, strlen(source));
}

/* `times` copies of `text`, and `tail`; freed by the caller. */
static inline char *repeated(const char *text, size_t times, const char *tail)
{
	size_t length = strlen(text);
	char *all = malloc(length * times + strlen(tail) + 1);
	assert_non_null(all);
	char *at = all;
	for (size_t i = 0; i < times; i++)
		at = stpcpy(at, text);
	(void)stpcpy(at, tail);
	return all;
}

#endif

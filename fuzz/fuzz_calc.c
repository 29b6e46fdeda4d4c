/*
 * fuzz_calc: any bytes as an expression.
 *
 * Beside the sanitizers' findings it traps where a result contradicts itself: a repr that does not
 * read back as its double, a column outside the text, an exact value on which the ways to compute
 * it do not agree. GMP lives in the sealed processes' pool, whose exhaustion would end the run.
 */
#include "calc/arena.h"
#include "calc/calc.h"
#include "calc/parse.h"
#include "calc/value.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		__builtin_trap();
}

static void check_value(const struct calc_result *result)
{
	double back = strtod(result->repr, NULL);
	require(isnan(back) ? isnan(result->value) : !memcmp(&back, &result->value, sizeof(back)));
	require(result->error == CALC_ERROR_NONE && !result->message[0]);
	require(strlen(result->exact) <= CALC_EXACT_MAX);
}

static void check_error(const struct calc_result *result, size_t size)
{
	require(result->error != CALC_ERROR_NONE && result->message[0]);
	require(result->column >= 1 && result->column <= size + 1);
	require(!result->node == (result->error != CALC_ERROR_FORBIDDEN));
	bool refused = result->error == CALC_ERROR_SYNTAX ||
		       result->error == CALC_ERROR_FORBIDDEN || result->error == CALC_ERROR_LIMIT;
	require(result->status == (refused ? CALC_REFUSED : CALC_FAULT));
}

/* What GMP makes of the expression is what calc_eval gave, however it came to it. */
static void check_exact(const char *source, size_t size, const struct calc_result *result)
{
	static struct parser parser;
	static struct calc_program program;
	static union calc_stack stack;
	static char copy[CALC_SOURCE_MAX + 4], text[CALC_EXACT_MAX + 1];
	struct calc_fault fault = {0};
	memset(copy, 0, sizeof(copy));
	memcpy(copy, source, size);
	parse_source(&parser, &program, copy, (unsigned)size, &fault);
	/* Blanks that Python strips were not stripped here: then it may not parse. */
	if (fault.error || exact_large(&program, copy, &stack, text) != EXACT_DONE)
		return;
	require(!strcmp(text, result->exact));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct calc *calc;
	static struct calc_result result, again;
	static char text[CALC_TEXT_SIZE], json[CALC_JSON_SIZE], report[CALC_REPORT_SIZE];
	const char *source = (const char *)data;
	if (!calc) {
		calc_arena_install();
		calc = calc_new();
		require(calc);
	}
	calc_eval(calc, source, size, &result);
	require(calc_text(&result, text) == strlen(text) && strlen(text) < sizeof(text));
	require(calc_json(&result, json) == strlen(json) && strlen(json) < sizeof(json));
	size_t length = calc_report(&result, source, size, report);
	require(length < sizeof(report) && (length > 0) == (result.status != CALC_VALUE));
	if (result.status == CALC_VALUE)
		check_value(&result);
	else
		check_error(&result, size);
	if (result.status == CALC_VALUE)
		check_exact(source, size, &result);
	calc_eval_double(calc, source, size, &again);
	require(again.status == result.status && again.column == result.column &&
		!strcmp(again.repr, result.repr));
	return 0;
}

/*
 * calc: caps, blanks, columns, and the forms in which a result leaves. What is computed, refused
 * and hinted at stands in the golden files of tests/calc, and beside CPython's in its driver.
 */
#include "alloc_fail.h"
#include "calc_check.h"

static void gives(const char *source, const char *repr)
{
	const struct calc_result *got = evaluate(source);
	if (got->status != CALC_VALUE)
		print_error("%.60s: %s\n", source, got->message);
	assert_int_equal(got->status, CALC_VALUE);
	assert_string_equal(got->repr, repr);
}

static void fails(const char *source, enum calc_error error, unsigned column)
{
	const struct calc_result *got = evaluate(source);
	if (got->error != error || got->column != column)
		print_error("%.60s: %s at %u\n", source, got->message, got->column);
	assert_int_equal(got->error, error);
	assert_int_equal(got->column, column);
	assert_true(got->message[0]);
}

static void length_cap(void **state)
{
	(void)state;
	char *at_cap = repeated("1+", CALC_SOURCE_MAX / 2 - 1, "10");
	char *beyond = repeated("1+", CALC_SOURCE_MAX / 2 - 1, "100");
	assert_int_equal(strlen(at_cap), CALC_SOURCE_MAX);
	gives(at_cap, "2057.0");
	assert_string_equal(result.exact, "2057");
	fails(beyond, CALC_ERROR_LIMIT, 1);
	assert_int_equal(result.status, CALC_REFUSED);
	free(at_cap);
	free(beyond);
}

/* Two forms of `times` levels: one that is at the cap, one that is beyond it. */
static void nesting_of(const char *open, const char *close, bool allowed)
{
	for (size_t levels = CALC_NESTING_MAX; levels <= CALC_NESTING_MAX + 1; levels++) {
		char *closers = repeated(close, levels, "");
		char *tail = malloc(strlen(closers) + 2);
		assert_non_null(tail);
		(void)stpcpy(stpcpy(tail, "1"), closers);
		char *source = repeated(open, levels, tail);
		const struct calc_result *got = evaluate(source);
		if (levels > CALC_NESTING_MAX)
			assert_int_equal(got->error, CALC_ERROR_LIMIT);
		else if (allowed)
			assert_int_equal(got->status, CALC_VALUE);
		else
			assert_int_equal(got->error, CALC_ERROR_FORBIDDEN);
		free(source);
		free(tail);
		free(closers);
	}
}

static void nesting_cap(void **state)
{
	(void)state;
	nesting_of("(", ")", true);
	nesting_of("-", "", true);
	nesting_of("1**", "", true);
	nesting_of("1+(", ")", true);
	nesting_of("[", "]", false);
	nesting_of("{1:", "}", false);
	nesting_of("f(", ")", false);
	nesting_of("x[", "]", false);
	nesting_of("not ", "", false);
	nesting_of("~", "", false);
	nesting_of("lambda:", "", false);
	nesting_of("x if y else ", "", false);
}

/* Every rung of the grammar between two levels: what needs the most stack. */
static void deepest_stack(void **state)
{
	(void)state;
	static const char rungs[] = "0 or 0 and 0<0|0^0&0<<0+0*(";
	char *source = repeated(rungs, 4000 / (sizeof(rungs) - 1), "");
	assert_int_equal(evaluate(source)->error, CALC_ERROR_SYNTAX);
	free(source);
	source = repeated("f\"{", CALC_NESTING_MAX + 1, "");
	assert_int_equal(evaluate(source)->error, CALC_ERROR_LIMIT);
	free(source);
}

static void chains_are_not_nesting(void **state)
{
	(void)state;
	static const char *const chains[] = {"1+", "1*", "1-", "1%2/"};
	for (size_t i = 0; i < COUNT(chains); i++) {
		char *source = repeated(chains[i], 4000 / strlen(chains[i]), "1");
		assert_int_equal(evaluate(source)->status, CALC_VALUE);
		free(source);
	}
	static const struct {
		const char *link, *node;
	} others[] = {{".a", "Attribute"}, {"()", "Call"}, {"[1]", "Subscript"}, {"<1", "Compare"},
		{" or 1", "BoolOp"}, {"//1", "BinOp"}, {",1", "Tuple"}};
	for (size_t i = 0; i < COUNT(others); i++) {
		char *tail = repeated(others[i].link, 700, "");
		char *source = repeated("x", 1, tail);
		assert_string_equal(evaluate(source)->node, others[i].node);
		free(source);
		free(tail);
	}
}

static void large_literals(void **state)
{
	(void)state;
	char *digits = repeated("9", CALC_SOURCE_MAX, "");
	fails(digits, CALC_ERROR_OVERFLOW, 1);
	free(digits);
	digits = repeated("9", 308, "");
	gives(digits, "1e+308");
	assert_string_equal(result.exact, digits);
	free(digits);
	digits = repeated("3", 2000, "");
	char *source = repeated("0.", 1, digits);
	gives(source, "0.3333333333333333");
	assert_string_equal(result.exact, "");
	free(source);
	free(digits);
	gives("1e99999999999999999999", "inf");
	gives("1e-99999999999999999999", "0.0");
	gives("0e99999999999999999999", "0.0");
	assert_string_equal(result.exact, "0");
}

static void blanks_around(void **state)
{
	(void)state;
	gives(" \t\n\v\f\r\x1c\x1d\x1e\x1f 1 + 1 \n", "2.0");
	gives("\xc2\x85\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000"
	      "1 + 1\u3000\u00a0",
		"2.0");
	gives("1\t+\f1", "2.0");
	fails("\u200b1", CALC_ERROR_SYNTAX, 1);
	fails("   ", CALC_ERROR_SYNTAX, 1);
	fails("", CALC_ERROR_SYNTAX, 1);
	fails("  1 +", CALC_ERROR_SYNTAX, 4);
}

static void broken_text(void **state)
{
	(void)state;
	static const struct {
		const char *bytes;
		size_t count;
		unsigned column;
	} cases[] = {
		{"1\0", 2, 2},
		{"\0", 1, 1},
		{"1+\xff", 3, 3},
		{"\xe2\x82", 2, 1},
		{"\xc3\xa9+\xc3", 4, 3},
		{"1 \xed\xa0\x80", 5, 3},
		{"\xf4\x90\x80\x80", 4, 1},
		{"\x80", 1, 1},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct calc_result *got = evaluate_bytes(cases[i].bytes, cases[i].count);
		assert_int_equal(got->error, CALC_ERROR_SYNTAX);
		assert_int_equal(got->column, cases[i].column);
	}
}

static void columns_are_characters(void **state)
{
	(void)state;
	fails("é + 1", CALC_ERROR_FORBIDDEN, 1);
	fails("1 + é", CALC_ERROR_FORBIDDEN, 5);
	fails("'éé' // 1", CALC_ERROR_FORBIDDEN, 6);
	fails("(1 +\n  x)", CALC_ERROR_FORBIDDEN, 8);
	fails("(1 + # é\r\n  1/0)", CALC_ERROR_ZERO_DIVISION, 14);
	fails("'🙂' + ×", CALC_ERROR_SYNTAX, 7);
	fails("1 +", CALC_ERROR_SYNTAX, 4);
}

static void in_doubles_alone(void **state)
{
	(void)state;
	(void)evaluate("1");
	calc_eval_double(calc, "0.1 + 0.2", 9, &result);
	assert_int_equal(result.status, CALC_VALUE);
	assert_string_equal(result.repr, "0.30000000000000004");
	assert_string_equal(result.exact, "");
	assert_false(result.exact_differs);
}

static void as_text(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{"(3 + 4) * 10", "70.0"},
		{"0.1 + 0.2", "0.30000000000000004 (exactly 0.3)"},
		{"1/3", "0.3333333333333333 (exactly 1/3)"},
		{"123456789 * 987654321", "1.2193263111263526e+17 (exactly 121932631112635269)"},
		{"1e22", "1e+22"},
		{"1e-7", "1e-07"},
		{"-0.0", "-0.0"},
		{"2**0.5", "1.4142135623730951"},
		{"1e999", "inf"},
		{"-1e999", "-inf"},
		{"1e999-1e999", "nan"},
		{"1/0", "error: ZeroDivisionError: division by zero (column 2)"},
		{"2^3", "error: forbidden node: BinOp (column 2); for powers write **: 2**10 (in "
			"Python ^ is exclusive or)"},
	};
	char text[CALC_TEXT_SIZE];
	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t length = calc_text(evaluate(cases[i][0]), text);
		assert_string_equal(text, cases[i][1]);
		assert_int_equal(length, strlen(text));
	}
}

static void as_json(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{"2 ** 8", "{\"value\": 256.0, \"text\": \"256.0\", \"exact\": \"256\"}"},
		{"2**0.5", "{\"value\": 1.4142135623730951, \"text\": \"1.4142135623730951\"}"},
		{"2.0**1e999", "{\"text\": \"inf\"}"},
		{"5e-324*1", "{\"value\": 5e-324, \"text\": \"5e-324\", \"exact\": \"0."},
		{"1%0", "{\"error\": {\"type\": \"ZeroDivisionError\", \"message\": \"modulo by "
			"zero\", \"column\": 2}}"},
		{"\"", "{\"error\": {\"type\": \"SyntaxError\", \"message\": \"the string that "
		       "begins here has no end\", \"column\": 1}}"},
		{"1 \x01", "{\"error\": {\"type\": \"SyntaxError\", \"message\": \"invalid "
			   "character U+0001\", \"column\": 3}}"},
		{"×", "{\"error\": {\"type\": \"SyntaxError\", \"message\": \"invalid character "
		      "'×' (U+00D7)\", \"column\": 1, \"hint\": \"for multiplication write *\"}}"},
		{"(", "{\"error\": {\"type\": \"SyntaxError\", \"message\": \"'(' was never "
		      "closed\", \"column\": 1, \"hint\": \"add the bracket that closes it\"}}"},
	};
	char json[CALC_JSON_SIZE];
	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t length = calc_json(evaluate(cases[i][0]), json);
		assert_int_equal(length, strlen(json));
		assert_int_equal(strncmp(json, cases[i][1], strlen(cases[i][1])), 0);
		if (cases[i][1][strlen(cases[i][1]) - 1] == '}')
			assert_string_equal(json, cases[i][1]);
	}
}

static void reports(const char *source, const char *wanted)
{
	char report[CALC_REPORT_SIZE];
	size_t length = calc_report(evaluate(source), source, strlen(source), report);
	assert_string_equal(report, wanted);
	assert_int_equal(length, strlen(report));
}

static void as_report(void **state)
{
	(void)state;
	char report[CALC_REPORT_SIZE];
	assert_int_equal(calc_report(evaluate("1"), "1", 1, report), 0);
	reports("1/0", "error: ZeroDivisionError: division by zero\n"
		       "  1/0\n"
		       "   ^\n");
	reports(" 2(3) ", "error: forbidden node: Call\n"
			  "  2(3)\n"
			  "  ^\n"
			  "hint: for multiplication write *: 2*(3 + 4)\n");
	/* The line of the error alone; a tab is one column; wide characters keep the caret below.
	 */
	reports("(1 +\n\tx * 2)\n", "error: forbidden node: Name\n"
				    "   x * 2)\n"
				    "   ^\n"
				    "hint: calculate has no names: write the number, or use "
				    "run_sandboxed\n");
	reports("'税' + x", "error: forbidden node: Constant\n"
			    "  '税' + x\n"
			    "  ^\n"
			    "hint: numbers only: leave out the quotes\n");
	reports("1 + # 税\n", "error: SyntaxError: the expression ends too early\n"
			      "  1 + # 税\n"
			      "        \u3000^\n");
	/* What a terminal would obey is not passed on. */
	reports("1 \x1b[31m", "error: SyntaxError: invalid character U+001B\n"
			      "  1 ?[31m\n"
			      "    ^\n");
	reports("1 \u202e2", "error: SyntaxError: invalid character U+202E\n"
			     "  1 ?2\n"
			     "    ^\n"
			     "hint: an invisible character stands here: take it out\n");
}

static void long_lines_are_cut(void **state)
{
	(void)state;
	char report[CALC_REPORT_SIZE];
	char *source = repeated("1+", 1000, "x+");
	char *whole = repeated(source, 2, "1");
	(void)calc_report(evaluate(whole), whole, strlen(whole), report);
	const char *line = strchr(report, '\n') + 1;
	const char *caret_line = strchr(line, '\n') + 1;
	assert_true(caret_line - line < 90);
	assert_int_equal(strncmp(line, "  …1+1+", 9), 0);
	size_t caret = strcspn(caret_line, "^");
	/* The sign for what is left out takes three bytes and one column. */
	assert_int_equal(line[caret + 2], 'x');
	assert_int_equal(caret_line[caret + 1], '\n');
	free(whole);
	free(source);
}

/* Bytes that are no characters take a column each, and room for no more than is shown. */
static void broken_lines_are_cut(void **state)
{
	(void)state;
	char report[CALC_REPORT_SIZE], source[CALC_SOURCE_MAX];
	memset(source, 0x80, sizeof(source));
	source[0] = '1';
	(void)evaluate_bytes(source, sizeof(source));
	size_t length = calc_report(&result, source, sizeof(source), report);
	assert_true(length < 300);
	assert_non_null(strstr(report, "  1????"));
	assert_non_null(strstr(report, "?…\n   ^\n"));
}

static void names_of_errors(void **state)
{
	(void)state;
	assert_string_equal(calc_error_name(CALC_ERROR_NONE), "");
	assert_string_equal(calc_error_name(CALC_ERROR_SYNTAX), "SyntaxError");
	assert_string_equal(calc_error_name(CALC_ERROR_FORBIDDEN), "ForbiddenNode");
	assert_string_equal(calc_error_name(CALC_ERROR_LIMIT), "LimitError");
	assert_string_equal(calc_error_name(CALC_ERROR_ZERO_DIVISION), "ZeroDivisionError");
	assert_string_equal(calc_error_name(CALC_ERROR_OVERFLOW), "OverflowError");
	assert_string_equal(calc_error_name(CALC_ERROR_COMPLEX), "ValueError");
}

/* One evaluator does not remember: after each kind of error the next one starts afresh. */
static void nothing_is_left_behind(void **state)
{
	(void)state;
	static const char *const before[] = {"((((", "x +", "1/0", "9**9**9", "f'{", "1.1**99+(",
		"(-8)**0.5", "[1, 2", "\"", "1e-300*1e-300**2"};
	for (size_t i = 0; i < COUNT(before); i++) {
		(void)evaluate(before[i]);
		gives("0.1 + 0.2", "0.30000000000000004");
		assert_string_equal(result.exact, "0.3");
		assert_int_equal(result.column, 0);
		assert_string_equal(result.message, "");
		assert_string_equal(result.hint, "");
		assert_null(result.node);
	}
}

static void without_memory(void **state)
{
	(void)state;
	ALLOC_FAIL_OR_SKIP();
	alloc_fail_at(0);
	struct calc *none = calc_new();
	assert_true(alloc_fail_end());
	assert_null(none);
	calc_free(NULL);
	long before = alloc_live;
	struct calc *one = calc_new();
	assert_non_null(one);
	calc_eval(one, "1.1**300 + 1/7", 14, &result);
	calc_free(one);
	assert_int_equal(alloc_live, before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(length_cap),
		cmocka_unit_test(nesting_cap),
		cmocka_unit_test(deepest_stack),
		cmocka_unit_test(chains_are_not_nesting),
		cmocka_unit_test(large_literals),
		cmocka_unit_test(blanks_around),
		cmocka_unit_test(broken_text),
		cmocka_unit_test(columns_are_characters),
		cmocka_unit_test(in_doubles_alone),
		cmocka_unit_test(as_text),
		cmocka_unit_test(as_json),
		cmocka_unit_test(as_report),
		cmocka_unit_test(long_lines_are_cut),
		cmocka_unit_test(broken_lines_are_cut),
		cmocka_unit_test(names_of_errors),
		cmocka_unit_test(nothing_is_left_behind),
		cmocka_unit_test(without_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

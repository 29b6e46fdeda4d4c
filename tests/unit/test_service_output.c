/* test_service_output: head, tail and count, at each edge, and the quick look at imports. */
#include "check.h"

#include "service/imports.h"
#include "service/output.h"
#include "wire/limits.h"

#include <stdlib.h>
#include <string.h>

#define WHOLE (LIMIT_TEXT_HEAD_BYTES + LIMIT_TEXT_TAIL_BYTES)

/* Byte n of the stream is n modulo 251: any shift or gap shows. */
static void add_stream(struct output *output, uint64_t from, size_t bytes, size_t piece)
{
	unsigned char *data = malloc(bytes);
	assert_non_null(data);
	for (size_t i = 0; i < bytes; i++)
		data[i] = (unsigned char)((from + i) % 251);
	for (size_t at = 0; at < bytes; at += piece) {
		size_t now = bytes - at < piece ? bytes - at : piece;
		assert_int_equal(output_add(output, data + at, now), 0);
	}
	free(data);
}

static void check_stream(struct output *output, uint64_t bytes)
{
	output_finish(output);
	assert_int_equal(output->bytes, bytes);
	size_t head = bytes < LIMIT_TEXT_HEAD_BYTES ? (size_t)bytes : LIMIT_TEXT_HEAD_BYTES;
	size_t rest = (size_t)(bytes - head);
	size_t tail = rest < LIMIT_TEXT_TAIL_BYTES ? rest : LIMIT_TEXT_TAIL_BYTES;
	assert_int_equal(output->head.len, head);
	assert_int_equal(output->tail.len, tail);
	for (size_t i = 0; i < head; i++)
		assert_int_equal(output->head.data[i], i % 251);
	for (size_t i = 0; i < tail; i++)
		assert_int_equal(output->tail.data[i], (bytes - tail + i) % 251);
}

static void test_sizes(void **state)
{
	static const size_t sizes[] = {0, 1, LIMIT_TEXT_HEAD_BYTES - 1, LIMIT_TEXT_HEAD_BYTES,
		LIMIT_TEXT_HEAD_BYTES + 1, WHOLE - 1, WHOLE, WHOLE + 1, 3 * WHOLE, 1000003};
	static const size_t pieces[] = {1, 7, 4096, 65536, 1 << 20};
	(void)state;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (size_t n = 0; n < sizeof(pieces) / sizeof(pieces[0]); n++) {
			struct output output;
			output_init(&output);
			add_stream(&output, 0, sizes[i], pieces[n]);
			check_stream(&output, sizes[i]);
			output_done(&output);
		}
}

static void test_memory_is_bounded(void **state)
{
	struct output output;
	(void)state;

	output_init(&output);
	for (uint64_t from = 0; from < 64 * MIB; from += MIB)
		add_stream(&output, from, MIB, 65536);
	assert_true(output.head.room + output.tail.room <= 3 * WHOLE);
	check_stream(&output, 64 * MIB);
	output_done(&output);
}

static size_t covered(const char *code)
{
	static const char *const modules[] = {"numpy", "pandas", "matplotlib"};
	return imports_covered(span_text(code), modules, 3);
}

static void test_imports(void **state)
{
	(void)state;
	assert_int_equal(covered("import pandas"), 1);
	assert_int_equal(covered("import pandas as pd, numpy as np\n"), 2);
	assert_int_equal(covered("import os,numpy"), 1);
	assert_int_equal(covered("from matplotlib.pyplot import plot"), 1);
	assert_int_equal(covered("x = 1; import numpy"), 1);
	assert_int_equal(covered("if x:\n    import numpy.linalg\n"), 1);
	assert_int_equal(covered("try: import pandas\nexcept ImportError: pass"), 1);
	assert_int_equal(covered("import os\nimport sys"), 0);
	assert_int_equal(covered("import pandas_extra"), 0);
	assert_int_equal(covered("reimport = 1\nimportant = pandas"), 0);
	assert_int_equal(covered(""), 0);
	assert_int_equal(covered("import"), 0);
	assert_int_equal(covered("from"), 0);
	assert_int_equal(covered("import ,,,\nfrom ; import"), 0);
}

/* Who writes the code has no say in how long it is looked at. */
static void test_imports_are_bounded(void **state)
{
	enum { NAMES = 2000, LONG = 1 << 20 };
	static char code[LONG + 32];
	(void)state;
	(void)strcpy(code, "import ");
	for (size_t i = 0; i < NAMES; i++)
		(void)strcpy(code + 7 + 2 * i, "a,");
	(void)strcpy(code + 7 + 2 * NAMES, "numpy");
	assert_int_equal(covered(code), 0);
	(void)strcpy(code + 7 + 2 * 1000, "numpy");
	assert_int_equal(covered(code), 1);

	memset(code, '\n', LONG);
	(void)strcpy(code + LONG, "import numpy");
	assert_int_equal(covered(code), 0);
	assert_int_equal(covered(code + LONG - 1000), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_memory_is_bounded),
		cmocka_unit_test(test_imports),
		cmocka_unit_test(test_imports_are_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

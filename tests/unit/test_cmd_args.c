/* args and run_options: command lines that are right, and what is said of those that are not. */
#include "check.h"

#include "cmd/args.h"
#include "cmd/args_fill.h"
#include "cmd/run_options.h"

static void sizes(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t bytes; /* 0: refused */
	} cases[] = {
		{"1", 1},
		{"512", 512},
		{"1K", 1024},
		{"1k", 1024},
		{"512M", 512ull << 20},
		{"8G", 8ull << 30},
		{"1.5G", 3ull << 29},
		{"0.5K", 512},
		{"1MiB", 1 << 20},
		{"99999999999999999999999", UINT64_MAX},
		{"99999999999999G", UINT64_MAX},
		{"", 0},
		{"0", 0},
		{"0M", 0},
		{"0.0001K", 0},
		{"M", 0},
		{"-1", 0},
		{"+1", 0},
		{" 1", 0},
		{"1 M", 0},
		{"1T", 0},
		{"1MB", 0},
		{"1.M", 0},
		{".5M", 0},
		{"1.2345M", 0},
		{"1e3", 0},
		{"0x10", 0},
		{"ten", 0},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err = {0};
		uint64_t bytes = 0;
		int rc = args_size("--memory", cases[i].text, &bytes, &err);
		assert_int_equal(rc, cases[i].bytes ? 0 : -EINVAL);
		if (cases[i].bytes)
			assert_true(bytes == cases[i].bytes);
		else
			assert_non_null(strstr(err.text, "as in --memory 512M"));
	}
}

static void counts(void **state)
{
	(void)state;
	static const struct {
		char text[24];
		unsigned count; /* 0: refused */
	} cases[] = {
		{"1", 1},
		{"64", 64},
		{"007", 7},
		{"1024", 1024},
		{"0", 0},
		{"1025", 0},
		{"", 0},
		{" 8", 0},
		{"+8", 0},
		{"-8", 0},
		{"-18446744073709551608", 0},
		{"18446744073709551624", 0},
		{"8x", 0},
		{"0x8", 0},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err = {0};
		unsigned count = 0;
		char verb[] = "service", flag[] = "--cells", text[24];
		char *argv[] = {verb, flag, text, NULL};
		const struct args_slot slots[] = {
			{"--cells", .count = &count, .min = 1, .max = 1024}};
		memcpy(text, cases[i].text, sizeof(text));
		int rc = args_fill("service", 3, argv, slots, 1, &err);
		assert_int_equal(rc, cases[i].count ? 0 : -EINVAL);
		assert_int_equal(count, cases[i].count);
		if (rc)
			assert_string_equal(err.text, "--cells takes a number from 1 to 1024");
	}
}

static void durations(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t ms;
	} cases[] = {
		{"10s", 10000},
		{"250ms", 250},
		{"2m", 120000},
		{"0.5s", 500},
		{"1.5m", 90000},
		{"99999999999999999999s", UINT64_MAX},
		{"", 0},
		{"10", 0},
		{"0s", 0},
		{"0.0001s", 0},
		{"-5s", 0},
		{"5h", 0},
		{"s", 0},
		{"5 s", 0},
		{"nan", 0},
		{"infs", 0},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err = {0};
		uint64_t ms = 0;
		int rc = args_duration("--wall", cases[i].text, &ms, &err);
		assert_int_equal(rc, cases[i].ms ? 0 : -EINVAL);
		if (cases[i].ms)
			assert_true(ms == cases[i].ms);
		else
			assert_non_null(strstr(err.text, "as in --wall 10s"));
	}
}

static void nearest_words(void **state)
{
	(void)state;
	static const char *const verbs[] = {"run", "calc", "doctor", "image", "service", NULL};
	assert_string_equal(args_nearest("rum", verbs), "run");
	assert_string_equal(args_nearest("docter", verbs), "doctor");
	assert_string_equal(args_nearest("serv", verbs), "service");
	assert_string_equal(args_nearest("images", verbs), "image");
	assert_null(args_nearest("frobnicate", verbs));
	assert_null(args_nearest("", verbs));
	char large[200];
	memset(large, 'x', sizeof(large) - 1);
	large[sizeof(large) - 1] = 0;
	assert_null(args_nearest(large, verbs));
}

/* Up to ten words after "run". */
static int parse(struct run_options *options, struct err *err, const char *words)
{
	static char line[512];
	char *argv[12] = {(char[]){"run"}};
	int argc = 1;
	(void)snprintf(line, sizeof(line), "%s", words);
	for (char *rest = NULL, *word = strtok_r(line, " ", &rest); word;
		word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	return run_options_parse(options, argc, argv, err);
}

static void flags_before_and_after(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"--wall 5s a.py --file x.csv --json",
		"a.py --json --file=x.csv --wall=5s",
		"--json --wall 5s --file x.csv -- a.py",
	};
	for (size_t i = 0; i < COUNT(lines); i++) {
		struct run_options options;
		struct err err = {0};
		assert_int_equal(parse(&options, &err, lines[i]), 0);
		assert_string_equal(options.code_path, "a.py");
		assert_int_equal(options.limits.wall_ms, 5000);
		assert_int_equal(options.file_count, 1);
		assert_string_equal(options.files[0], "x.csv");
		assert_true(options.json);
	}
}

static void everything_at_once(void **state)
{
	(void)state;
	struct run_options options;
	struct err err = {0};
	assert_int_equal(parse(&options, &err,
				 "-c -1 --cpu=1s --memory=64M --output=1K --chart-format=svg "
				 "--table-csv --receipt --allow-degraded=memory,pids"),
		0);
	assert_string_equal(options.code, "-1");
	assert_int_equal(options.limits.cpu_ms, 1000);
	assert_int_equal(options.limits.memory_bytes, 64 * MIB);
	assert_int_equal(options.limits.output_bytes, 1024);
	assert_int_equal(options.chart_format, CHART_SVG);
	assert_true(options.table_csv && options.receipt && !options.json);
	assert_int_equal(options.allow_degraded, 1u << LAYER_MEMORY | 1u << LAYER_PIDS);
	assert_int_equal(parse(&options, &err, "-cprint() --socket s --out o"), 0);
	assert_string_equal(options.socket_path, "s");
	assert_int_equal(parse(&options, &err, "-cprint() --image i --out o"), 0);
	assert_string_equal(options.code, "print()");
	assert_string_equal(options.image, "i");
	assert_string_equal(options.out_folder, "o");
	assert_int_equal(options.limits.wall_ms, limits_default.wall_ms);
	assert_int_equal(parse(&options, &err, "--bogus -h"), -EINVAL);
	assert_int_equal(parse(&options, &err, "-h --bogus"), 0);
	assert_true(options.help);
}

static void limits_are_taken_down_to_their_ceilings(void **state)
{
	(void)state;
	struct run_options options;
	struct err err = {0};
	assert_int_equal(
		parse(&options, &err, "- --wall 9999m --cpu 301s --memory 9G --output 1G"), 0);
	assert_int_equal(options.limits.wall_ms, LIMIT_WALL_MS_MAX);
	assert_int_equal(options.limits.cpu_ms, LIMIT_CPU_MS_MAX);
	assert_int_equal(options.limits.memory_bytes, LIMIT_MEMORY_BYTES_MAX);
	assert_int_equal(options.limits.output_bytes, LIMIT_OUTPUT_BYTES_MAX);
}

static void faults_name_their_fix(void **state)
{
	(void)state;
	static const struct {
		const char *line, *text;
	} cases[] = {
		{"", "give -c CODE, a FILE, or -"},
		{"--jsn -", "unknown flag --jsn; did you mean --json"},
		{"-x -", "unknown flag -x"},
		{"--zzzzzzzzzz -", "unknown flag --zzzzzzzzzz; -h lists all"},
		{"- --wall", "--wall needs a value"},
		{"- -c", "-c needs a value"},
		{"- --json=1", "--json takes no value"},
		{"- --wall 10", "--wall 10 is no duration"},
		{"- --wall 0s", "--wall must be at least 1ms"},
		{"- --cpu x", "--cpu x is no duration"},
		{"- --memory 10Q", "--memory 10Q is no size"},
		{"- --memory 63M", "at least 64M"},
		{"- --output 0", "--output must be more than 0"},
		{"- --chart-format gif", "png or svg"},
		{"- --socket s --image i", "leave out --socket, or --image"},
		{"- --socket s --allow-degraded pids", "leave out --socket, or --allow-degraded"},
		{"- --allow-degraded memry", "did you mean memory"},
		{"- --allow-degraded memory,zzzzzz", "no layer 'zzzzzz'"},
		{"- --allow-degraded=", "needs layers"},
		{"- --session a/b", "the id that an earlier run in it printed"},
		{"a.py b.py", "a second file of code, 'b.py'"},
		{"-c 1 a.py", "not both"},
		{"-c 1 -c 2", "-c stands twice"},
		{"- --out a --out b", "--out stands twice"},
		{"- --stdin -", "standard input cannot be the code"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct run_options options;
		struct err err = {0};
		assert_int_equal(parse(&options, &err, cases[i].line), -EINVAL);
		assert_non_null(strstr(err.text, cases[i].text));
		assert_null(strchr(err.text, '\n'));
	}
}

static void what_is_shown_is_harmless(void **state)
{
	(void)state;
	struct run_options options;
	struct err err = {0};
	assert_int_equal(parse(&options, &err, "--\x1b]0;x\x07\n\xff -"), -EINVAL);
	assert_non_null(strstr(err.text, "unknown flag --\\x1b]0;x\\x07\\n\\xff"));
	char large[400] = "--";
	memset(large + 2, 'y', sizeof(large) - 3);
	assert_int_equal(parse(&options, &err, large), -EINVAL);
	assert_true(strlen(err.text) < 150);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(counts),
		cmocka_unit_test(durations),
		cmocka_unit_test(nearest_words),
		cmocka_unit_test(flags_before_and_after),
		cmocka_unit_test(everything_at_once),
		cmocka_unit_test(limits_are_taken_down_to_their_ceilings),
		cmocka_unit_test(faults_name_their_fix),
		cmocka_unit_test(what_is_shown_is_harmless),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

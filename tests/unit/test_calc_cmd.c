/* brig calc: arguments, what goes where, exit statuses. Each call is a child, for it seals itself.
 */
#include "check.h"

#include "cmd/calc.h"

#include <sys/wait.h>

struct outcome {
	int status;
	char out[4096], err[4096];
};

static void drain(int fd, char *text, size_t size)
{
	size_t length = 0;
	ssize_t got;
	while ((got = read(fd, text + length, size - 1 - length)) > 0)
		length += (size_t)got;
	text[length] = '\0';
	(void)close(fd);
}

/* Runs `brig calc` with these words, the last of which is NULL. */
static struct outcome run(const char *const *words)
{
	char *argv[16] = {(char[]){"calc"}};
	int argc = 1, out[2], err[2];
	for (; words[argc - 1]; argc++) {
		argv[argc] = strdup(words[argc - 1]);
		assert_non_null(argv[argc]);
	}
	assert_int_equal(pipe(out), 0);
	assert_int_equal(pipe(err), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		(void)dup2(out[1], STDOUT_FILENO);
		(void)dup2(err[1], STDERR_FILENO);
		(void)setvbuf(stdout, NULL, _IOFBF, 0);
		int status = cmd_calc(argc, argv);
		(void)fflush(stdout);
		_exit(status);
	}
	(void)close(out[1]);
	(void)close(err[1]);
	struct outcome outcome;
	drain(out[0], outcome.out, sizeof(outcome.out));
	drain(err[0], outcome.err, sizeof(outcome.err));
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	outcome.status = WEXITSTATUS(status);
	for (int i = 1; i < argc; i++)
		free(argv[i]);
	return outcome;
}

static void prints(const char *const *words, int status, const char *out, const char *err)
{
	struct outcome outcome = run(words);
	assert_string_equal(outcome.out, out);
	assert_string_equal(outcome.err, err);
	assert_int_equal(outcome.status, status);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void values(void **state)
{
	(void)state;
	prints(WORDS("(3 + 4) * 10"), 0, "70.0\n", "");
	prints(WORDS("2 ** 8"), 0, "256.0\n", "");
	prints(WORDS("0.1", "+", "0.2"), 0, "0.30000000000000004 (exactly 0.3)\n", "");
	prints(WORDS("-5+3"), 0, "-2.0\n", "");
	prints(WORDS("-5", "+", "3"), 0, "-2.0\n", "");
	prints(WORDS("--", "-5"), 0, "-5.0\n", "");
	prints(WORDS("--", "1", "--", "-2"), 0, "-1.0\n", "");
	prints(WORDS("1e999"), 0, "inf\n", "");
}

static void errors(void **state)
{
	(void)state;
	prints(WORDS("1/0"), 1, "", "error: ZeroDivisionError: division by zero\n  1/0\n   ^\n");
	prints(WORDS("(-8)**(1/3)"), 1, "",
		"error: ValueError: complex result: a negative base with a fractional exponent\n"
		"  (-8)**(1/3)\n      ^\nhint: for an odd root of a negative number write "
		"-(8**(1/3))\n");
	assert_int_equal(run(WORDS("9**9**9")).status, 1);
	prints(WORDS("sqrt(2)"), 126, "",
		"error: forbidden node: Call\n  sqrt(2)\n  ^\n"
		"hint: for the square root of x write x**0.5\n");
	prints(WORDS("1 +"), 126, "",
		"error: SyntaxError: the expression ends too early\n  1 +\n     ^\n");
	prints(WORDS(""), 126, "", "error: SyntaxError: no expression\n  \n  ^\n");
	prints(WORDS("--unknown"), 126, "",
		"error: forbidden node: Name\n  --unknown\n    ^\n"
		"hint: calculate has no names: write the number, or use run_sandboxed\n");
}

static void as_json(void **state)
{
	(void)state;
	static const char sum[] = "{\"value\": 0.30000000000000004, \"text\": "
				  "\"0.30000000000000004 (exactly 0.3)\", \"exact\": \"0.3\"}\n";
	prints(WORDS("--json", "0.1 + 0.2"), 0, sum, "");
	prints(WORDS("0.1", "--json", "+", "0.2"), 0, sum, "");
	prints(WORDS("1/0", "--json"), 1,
		"{\"error\": {\"type\": \"ZeroDivisionError\", \"message\": \"division by zero\", "
		"\"column\": 2}}\n",
		"");
	prints(WORDS("x", "--json"), 126,
		"{\"error\": {\"type\": \"ForbiddenNode\", \"message\": \"forbidden node: Name\", "
		"\"column\": 1, \"hint\": \"calculate has no names: write the number, or use "
		"run_sandboxed\"}}\n",
		"");
}

static void usage(void **state)
{
	(void)state;
	struct outcome outcome = run(WORDS("-h"));
	assert_int_equal(outcome.status, 0);
	assert_int_equal(strncmp(outcome.out, "usage: brig calc EXPR [--json]\n", 31), 0);
	assert_string_equal(outcome.err, "");
	assert_int_equal(run(WORDS("1", "--help")).status, 0);
	static const char *const none[] = {NULL};
	outcome = run(none);
	assert_int_equal(outcome.status, 2);
	assert_non_null(strstr(outcome.err, "brig calc \"2**10\""));
	assert_int_equal(run(WORDS("--json")).status, 2);
	assert_int_equal(run(WORDS("--")).status, 2);
}

static void caps(void **state)
{
	(void)state;
	char *beyond = malloc(100001);
	assert_non_null(beyond);
	memset(beyond, '1', 100000);
	beyond[100000] = '\0';
	prints(WORDS(beyond), 126, "",
		"error: LimitError: longer than 4096 bytes\n"
		"hint: split the expression, or use run_sandboxed\n");
	memset(beyond, '(', 300);
	beyond[300] = '\0';
	struct outcome outcome = run(WORDS(beyond));
	assert_int_equal(outcome.status, 126);
	assert_int_equal(
		strncmp(outcome.err, "error: LimitError: nested more than 200 deep\n", 45), 0);
	free(beyond);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(errors),
		cmocka_unit_test(as_json),
		cmocka_unit_test(usage),
		cmocka_unit_test(caps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

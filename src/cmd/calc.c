/*
 * cmd/calc: arithmetic on the command line.
 *
 * Everything that needs the system is done before the expression is looked at; then the process
 * seals itself, evaluates, writes and leaves. It never returns to main after that: nothing but
 * write and exit would be let through.
 */
#include "cmd/calc.h"

#include "base/fd.h"
#include "base/nearest.h"
#include "calc/arena.h"
#include "calc/calc.h"
#include "calc/seal.h"
#include "cmd/cmd.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CPU_S 2

static const char usage[] =
	"usage: brig calc EXPR [--json]\n"
	"\n"
	"Evaluates arithmetic: numbers as Python writes them, + - * / % **, minus, parentheses.\n"
	"Several arguments are joined by blanks; quote what your shell would expand (\"2 * 3\").\n"
	"\n"
	"  --json      print {value, text, exact} or {error}, as one JSON object\n"
	"  -h, --help  this text\n"
	"  --          what follows is the expression\n"
	"\n"
	"Exit: 0; 1 no value (division by zero, overflow, complex); 126 refused (syntax, a node\n"
	"other than those); 2 usage; 125 the process could not be sealed.\n";

struct request {
	bool help, json;
	char *expression; /* owned */
	size_t bytes;
};

/* --jsn: two minus signs before a name are no arithmetic. Says so. */
static bool misses_flag(const char *word)
{
	static const char *const flags[] = {"--json", "--help", NULL};
	if (strncmp(word, "--", 2) != 0 || word[2] < 'a' || word[2] > 'z' || strchr(word, '('))
		return false;
	const char *nearest = nearest_name(word, flags);
	if (nearest)
		(void)fprintf(
			stderr, "brig calc: no flag %.40s: did you mean %s?\n", word, nearest);
	return nearest != NULL;
}

/* Joins the words by blanks. 0, or 125 when memory is out. */
static int read_arguments(int argc, char **argv, struct request *request)
{
	size_t room = 1;
	bool only_words = false, any = false;
	for (int i = 1; i < argc; i++)
		room += strlen(argv[i]) + 1;
	request->expression = malloc(room);
	if (!request->expression)
		return CMD_INTERNAL;
	char *at = request->expression;
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];
		if (!only_words && !strcmp(word, "--")) {
			only_words = true;
		} else if (!only_words && !strcmp(word, "--json")) {
			request->json = true;
		} else if (!only_words && (!strcmp(word, "-h") || !strcmp(word, "--help"))) {
			request->help = true;
		} else if (!only_words && misses_flag(word)) {
			return CMD_USAGE;
		} else {
			if (any)
				*at++ = ' ';
			at = stpcpy(at, word);
			any = true;
		}
	}
	request->bytes = (size_t)(at - request->expression);
	if (!any && !request->help)
		(void)fputs(
			"brig calc: no expression; for instance: brig calc \"2**10\"\n", stderr);
	return any || request->help ? CMD_OK : CMD_USAGE;
}

/* In a sealed process: evaluates and writes; the exit status. */
static int answer(struct calc *calc, const struct request *request)
{
	static struct calc_result result;
	static char text[CALC_JSON_SIZE + CALC_REPORT_SIZE];
	calc_eval(calc, request->expression, request->bytes, &result);
	int fd = STDOUT_FILENO;
	size_t length;
	if (request->json) {
		length = calc_json(&result, text);
		text[length++] = '\n';
	} else if (result.status == CALC_VALUE) {
		length = calc_text(&result, text);
		text[length++] = '\n';
	} else {
		fd = STDERR_FILENO;
		length = calc_report(&result, request->expression, request->bytes, text);
	}
	if (fd_write_all(fd, text, length)) {
		static const char message[] = "brig calc: cannot write the answer\n";
		(void)!write(STDERR_FILENO, message, sizeof(message) - 1);
		return CMD_INTERNAL;
	}
	return result.status == CALC_VALUE   ? CMD_OK
	       : result.status == CALC_FAULT ? CMD_ERROR
					     : CMD_REJECTED;
}

int cmd_calc(int argc, char **argv)
{
	struct request request = {0};
	int status = read_arguments(argc, argv, &request);
	if (request.help) {
		(void)fputs(usage, stdout);
		status = CMD_OK;
	}
	struct calc *calc = request.help || status ? NULL : calc_new();
	if (calc) {
		calc_arena_install();
		const struct calc_seal seal = {.in_fd = -1,
			.out_fd = STDOUT_FILENO,
			.error_fd = STDERR_FILENO,
			.cpu_s = CPU_S};
		const char *stage;
		int rc = calc_seal(&seal, &stage);
		if (!rc)
			calc_leave(answer(calc, &request));
		(void)fprintf(stderr, "brig calc: cannot seal itself (%s): %s; see brig doctor\n",
			stage, strerror(-rc));
		status = CMD_INTERNAL;
	} else if (!request.help && !status) {
		(void)fputs("brig calc: out of memory\n", stderr);
		status = CMD_INTERNAL;
	}
	calc_free(calc);
	free(request.expression);
	return status;
}

/*
 * driver: what the tests of tests/calc ask of the library.
 *
 *	driver diff NAME        frames of reference.py on stdin: calc's answer beside CPython's
 *	driver golden FILE      lines of a golden file (see the files' heads)
 *
 * Prints each difference (the first 20) and one line "NAME: N compared, M different"; the status
 * is 1 where anything differs or nothing was compared.
 */
#include "calc/calc.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 20
#define FIELD_BYTES (64 * 1024)

struct tally {
	unsigned long compared, different;
	unsigned long exact;   /* compared exactly too */
	unsigned long without; /* where calc's cost bound left out the exact value */
};

static void show(const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		unsigned char c = (unsigned char)text[i];
		(void)printf(c < ' ' || c == 0x7f ? "\\x%02x" : "%c", c);
	}
}

static void different(struct tally *tally, const char *expression, size_t bytes, const char *want,
	const char *got)
{
	if (tally->different++ >= SHOWN)
		return;
	(void)printf("different: ");
	show(expression, bytes);
	(void)printf("\n   wanted: %s\n      got: %s\n", want, got);
}

/* calc's answer in reference.py's words, without the exact value. */
static void describe(const struct calc_result *result, char *text, size_t size)
{
	uint64_t bits;
	memcpy(&bits, &result->value, sizeof(bits));
	if (result->status == CALC_VALUE && isnan(result->value))
		(void)snprintf(text, size, "value nan %s", result->repr);
	else if (result->status == CALC_VALUE)
		(void)snprintf(text, size, "value %016" PRIx64 " %s", bits, result->repr);
	else if (result->error == CALC_ERROR_FORBIDDEN)
		(void)snprintf(text, size, "node %s %u", result->node, result->column);
	else if (result->error == CALC_ERROR_SYNTAX)
		(void)snprintf(text, size, "syntax");
	else
		(void)snprintf(
			text, size, "fault %s %u", calc_error_name(result->error), result->column);
}

static size_t characters(const char *text, size_t bytes)
{
	size_t count = 0;
	for (size_t i = 0; i < bytes; i++)
		count += (text[i] & 0xc0) != 0x80;
	return count;
}

/* Cuts the exact value off the answer of a `value` line; NULL for the others. */
static char *cut_exact(char *want)
{
	char *last = strrchr(want, ' ');
	if (strncmp(want, "value ", 6) != 0 || !last)
		return NULL;
	*last = '\0';
	return last + 1;
}

static bool exact_fits(struct tally *tally, const char *want, const struct calc_result *result)
{
	if (!want || !strcmp(want, "?"))
		return true;
	tally->exact++;
	if (!strcmp(want, "none"))
		return !result->exact[0];
	tally->without += !result->exact[0];
	return !result->exact[0] || !strcmp(want, result->exact);
}

static void compare(
	struct calc *calc, struct tally *tally, const char *expression, size_t bytes, char *want)
{
	static struct calc_result result;
	char got[CALC_EXACT_MAX + 256];
	if (!strcmp(want, "skip"))
		return;
	calc_eval(calc, expression, bytes, &result);
	describe(&result, got, sizeof(got));
	const char *exact = cut_exact(want);
	tally->compared++;
	if (strcmp(want, got) != 0) {
		different(tally, expression, bytes, want, got);
	} else if (!exact_fits(tally, exact, &result)) {
		different(tally, expression, bytes, exact, result.exact);
	} else if (result.status != CALC_VALUE &&
		   (!result.column || result.column > characters(expression, bytes) + 1)) {
		(void)snprintf(got, sizeof(got), "column %u", result.column);
		different(tally, expression, bytes, "a column within the text", got);
	}
}

/* One length-prefixed field, NUL added. False at the end of the input. */
static bool read_field(char *field, size_t *ret_bytes)
{
	unsigned char head[4];
	if (fread(head, 1, 4, stdin) != 4)
		return false;
	size_t bytes =
		head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
	if (bytes >= FIELD_BYTES || fread(field, 1, bytes, stdin) != bytes) {
		(void)fprintf(stderr, "driver: a broken frame on stdin\n");
		exit(2);
	}
	field[bytes] = '\0';
	*ret_bytes = bytes;
	return true;
}

static void run_diff(struct calc *calc, struct tally *tally)
{
	static char expression[FIELD_BYTES], want[FIELD_BYTES];
	size_t bytes, want_bytes;
	while (read_field(expression, &bytes) && read_field(want, &want_bytes))
		compare(calc, tally, expression, bytes, want);
}

/* `⏎` stands for a line's end. Returns the new length. */
static size_t unfold(char *text)
{
	static const char sign[] = "⏎";
	for (char *at; (at = strstr(text, sign)) != NULL;) {
		*at = '\n';
		memmove(at + 1, at + strlen(sign), strlen(at + strlen(sign)) + 1);
	}
	return strlen(text);
}

static void check_golden(struct calc *calc, struct tally *tally, char *line, const char *kind)
{
	static struct calc_result result;
	static char got[CALC_TEXT_SIZE + 64];
	char *want = strchr(line, '\t');
	if (!want) {
		(void)fprintf(stderr, "driver: no tab in the golden line %s\n", line);
		exit(2);
	}
	*want++ = '\0';
	size_t bytes = unfold(line);
	calc_eval(calc, line, bytes, &result);
	if (!strcmp(kind, "allowed"))
		(void)snprintf(got, sizeof(got), "%s\t%s", result.repr, result.exact);
	else if (!strcmp(kind, "forbidden"))
		(void)snprintf(
			got, sizeof(got), "%s\t%u", result.node ? result.node : "-", result.column);
	else
		(void)snprintf(got, sizeof(got), "%s\t%u\t%s", calc_error_name(result.error),
			result.column, result.hint);
	tally->compared++;
	if (strcmp(want, got) != 0)
		different(tally, line, bytes, want, got);
}

static void run_golden(struct calc *calc, struct tally *tally, const char *path)
{
	static char line[FIELD_BYTES];
	const char *name = strrchr(path, '/');
	char kind[32] = "";
	(void)sscanf(name ? name + 1 : path, "%31[a-z]", kind);
	FILE *file = fopen(path, "r");
	if (!file) {
		perror(path);
		exit(2);
	}
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] && strncmp(line, "## ", 3) != 0)
			check_golden(calc, tally, line, kind);
	}
	(void)fclose(file);
}

int main(int argc, char **argv)
{
	struct tally tally = {0};
	struct calc *calc = calc_new();
	if (!calc || argc != 3) {
		(void)fprintf(stderr, "usage: driver diff NAME < FRAMES | driver golden FILE\n");
		return 2;
	}
	if (!strcmp(argv[1], "diff"))
		run_diff(calc, &tally);
	else
		run_golden(calc, &tally, argv[2]);
	calc_free(calc);
	(void)printf("%s: %lu compared, %lu different", argv[2], tally.compared, tally.different);
	if (tally.exact)
		(void)printf(
			" (%lu exactly too, %lu beyond the bound)", tally.exact, tally.without);
	(void)printf("\n");
	/* The bound may refuse what turns out cheap, but not so that an ordinary one is refused. */
	return tally.different || !tally.compared || tally.without * 1000 > tally.exact;
}

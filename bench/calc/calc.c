/*
 * calc: nanoseconds for each expression of a file, in process: parse, double, exact value, repr.
 *
 *	calc FILE ROUNDS whole|value   one line "NANOSECONDS<TAB>EXPRESSION" each; `value` leaves
 *	                               out the exact one, as the peers do
 *	calc --one NAME EXPR           microseconds that this one takes, and what it came to
 */
#include "calc/calc.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PASSES 15

static double now_ns(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The best of some passes: what the machine does beside only ever adds. */
static double measure(struct calc *calc, const char *expression, long rounds, bool whole)
{
	static struct calc_result result;
	size_t bytes = strlen(expression);
	double best = 1e18;
	for (int pass = 0; pass < PASSES; pass++) {
		double start = now_ns();
		for (long i = 0; i < rounds; i++)
			(whole ? calc_eval : calc_eval_double)(calc, expression, bytes, &result);
		double each = (now_ns() - start) / (double)rounds;
		best = each < best ? each : best;
	}
	return best;
}

static int measure_file(struct calc *calc, const char *path, long rounds, bool whole)
{
	static char line[CALC_SOURCE_MAX + 2];
	FILE *file = fopen(path, "r");
	if (!file) {
		perror(path);
		return 1;
	}
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		(void)printf("%.1f\t%s\n", measure(calc, line, rounds, whole), line);
	}
	(void)fclose(file);
	return 0;
}

static int measure_one(struct calc *calc, const char *name, const char *expression)
{
	static struct calc_result result;
	static char text[CALC_TEXT_SIZE];
	double best = measure(calc, expression, 20, true);
	calc_eval(calc, expression, strlen(expression), &result);
	(void)calc_text(&result, text);
	(void)printf("%.2f\t%s\t%.60s\n", best / 1000, name, text);
	return 0;
}

int main(int argc, char **argv)
{
	struct calc *calc = calc_new();
	if (!calc || argc != 4) {
		(void)fputs("usage: calc FILE ROUNDS whole|value | calc --one NAME EXPR\n", stderr);
		return 2;
	}
	int status = !strcmp(argv[1], "--one") ? measure_one(calc, argv[2], argv[3])
					       : measure_file(calc, argv[1], atol(argv[2]),
							 !strcmp(argv[3], "whole"));
	calc_free(calc);
	return status;
}

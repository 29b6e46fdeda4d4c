/*
 * calc: nanoseconds for each expression of a file, in process: parse, double, exact value, repr.
 *
 *	calc FILE ROUNDS       one line "NANOSECONDS<TAB>EXPRESSION" each, and their mean last
 *	calc --text EXPR       microseconds that this one takes, and what it came to
 */
#include "calc/calc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXPRESSIONS_MAX 256
#define PASSES 15

static double now_ns(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The best of some passes: what the machine does beside only ever adds. */
static double measure(struct calc *calc, const char *expression, long rounds)
{
	static struct calc_result result;
	size_t bytes = strlen(expression);
	double best = 1e18;
	for (int pass = 0; pass < PASSES; pass++) {
		double start = now_ns();
		for (long i = 0; i < rounds; i++)
			calc_eval(calc, expression, bytes, &result);
		double each = (now_ns() - start) / (double)rounds;
		best = each < best ? each : best;
	}
	return best;
}

static int measure_file(struct calc *calc, const char *path, long rounds)
{
	static char line[CALC_SOURCE_MAX + 2];
	double sum = 0;
	int count = 0;
	FILE *file = fopen(path, "r");
	if (!file) {
		perror(path);
		return 1;
	}
	while (count < EXPRESSIONS_MAX && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		double each = measure(calc, line, rounds);
		(void)printf("%.1f\t%s\n", each, line);
		sum += each;
		count++;
	}
	(void)fclose(file);
	(void)printf("%.1f\tmean\n", count ? sum / count : 0);
	return 0;
}

static int measure_one(struct calc *calc, const char *expression)
{
	static struct calc_result result;
	static char text[CALC_TEXT_SIZE];
	double best = measure(calc, expression, 20);
	calc_eval(calc, expression, strlen(expression), &result);
	(void)calc_text(&result, text);
	(void)printf("%.2f\t%.60s\n", best / 1000, text);
	return 0;
}

int main(int argc, char **argv)
{
	struct calc *calc = calc_new();
	if (!calc || argc != 3) {
		(void)fputs("usage: calc FILE ROUNDS | calc --text EXPR\n", stderr);
		return 2;
	}
	int status = !strcmp(argv[1], "--text") ? measure_one(calc, argv[2])
						: measure_file(calc, argv[1], atol(argv[2]));
	calc_free(calc);
	return status;
}

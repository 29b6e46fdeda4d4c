/* nearest: Levenshtein's distance of two short words. */
#include "base/nearest.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define WORD_BYTES 32u

static size_t least(size_t a, size_t b, size_t c)
{
	size_t smaller = a < b ? a : b;
	return smaller < c ? smaller : c;
}

static size_t distance(const char *a, const char *b)
{
	size_t row[WORD_BYTES + 1], b_length = strlen(b);
	for (size_t j = 0; j <= b_length; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			size_t above = row[j];
			size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
			row[j] = least(above + 1, row[j - 1] + 1, changed);
			diagonal = above;
		}
	}
	return row[b_length];
}

const char *nearest_name(const char *word, const char *const *names)
{
	const char *best = NULL;
	size_t length = strlen(word), letters = length - strspn(word, "-");
	size_t best_distance = letters / 3 + 2;

	if (length == 0 || length > WORD_BYTES)
		return NULL;
	for (; *names; names++) {
		size_t apart = strlen(*names) <= WORD_BYTES ? distance(word, *names) : SIZE_MAX;
		if (length >= 3 && strncmp(word, *names, length) == 0)
			apart = 1;
		if (apart < best_distance) {
			best = *names;
			best_distance = apart;
		}
	}
	return best;
}

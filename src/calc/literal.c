/*
 * literal: from a literal's digits to the nearest double.
 *
 * Source: Clinger, "How to Read Floating Point Numbers Accurately" (the exact cases); strtod(3),
 * which glibc rounds correctly, for the others.
 */
#include "calc/value.h"

#include <math.h>
#include <stdlib.h>

#define EXACT_INTEGER (UINT64_C(1) << 53)
#define EXACT_POWER 22 /* 10**22 is the last power of ten that a double holds exactly */

static const double powers[EXACT_POWER + 1] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9,
	1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

size_t literal_text(const struct calc_literal *literal, const char *source, char *text)
{
	size_t length = 0;
	unsigned at = literal->start + (literal->base == 10 ? 0u : 2u);
	for (; at < literal->end; at++) {
		if (source[at] != '_')
			text[length++] = source[at];
	}
	text[length] = '\0';
	return length;
}

size_t literal_mantissa(
	const struct calc_literal *literal, const char *source, char *text, int32_t *ret_exponent)
{
	size_t length = 0;
	bool fraction = false;
	int32_t exponent = 0;
	for (unsigned at = literal->start; at < literal->end && (source[at] | 0x20) != 'e'; at++) {
		if (source[at] == '.') {
			fraction = true;
		} else if (source[at] != '_') {
			exponent -= fraction;
			if (length || source[at] != '0')
				text[length++] = source[at];
		}
	}
	if (!length)
		text[length++] = '0';
	text[length] = '\0';
	*ret_exponent = exponent + literal->written;
	return length;
}

static unsigned digit_value(char c)
{
	return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a') + 10u;
}

/* A hexadecimal, octal or binary integer of more than 60 bits: 64 of them and what is lost. */
static double based_double(const struct calc_literal *literal, const char *source)
{
	unsigned width = literal->base == 16 ? 4 : literal->base == 8 ? 3 : 1;
	uint64_t top = 0;
	int lost = 0;
	bool sticky = false;
	for (unsigned at = literal->start + 2u; at < literal->end; at++) {
		if (source[at] == '_')
			continue;
		unsigned digit = digit_value(source[at]);
		for (unsigned bit = width; bit-- > 0;) {
			if (top >> 63) {
				lost++;
				sticky = sticky || (digit >> bit & 1u);
			} else {
				top = top << 1 | (digit >> bit & 1u);
			}
		}
	}
	/* The lowest of 64 bits is far below a double's last: there it stands for all that is lost.
	 */
	return ldexp((double)(top | sticky), lost);
}

__attribute__((noinline)) static double decimal_double(
	const struct calc_literal *literal, const char *source, locale_t c_locale)
{
	char text[CALC_SOURCE_MAX + 1];
	(void)literal_text(literal, source, text);
	return strtod_l(text, NULL, c_locale);
}

double literal_double(const struct calc_literal *literal, const char *source, locale_t c_locale)
{
	int32_t exponent = literal->exponent;
	if (!literal->cut) {
		if (!exponent && literal->digits <= EXACT_INTEGER)
			return (double)(int64_t)literal->digits;
		if (!exponent || !literal->digits)
			return (double)literal->digits;
		if (literal->digits <= EXACT_INTEGER && exponent > 0 && exponent <= EXACT_POWER)
			return (double)literal->digits * powers[exponent];
		if (literal->digits <= EXACT_INTEGER && exponent < 0 && exponent >= -EXACT_POWER)
			return (double)literal->digits / powers[-exponent];
	}
	if (literal->base != 10)
		return based_double(literal, source);
	return decimal_double(literal, source, c_locale);
}

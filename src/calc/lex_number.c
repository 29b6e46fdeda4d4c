/*
 * lex_number: Python's number literals.
 *
 * The digits are counted into a 64-bit integer and a power of ten while they are read, so that an
 * ordinary literal is never read twice.
 *
 * Source: The Python Language Reference 3.13, "Numeric literals".
 */
#include "calc/lex.h"

#include <string.h>

static bool is_digit(unsigned char c)
{
	return c >= '0' && c <= '9';
}

static unsigned digit_value(unsigned char c)
{
	unsigned char low = c | 0x20;
	return is_digit(c) ? c - '0' + 0u : low >= 'a' && low <= 'f' ? low - 'a' + 10u : 99u;
}

/* A letter, a digit or an underscore right behind a number: Python lets `1if x else 2` pass. */
__attribute__((noinline)) static bool is_keyword_behind(
	struct lexer *lx, const unsigned char *at, const char *kind)
{
	static const char words[][5] = {"and", "else", "for", "if", "in", "is", "not", "or"};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strncmp((const char *)at, words[i], strlen(words[i])))
			return true;
	}
	lex_fail(lx, SLIP_LITERAL, (unsigned)(at - lx->source), "invalid %s literal", kind);
	return false;
}

static bool ends_number(struct lexer *lx, const unsigned char *at, const char *kind)
{
	bool word = lex_classes[*at] == CLASS_NAME || lex_classes[*at] == CLASS_DIGIT;
	return !word || *at >= 0x80 || is_keyword_behind(lx, at, kind);
}

/* Digits with single underscores between them, from the digit at `at`. NULL after an error. */
static const unsigned char *take_digits(struct lexer *lx, const unsigned char *at, bool fraction)
{
	struct calc_literal *literal = lx->literal;
	uint64_t digits = literal->digits;
	int32_t exponent = literal->exponent;
	for (;;) {
		for (; is_digit(*at); at++) {
			if (digits <= (UINT64_MAX - 9) / 10) {
				digits = digits * 10 + (unsigned)(*at - '0');
				exponent -= fraction;
			} else {
				literal->cut = true;
				exponent += !fraction;
			}
		}
		if (*at != '_')
			break;
		if (!is_digit(*++at)) {
			lex_fail(lx, SLIP_LITERAL, (unsigned)(at - lx->source),
				"invalid decimal literal");
			return NULL;
		}
	}
	literal->digits = digits;
	literal->exponent = exponent;
	return at;
}

/* The digits of an exponent; the value saturates. */
__attribute__((noinline)) static const unsigned char *take_exponent(
	struct lexer *lx, const unsigned char *at, bool negative)
{
	int32_t exponent = 0;
	for (;;) {
		for (; is_digit(*at); at++) {
			exponent = exponent * 10 + (*at - '0');
			if (exponent > CALC_EXPONENT_MAX)
				exponent = CALC_EXPONENT_MAX;
		}
		if (*at != '_')
			break;
		if (!is_digit(*++at)) {
			lex_fail(lx, SLIP_LITERAL, (unsigned)(at - lx->source),
				"invalid decimal literal");
			return NULL;
		}
	}
	lx->literal->written = negative ? -exponent : exponent;
	lx->literal->exponent += lx->literal->written;
	return at;
}

__attribute__((noinline)) static const unsigned char *number_based(
	struct lexer *lx, const unsigned char *at)
{
	struct calc_literal *literal = lx->literal;
	unsigned char letter = at[1] | 0x20;
	unsigned base = letter == 'x' ? 16 : letter == 'o' ? 8 : 2;
	const char *kind = base == 16 ? "hexadecimal" : base == 8 ? "octal" : "binary";
	literal->base = (uint8_t)base;
	at += 2;
	do {
		at += *at == '_';
		if (is_digit(*at) && digit_value(*at) >= base)
			break;
		if (digit_value(*at) >= base) {
			lex_fail(lx, SLIP_LITERAL, (unsigned)(at - lx->source),
				"invalid %s literal", kind);
			return NULL;
		}
		for (; digit_value(*at) < base; at++) {
			if (literal->digits <= (UINT64_MAX - 15) / 16)
				literal->digits = literal->digits * base + digit_value(*at);
			else
				literal->cut = true;
		}
	} while (*at == '_');
	if (is_digit(*at)) {
		lex_fail(lx, SLIP_LITERAL, (unsigned)(at - lx->source),
			"invalid digit '%c' in %s %s literal", *at, base == 8 ? "an" : "a", kind);
		return NULL;
	}
	return ends_number(lx, at, kind) ? at : NULL;
}

static const unsigned char *number_decimal(struct lexer *lx, const unsigned char *at)
{
	struct calc_literal *literal = lx->literal;
	const unsigned char *start = at;
	if (*at != '.' && !(at = take_digits(lx, at, false)))
		return NULL;
	if (*at == '.') {
		literal->integer = false;
		at++;
		if (is_digit(*at) && !(at = take_digits(lx, at, true)))
			return NULL;
	}
	if ((*at | 0x20) == 'e') {
		bool sign = at[1] == '-' || at[1] == '+';
		if (is_digit(at[1 + sign])) {
			literal->integer = false;
			at = take_exponent(lx, at + 1 + sign, at[1] == '-');
			if (!at)
				return NULL;
		} else if (sign) {
			lex_fail(lx, SLIP_LITERAL, (unsigned)(at - lx->source),
				"invalid decimal literal");
			return NULL;
		}
	}
	if ((*at | 0x20) == 'j') {
		lx->token.type = TOK_IMAGINARY;
		return ends_number(lx, at + 1, "imaginary") ? at + 1 : NULL;
	}
	/* CPython passes `01else` where it passes `1else`, by way of the exponent. */
	if (literal->integer && *start == '0' && literal->digits && *at != 'e') {
		lex_fail(lx, SLIP_OTHER, (unsigned)(start - lx->source),
			"leading zeros in an integer; an octal one begins with 0o");
		return NULL;
	}
	return ends_number(lx, at, "decimal") ? at : NULL;
}

#define SHORT_DIGITS 18

/* A plain integer of a few digits, which most numbers are; false, and nothing done, for others. */
static bool number_short(struct lexer *lx)
{
	const unsigned char *start = lx->source + lx->pos, *at = start;
	uint64_t digits = 0;
	for (; is_digit(*at) && at - start < SHORT_DIGITS; at++)
		digits = digits * 10 + (unsigned)(*at - '0');
	if (lex_classes[*at] >= CLASS_DIGIT || *at == '.' || *start == '0' || at == start)
		return false;
	lx->literal->digits = digits;
	lx->pos += (unsigned)(at - start);
	return true;
}

void lex_number(struct lexer *lx)
{
	struct calc_literal *literal = lx->literal;
	*literal = (struct calc_literal){.base = 10, .integer = true, .start = (uint16_t)lx->pos};
	lx->token.type = TOK_NUMBER;
	if (!number_short(lx)) {
		const unsigned char *at = lx->source + lx->pos;
		unsigned char letter = at[1] | 0x20;
		if (at[0] == '0' && (letter == 'x' || letter == 'o' || letter == 'b'))
			at = number_based(lx, at);
		else
			at = number_decimal(lx, at);
		if (at)
			lx->pos = (unsigned)(at - lx->source);
	}
	literal->end = (uint16_t)lx->pos;
}

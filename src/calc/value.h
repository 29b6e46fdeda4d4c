/*
 * value: how a program gets its value, in doubles and exactly.
 *
 * All of these take a program of allowed nodes alone, in order; none recurses.
 */
#ifndef BRIG_CALC_VALUE_H
#define BRIG_CALC_VALUE_H

#include "calc/program.h"

#include <gmp.h>
#include <locale.h>

typedef __int128 int128;
typedef unsigned __int128 uint128;

/* digits * 10**exponent */
struct decimal64 {
	int64_t digits;
	int32_t exponent;
};

/* A fraction of 128-bit integers, den > 0, not always in lowest terms. */
struct ratio {
	int128 num, den;
};

/* Upper bounds of the magnitudes of a numerator, a denominator and their quotient. */
struct bound {
	long double num, den, size;
	bool decimal; /* the denominator divides `den`, which is a power of ten */
	int8_t sign;  /* of a literal or minus one, whose magnitude `size` is; 0 where unknown */
};

/* What the steps work on: one kind at a time. As deep as there can be literals. */
union calc_stack {
	double doubles[CALC_SOURCE_MAX];
	struct decimal64 decimals[CALC_SOURCE_MAX];
	struct ratio ratios[CALC_SOURCE_MAX];
	struct bound bounds[CALC_SOURCE_MAX];
	mpq_t rationals[CALC_SOURCE_MAX];
};

/* The nearest double, ties to even, as Python reads it; infinite where it is too large. */
double literal_double(const struct calc_literal *literal, const char *source, locale_t c_locale);

/* A literal without underscores or prefix, as text ending in NUL. Returns the length. */
size_t literal_text(const struct calc_literal *literal, const char *source, char *text);

/* The program in doubles; `fault` is set where it has no value. */
double eval_double(const struct calc_program *program, const char *source, locale_t c_locale,
	union calc_stack *stack, struct calc_fault *fault);

/* What an exact evaluation came to. */
enum exact_outcome {
	EXACT_DONE,
	EXACT_NONE,  /* there is no rational value, or it is beyond a bound */
	EXACT_LARGE, /* too large for this way of doing it: the next one may */
};

/*
 * The program over the rationals, as text, in CALC_EXACT_MAX + 1 bytes at `text`: by 64-bit
 * decimals, by fractions of 128-bit integers, by GMP. Each is tried where the one before was too
 * small.
 */
enum exact_outcome exact_decimal(
	const struct calc_program *program, union calc_stack *stack, char *text);
enum exact_outcome exact_small(
	const struct calc_program *program, union calc_stack *stack, char *text);
enum exact_outcome exact_large(const struct calc_program *program, const char *source,
	union calc_stack *stack, char *text);

/*
 * Whether exact_large may start: its cost, computed from the literals and operators alone, is
 * within bounds.
 */
bool exact_is_cheap(
	const struct calc_program *program, const char *source, union calc_stack *stack);

/*
 * A decimal literal as an integer times a power of ten: its digits, without leading zeros, as text
 * ending in NUL (CALC_SOURCE_MAX + 1 bytes), and the power. Returns how many digits.
 */
size_t literal_mantissa(
	const struct calc_literal *literal, const char *source, char *text, int32_t *ret_exponent);

/* `value` as Python's repr() prints it; CALC_REPR_SIZE bytes at `text`. Returns the length. */
size_t repr_double(double value, char *text);

/* The powers of ten that fit in 64 bits; all but the last in 63. */
#define TENS 20
extern const uint64_t ten_to[TENS];

/* The decimal digits of `number`, at most 20, without a NUL. Returns how many. */
size_t write_digits(uint64_t number, char *text);

/* The same of a larger one, at most 39. */
size_t write_digits128(uint128 number, char *text);

/*
 * The decimal number / 10**places, of a number other than 0, without zeros at its end and without a
 * NUL. Returns its end.
 */
char *write_places(uint128 number, size_t places, char *text);

/* Whether a double's repr ("1e+22", "70.0"), read as a decimal, is the number of an exact text. */
bool same_decimal(const char *repr, const char *exact);

#endif

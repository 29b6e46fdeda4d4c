/*
 * exact_decimal: the exact value where all of it is decimals of at most 63 bits, which is what most
 * expressions are. Whatever does not come out even is EXACT_LARGE, and exact_small takes over.
 */
#include "calc/value.h"

#include <string.h>

#define EXPONENT_MAX 400 /* of a result; far from what its text has room for */
/* Brings the one with the larger exponent to that of the other. */
static bool align(struct decimal64 *a, struct decimal64 *b)
{
	if (a->exponent == b->exponent)
		return true;
	struct decimal64 *larger = a->exponent > b->exponent ? a : b;
	int32_t to = larger == a ? b->exponent : a->exponent;
	int32_t by = larger->exponent - to;
	larger->exponent = to;
	return by < TENS - 1 &&
	       !__builtin_mul_overflow(larger->digits, (int64_t)ten_to[by], &larger->digits);
}

static bool multiply(struct decimal64 *a, const struct decimal64 *b)
{
	a->exponent += b->exponent;
	return a->exponent <= EXPONENT_MAX && a->exponent >= -EXPONENT_MAX &&
	       !__builtin_mul_overflow(a->digits, b->digits, &a->digits);
}

/* 1 / value, where that is a finite decimal: where only twos and fives divide the digits. */
static bool reciprocal(const struct decimal64 *value, struct decimal64 *ret)
{
	if (value->digits <= 0)
		return false;
	int twos = __builtin_ctzll((uint64_t)value->digits), fives = 0;
	uint64_t rest = (uint64_t)value->digits >> twos;
	for (; rest % 5 == 0; fives++)
		rest /= 5;
	int places = twos > fives ? twos : fives;
	if (rest != 1 || places >= TENS - 1)
		return false;
	ret->digits = (int64_t)ten_to[places] / value->digits;
	ret->exponent = -places - value->exponent;
	return true;
}

static bool divide(struct decimal64 *a, const struct decimal64 *b)
{
	struct decimal64 inverse;
	if (b->digits > 0 && a->digits % b->digits == 0) {
		a->digits /= b->digits;
		a->exponent -= b->exponent;
		return a->exponent <= EXPONENT_MAX && a->exponent >= -EXPONENT_MAX;
	}
	return reciprocal(b, &inverse) && multiply(a, &inverse);
}

/* For an exponent that is written as an integer. */
static bool power(struct decimal64 *base, const struct decimal64 *by)
{
	struct decimal64 square = *base;
	if (by->exponent || by->digits == INT64_MIN ||
		(by->digits < 0 && !reciprocal(base, &square)))
		return false;
	int64_t times = by->digits < 0 ? -by->digits : by->digits;
	*base = (struct decimal64){1, 0};
	for (;;) {
		if ((times & 1) && !multiply(base, &square))
			return false;
		times >>= 1;
		if (!times)
			return true;
		if (!multiply(&square, &square))
			return false;
	}
}

/* a op b into a; false where that is no such decimal. May change b. */
static bool step(enum calc_op op, struct decimal64 *a, struct decimal64 *b)
{
	switch (op) {
	case OP_ADD:
		return align(a, b) && !__builtin_add_overflow(a->digits, b->digits, &a->digits);
	case OP_SUBTRACT:
		return align(a, b) && !__builtin_sub_overflow(a->digits, b->digits, &a->digits);
	case OP_MULTIPLY:
		return multiply(a, b);
	case OP_DIVIDE:
		return divide(a, b);
	case OP_MODULO:
		if (b->digits <= 0 || !align(a, b))
			return false;
		a->digits %= b->digits;
		a->digits += a->digits < 0 ? b->digits : 0;
		return true;
	case OP_POWER:
		return power(a, b);
	case OP_LITERAL:
	case OP_NEGATE:
		break;
	}
	return false;
}

static bool from_literal(const struct calc_literal *literal, struct decimal64 *ret)
{
	ret->digits = (int64_t)literal->digits;
	ret->exponent = literal->digits ? literal->exponent : 0;
	return !literal->cut && literal->digits <= INT64_MAX && ret->exponent <= EXPONENT_MAX &&
	       ret->exponent >= -EXPONENT_MAX;
}

static void write_decimal(const struct decimal64 *value, char *text)
{
	bool negative = value->digits < 0;
	uint64_t digits = negative ? -(uint64_t)value->digits : (uint64_t)value->digits;
	int32_t exponent = digits ? value->exponent : 0;
	if (negative)
		*text++ = '-';
	if (exponent < 0) {
		text = write_places(digits, (size_t)-exponent, text);
	} else {
		text += write_digits(digits, text);
		memset(text, '0', (size_t)exponent);
		text += exponent;
	}
	*text = '\0';
}

enum exact_outcome exact_decimal(
	const struct calc_program *program, union calc_stack *stack, char *text)
{
	struct decimal64 *end = stack->decimals;
	const struct calc_literal *literal = program->literal;
	for (unsigned i = 0; i < program->steps; i++) {
		enum calc_op op = program->step[i].op;
		bool fits = true;
		if (op == OP_LITERAL) {
			fits = from_literal(literal++, end++);
		} else if (op == OP_NEGATE) {
			fits = !__builtin_sub_overflow(0, end[-1].digits, &end[-1].digits);
		} else {
			end--;
			fits = step(op, &end[-1], &end[0]);
		}
		if (!fits)
			return EXACT_LARGE;
	}
	write_decimal(&end[-1], text);
	return EXACT_DONE;
}

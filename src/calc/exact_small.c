/*
 * exact_small: rationals of 64-bit integers, for the expressions that people write.
 *
 * Fractions are brought to lowest terms only when they outgrow 64 bits, and at the end. Where that
 * does not help, the answer is EXACT_LARGE and exact_large starts afresh.
 */
#include "calc/value.h"

#include <string.h>

#define POWERS_OF_TEN 19

static const int64_t powers[POWERS_OF_TEN] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000,
	100000000, 1000000000, 10000000000, 100000000000, 1000000000000, 10000000000000,
	100000000000000, 1000000000000000, 10000000000000000, 100000000000000000,
	1000000000000000000};

static uint64_t magnitude(int64_t number)
{
	return number < 0 ? -(uint64_t)number : (uint64_t)number;
}

/* Stein's algorithm; neither is 0. */
static uint64_t common_divisor(uint64_t left, uint64_t right)
{
	int twos = __builtin_ctzll(left | right);
	left >>= __builtin_ctzll(left);
	do {
		right >>= __builtin_ctzll(right);
		uint64_t smaller = left < right ? left : right;
		right = left < right ? right - left : left - right;
		left = smaller;
	} while (right);
	return left << twos;
}

static void reduce(struct ratio *ratio)
{
	if (ratio->den == 1)
		return;
	if (!ratio->num) {
		ratio->den = 1;
		return;
	}
	int64_t divisor = (int64_t)common_divisor(magnitude(ratio->num), (uint64_t)ratio->den);
	ratio->num /= divisor;
	ratio->den /= divisor;
}

static enum exact_outcome from_literal(const struct calc_literal *literal, struct ratio *ret)
{
	uint64_t digits = literal->digits;
	int32_t exponent = literal->exponent;
	ret->den = 1;
	if (literal->cut || digits > INT64_MAX)
		return EXACT_LARGE;
	for (; exponent < 0 && digits % 10 == 0 && digits; exponent++)
		digits /= 10;
	ret->num = (int64_t)digits;
	if (!digits || !exponent)
		return EXACT_DONE;
	if (exponent <= -POWERS_OF_TEN || exponent >= POWERS_OF_TEN)
		return EXACT_LARGE;
	if (exponent < 0)
		ret->den = powers[-exponent];
	else if (__builtin_mul_overflow(ret->num, powers[exponent], &ret->num))
		return EXACT_LARGE;
	return EXACT_DONE;
}

static bool fits(__int128 num, __int128 den, struct ratio *ret)
{
	if (num > INT64_MAX || num < -INT64_MAX || den > INT64_MAX)
		return false;
	ret->num = (int64_t)num;
	ret->den = (int64_t)den;
	return true;
}

/* The quotient of integers, rounded down, leaves this. */
static __int128 floor_rest(__int128 num, __int128 divisor)
{
	__int128 rest = num % divisor;
	return rest && (rest < 0) != (divisor < 0) ? rest + divisor : rest;
}

/* Operands are below 2**63, so products are below 2**126 and their sums do not overflow. */
static bool combine(
	enum calc_op op, const struct ratio *a, const struct ratio *b, struct ratio *ret)
{
	__int128 num = 0, den = (__int128)a->den * b->den;
	__int128 left = (__int128)a->num * b->den, right = (__int128)b->num * a->den;
	switch (op) {
	case OP_ADD:
	case OP_SUBTRACT:
		num = op == OP_ADD ? left + right : left - right;
		if (a->den == b->den) {
			den = a->den;
			num = op == OP_ADD ? (__int128)a->num + b->num : (__int128)a->num - b->num;
		}
		break;
	case OP_MULTIPLY:
		num = (__int128)a->num * b->num;
		break;
	case OP_DIVIDE:
		num = right < 0 ? -left : left;
		den = right < 0 ? -right : right;
		break;
	case OP_MODULO:
		num = floor_rest(left, right);
		break;
	case OP_LITERAL:
	case OP_NEGATE:
	case OP_POWER:
		break;
	}
	return fits(num, den, ret);
}

/* base**exponent for an exponent of 0 or more. */
static bool integer_power(int64_t base, uint64_t exponent, int64_t *ret)
{
	int64_t result = 1;
	for (;;) {
		if ((exponent & 1) && __builtin_mul_overflow(result, base, &result))
			return false;
		exponent >>= 1;
		if (!exponent)
			break;
		if (__builtin_mul_overflow(base, base, &base))
			return false;
	}
	*ret = result;
	return true;
}

static enum exact_outcome power(struct ratio base, const struct ratio *by, struct ratio *ret)
{
	if (by->num % by->den)
		return EXACT_NONE;
	int64_t exponent = by->num / by->den;
	if (exponent < 0 && !base.num)
		return EXACT_NONE;
	reduce(&base);
	struct ratio raised;
	uint64_t times = magnitude(exponent);
	if (!integer_power(base.num, times, &raised.num) || raised.num == INT64_MIN ||
		!integer_power(base.den, times, &raised.den))
		return EXACT_LARGE;
	*ret = raised;
	if (exponent < 0) {
		ret->num = raised.num < 0 ? -raised.den : raised.den;
		ret->den = raised.num < 0 ? -raised.num : raised.num;
	}
	return EXACT_DONE;
}

static enum exact_outcome step(enum calc_op op, struct ratio *a, struct ratio *b)
{
	if (op == OP_POWER)
		return power(*a, b, a);
	if ((op == OP_DIVIDE || op == OP_MODULO) && !b->num)
		return EXACT_NONE;
	if (combine(op, a, b, a))
		return EXACT_DONE;
	reduce(a);
	reduce(b);
	return combine(op, a, b, a) ? EXACT_DONE : EXACT_LARGE;
}

size_t write_digits(uint64_t number, char *text)
{
	char reversed[20];
	size_t length = 0;
	do {
		reversed[length++] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	for (size_t i = 0; i < length; i++)
		text[i] = reversed[length - 1 - i];
	return length;
}

/* num/den in lowest terms, den > 1, as a decimal if it is one. */
static bool write_decimal(uint64_t num, uint64_t den, char *text, enum exact_outcome *ret_outcome)
{
	int twos = __builtin_ctzll(den), fives = 0;
	den >>= twos;
	for (; den % 5 == 0; fives++)
		den /= 5;
	if (den != 1)
		return false;
	*ret_outcome = EXACT_LARGE;
	int places = twos > fives ? twos : fives;
	for (int i = twos; i < places; i++) {
		if (__builtin_mul_overflow(num, 2, &num))
			return true;
	}
	for (int i = fives; i < places; i++) {
		if (__builtin_mul_overflow(num, 5, &num))
			return true;
	}
	char digits[20];
	size_t count = write_digits(num, digits), behind = (size_t)places;
	size_t before = count > behind ? count - behind : 0;
	memcpy(text, digits, before);
	text += before;
	if (!before)
		*text++ = '0';
	*text++ = '.';
	for (; behind > count; behind--)
		*text++ = '0';
	memcpy(text, digits + before, count - before);
	text[count - before] = '\0';
	*ret_outcome = EXACT_DONE;
	return true;
}

static enum exact_outcome write_ratio(struct ratio ratio, char *text)
{
	reduce(&ratio);
	if (ratio.num < 0)
		*text++ = '-';
	uint64_t num = magnitude(ratio.num);
	enum exact_outcome outcome = EXACT_DONE;
	if (ratio.den != 1 && write_decimal(num, (uint64_t)ratio.den, text, &outcome))
		return outcome;
	text += write_digits(num, text);
	if (ratio.den != 1) {
		*text++ = '/';
		text += write_digits((uint64_t)ratio.den, text);
	}
	*text = '\0';
	return EXACT_DONE;
}

enum exact_outcome exact_small(
	const struct calc_program *program, union calc_stack *stack, char *text)
{
	struct ratio *end = stack->ratios;
	const struct calc_literal *literal = program->literal;
	enum exact_outcome outcome = EXACT_DONE;
	for (unsigned i = 0; i < program->steps && outcome == EXACT_DONE; i++) {
		enum calc_op op = program->step[i].op;
		if (op == OP_LITERAL) {
			outcome = from_literal(literal++, end++);
		} else if (op == OP_NEGATE) {
			end[-1].num = -end[-1].num;
		} else {
			end--;
			outcome = step(op, &end[-1], &end[0]);
		}
	}
	return outcome == EXACT_DONE ? write_ratio(end[-1], text) : outcome;
}

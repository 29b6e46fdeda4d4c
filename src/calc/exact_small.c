/*
 * exact_small: rationals of 128-bit integers, for the expressions that people write.
 *
 * Fractions are brought to lowest terms only when they outgrow 128 bits, and at the end. Where that
 * does not help, the answer is EXACT_LARGE and exact_large starts afresh. Numerators keep to
 * ±INT128_MAX, so a sign can always be turned.
 */
#include "calc/value.h"

#include <string.h>

#define INT128_MAX ((int128)(~(uint128)0 >> 1))
#define POWER_MAX 38 /* 10**38 is the last power of ten below 2**127 */

static uint128 magnitude(int128 number)
{
	return number < 0 ? -(uint128)number : (uint128)number;
}

static bool is_short(int128 number)
{
	return number == (int64_t)number;
}

static bool multiply(int128 a, int128 b, int128 *ret)
{
	if (is_short(a) && is_short(b)) {
		*ret = (int128)(int64_t)a * (int64_t)b;
		return true;
	}
	uint128 left = magnitude(a), right = magnitude(b);
	uint128 larger = left > right ? left : right, smaller = left > right ? right : left;
	if (smaller >> 64)
		return false;
	/* (high * 2**64 + low) * smaller: the upper product must keep to 63 bits. */
	uint128 high = (larger >> 64) * smaller, low = (uint128)(uint64_t)larger * smaller;
	if (high >> 63)
		return false;
	uint128 product = (high << 64) + low;
	if (product > (uint128)INT128_MAX)
		return false;
	*ret = (a < 0) != (b < 0) ? -(int128)product : (int128)product;
	return true;
}

static bool add(int128 a, int128 b, int128 *ret)
{
	if (b > 0 ? a > INT128_MAX - b : a < -INT128_MAX - b)
		return false;
	*ret = a + b;
	return true;
}

static int trailing_zeros(uint128 number)
{
	uint64_t low = (uint64_t)number;
	return low ? __builtin_ctzll(low) : 64 + __builtin_ctzll((uint64_t)(number >> 64));
}

/* Stein's algorithm; neither is 0. */
static uint64_t common_divisor_64(uint64_t left, uint64_t right)
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

static uint128 common_divisor(uint128 left, uint128 right)
{
	if (!(left >> 64) && !(right >> 64))
		return common_divisor_64((uint64_t)left, (uint64_t)right);
	int twos = trailing_zeros(left | right);
	left >>= trailing_zeros(left);
	do {
		right >>= trailing_zeros(right);
		uint128 smaller = left < right ? left : right;
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
	int128 divisor = (int128)common_divisor(magnitude(ratio->num), (uint128)ratio->den);
	if (divisor <= 1)
		return;
	ratio->num /= divisor;
	ratio->den /= divisor;
}

/* 10**exponent, for 0 to POWER_MAX. */
static int128 power_of_ten(int32_t exponent)
{
	if (exponent < TENS)
		return ten_to[exponent];
	return (int128)ten_to[TENS - 1] * ten_to[exponent - (TENS - 1)];
}

static enum exact_outcome from_literal(const struct calc_literal *literal, struct ratio *ret)
{
	uint64_t digits = literal->digits;
	int32_t exponent = literal->exponent;
	ret->den = 1;
	if (literal->cut)
		return EXACT_LARGE;
	for (; exponent < 0 && digits % 10 == 0 && digits; exponent++)
		digits /= 10;
	ret->num = digits;
	if (!digits || !exponent)
		return EXACT_DONE;
	if (exponent < -POWER_MAX || exponent > POWER_MAX)
		return EXACT_LARGE;
	if (exponent < 0)
		ret->den = power_of_ten(-exponent);
	else if (!multiply(ret->num, power_of_ten(exponent), &ret->num))
		return EXACT_LARGE;
	return EXACT_DONE;
}

/* Both numerators over one denominator. */
static bool align(
	const struct ratio *a, const struct ratio *b, int128 *left, int128 *right, int128 *den)
{
	if (a->den == b->den) {
		*left = a->num;
		*right = b->num;
		*den = a->den;
		return true;
	}
	return multiply(a->num, b->den, left) && multiply(b->num, a->den, right) &&
	       multiply(a->den, b->den, den);
}

/* What the quotient of integers, rounded down, leaves. */
static int128 floor_rest(int128 num, int128 divisor)
{
	int128 rest = num % divisor;
	return rest && (rest < 0) != (divisor < 0) ? rest + divisor : rest;
}

static bool is_short_ratio(const struct ratio *ratio)
{
	return is_short(ratio->num) && is_short(ratio->den);
}

/*
 * a op b into a, where all four are below 2**63 and no product can overflow. Each case writes by
 * itself: choosing between 128-bit values first sends them through memory.
 */
static void combine_short(enum calc_op op, struct ratio *a, const struct ratio *b)
{
	int64_t an = (int64_t)a->num, ad = (int64_t)a->den;
	int64_t bn = (int64_t)b->num, bd = (int64_t)b->den;
	switch (op) {
	case OP_ADD:
		a->num = ad == bd ? (int128)an + bn : (int128)an * bd + (int128)bn * ad;
		a->den = ad == bd ? ad : (int128)ad * bd;
		break;
	case OP_SUBTRACT:
		a->num = ad == bd ? (int128)an - bn : (int128)an * bd - (int128)bn * ad;
		a->den = ad == bd ? ad : (int128)ad * bd;
		break;
	case OP_MULTIPLY:
		a->num = (int128)an * bn;
		a->den = (int128)ad * bd;
		break;
	case OP_DIVIDE:
		a->num = (int128)an * (bn < 0 ? -(int128)bd : bd);
		a->den = (int128)ad * (bn < 0 ? -(int128)bn : bn);
		break;
	case OP_MODULO:
		a->num = floor_rest((int128)an * bd, (int128)bn * ad);
		a->den = (int128)ad * bd;
		break;
	case OP_LITERAL:
	case OP_NEGATE:
	case OP_POWER:
		break;
	}
}

/* a op b into a; false, and nothing changed, where it does not fit. */
static bool combine(enum calc_op op, struct ratio *a, const struct ratio *b)
{
	int128 num = 0, den = 1, left, right;
	bool fits = false;
	switch (op) {
	case OP_ADD:
		fits = align(a, b, &left, &right, &den) && add(left, right, &num);
		break;
	case OP_SUBTRACT:
		fits = align(a, b, &left, &right, &den) && add(left, -right, &num);
		break;
	case OP_MULTIPLY:
		fits = multiply(a->num, b->num, &num) && multiply(a->den, b->den, &den);
		break;
	case OP_DIVIDE:
		fits = multiply(a->num, b->num < 0 ? -b->den : b->den, &num) &&
		       multiply(a->den, b->num < 0 ? -b->num : b->num, &den);
		break;
	case OP_MODULO:
		fits = align(a, b, &left, &right, &den);
		num = fits ? floor_rest(left, right) : 0;
		break;
	case OP_LITERAL:
	case OP_NEGATE:
	case OP_POWER:
		break;
	}
	if (!fits)
		return false;
	a->num = num;
	a->den = den;
	return true;
}

static bool integer_power(int128 base, uint128 exponent, int128 *ret)
{
	int128 result = 1;
	for (;;) {
		if ((exponent & 1) && !multiply(result, base, &result))
			return false;
		exponent >>= 1;
		if (!exponent)
			break;
		if (!multiply(base, base, &base))
			return false;
	}
	*ret = result;
	return true;
}

static enum exact_outcome power(struct ratio *base, const struct ratio *by)
{
	if (by->den != 1 && by->num % by->den)
		return EXACT_NONE;
	int128 exponent = by->den != 1 ? by->num / by->den : by->num;
	if (exponent < 0 && !base->num)
		return EXACT_NONE;
	reduce(base);
	int128 num, den = 1;
	uint128 times = magnitude(exponent);
	if (!integer_power(base->num, times, &num) ||
		(base->den != 1 && !integer_power(base->den, times, &den)))
		return EXACT_LARGE;
	bool turn = exponent < 0;
	base->num = !turn ? num : num < 0 ? -den : den;
	base->den = !turn ? den : num < 0 ? -num : num;
	return EXACT_DONE;
}

static enum exact_outcome step(enum calc_op op, struct ratio *a, struct ratio *b)
{
	if (op == OP_POWER)
		return power(a, b);
	if ((op == OP_DIVIDE || op == OP_MODULO) && !b->num)
		return EXACT_NONE;
	if (is_short_ratio(a) && is_short_ratio(b)) {
		combine_short(op, a, b);
		return EXACT_DONE;
	}
	if (combine(op, a, b))
		return EXACT_DONE;
	reduce(a);
	reduce(b);
	return combine(op, a, b) ? EXACT_DONE : EXACT_LARGE;
}

struct factors {
	int twos, fives;
	bool others;
};

static void factor(int128 den, struct factors *ret)
{
	int twos = 0, fives = 0;
	if (den != 1) {
		twos = trailing_zeros((uint128)den);
		den >>= twos;
	}
	for (; !is_short(den) && den % 5 == 0; fives++)
		den /= 5;
	if (is_short(den)) {
		uint64_t rest = (uint64_t)den;
		for (; rest % 5 == 0; fives++)
			rest /= 5;
		den = rest;
	}
	ret->twos = twos;
	ret->fives = fives;
	ret->others = den != 1;
}

static enum exact_outcome write_ratio(struct ratio *ratio, char *text)
{
	struct factors factors;
	factor(ratio->den, &factors);
	if (factors.others) {
		reduce(ratio);
		factor(ratio->den, &factors);
	}
	int places = factors.twos > factors.fives ? factors.twos : factors.fives;
	int128 num = ratio->num;
	for (int i = factors.twos; i < places && !factors.others; i++) {
		if (!multiply(num, 2, &num))
			return EXACT_LARGE;
	}
	for (int i = factors.fives; i < places && !factors.others; i++) {
		if (!multiply(num, 5, &num))
			return EXACT_LARGE;
	}
	if (num < 0)
		*text++ = '-';
	if (factors.others) {
		text += write_digits128(magnitude(num), text);
		*text++ = '/';
		text += write_digits128((uint128)ratio->den, text);
	} else if (num) {
		text = write_places(magnitude(num), (size_t)places, text);
	} else {
		*text++ = '0';
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
	return outcome == EXACT_DONE ? write_ratio(&end[-1], text) : outcome;
}

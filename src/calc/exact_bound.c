/*
 * exact_bound: what an exact evaluation may cost, known before it starts.
 *
 * Every step's numerator and denominator get an upper bound in a long double, whose range
 * (2**16383) is far beyond the cap. From their sizes follows the work of the step.
 */
#include "calc/value.h"

#include <math.h>

#define SIZE_MAX_BOUND 0x1.02p4096L /* CALC_EXACT_BITS, and what was rounded upwards */
#define COST_MAX 12500		    /* steps and limbs; each took up to 0.08 µs when measured */

_Static_assert(CALC_EXACT_BITS == 4096, "SIZE_MAX_BOUND is 2**CALC_EXACT_BITS");

static struct bound of_literal(const struct calc_literal *literal, const char *source)
{
	struct bound bound = {
		.num = (long double)literal->digits, .den = 1, .decimal = true, .sign = 1};
	int32_t exponent = literal->exponent;
	if (literal->cut && literal->base == 10) {
		char text[CALC_SOURCE_MAX + 1];
		bound.num =
			powl(10, (long double)literal_mantissa(literal, source, text, &exponent));
	} else if (literal->cut) {
		int bits = literal->base == 16 ? 4 : literal->base == 8 ? 3 : 1;
		bound.num = exp2l((long double)bits * (literal->end - literal->start - 2));
	}
	if (bound.num > 0 && exponent > 0)
		bound.num *= powl(10, exponent);
	else if (bound.num > 0 && exponent < 0)
		bound.den = powl(10, -(long double)exponent);
	bound.size = bound.num / bound.den;
	return bound;
}

/* The logarithm and its inverse for sizes that a double does not hold, a little to the high side.
 */
static double log2_above(long double size)
{
	int exponent;
	double mantissa = (double)frexpl(size, &exponent);
	return log2(mantissa) + exponent + 0x1p-20;
}

static long double exp2_above(double logarithm)
{
	double whole = floor(logarithm);
	return ldexpl(exp2(logarithm - whole) + 0x1p-20, (int)whole);
}

static struct bound power(const struct bound *base, const struct bound *by)
{
	bool upwards = by->sign > 0;
	long double larger = fmaxl(base->num, base->den);
	struct bound bound = {.num = 1, .den = 1, .size = 1, .decimal = base->decimal && upwards};
	if (larger <= 1)
		return bound;
	double times = by->size < 2 * CALC_EXACT_BITS ? (double)by->size : 2 * CALC_EXACT_BITS;
	if (log2_above(larger) * times > CALC_EXACT_BITS + 1) {
		bound.num = HUGE_VALL;
		return bound;
	}
	bound.num = exp2_above(log2_above(upwards ? fmaxl(base->num, 1) : larger) * times);
	bound.den = exp2_above(log2_above(upwards ? base->den : larger) * times);
	bound.size = upwards ? exp2_above(log2_above(fmaxl(base->size, 1)) * times) : bound.num;
	return bound;
}

static struct bound combine(enum calc_op op, const struct bound *a, const struct bound *b)
{
	struct bound bound = {.decimal = a->decimal && b->decimal};
	bound.den = bound.decimal ? fmaxl(a->den, b->den) : a->den * b->den;
	switch (op) {
	case OP_ADD:
	case OP_SUBTRACT:
		bound.num = a->num * (bound.den / a->den) + b->num * (bound.den / b->den);
		bound.size = a->size + b->size;
		break;
	case OP_MULTIPLY:
		bound.num = a->num * b->num;
		bound.den = a->den * b->den;
		bound.size = a->size * b->size;
		break;
	case OP_DIVIDE:
		bound.num = a->num * b->den;
		bound.den = a->den * fmaxl(b->num, 1);
		bound.size = bound.num;
		bound.decimal = false;
		break;
	case OP_MODULO:
		/* The rest is smaller than b; on the way there stand both over one denominator. */
		bound.num = (a->num + b->num) * a->den * b->den;
		bound.size = b->size;
		break;
	case OP_POWER:
		return power(a, b);
	case OP_LITERAL:
	case OP_NEGATE:
		break;
	}
	return bound;
}

/* The work of a step, which at these sizes grows with the limbs of its result. */
static long double cost(const struct bound *bound)
{
	return 2 + (logbl(fmaxl(bound->num, 1)) + logbl(bound->den)) / 64;
}

bool exact_is_cheap(const struct calc_program *program, const char *source, union calc_stack *stack)
{
	struct bound *end = stack->bounds;
	const struct calc_literal *literal = program->literal;
	long double total = 0;
	for (unsigned i = 0; i < program->steps; i++) {
		enum calc_op op = program->step[i].op;
		if (op == OP_LITERAL) {
			*end++ = of_literal(literal++, source);
		} else if (op == OP_NEGATE) {
			end[-1].sign = (int8_t)-end[-1].sign;
			continue;
		} else {
			end--;
			end[-1] = combine(op, &end[-1], &end[0]);
		}
		if (!(end[-1].num <= SIZE_MAX_BOUND && end[-1].den <= SIZE_MAX_BOUND))
			return false;
		total += cost(&end[-1]);
		if (total > COST_MAX)
			return false;
	}
	return true;
}

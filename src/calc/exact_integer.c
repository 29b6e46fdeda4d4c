/*
 * exact_integer: the exact value where all of it is integers below 2**63, which is what most
 * expressions without a point are. Anything else is EXACT_LARGE, and exact_small takes over.
 */
#include "calc/value.h"

/* base**exponent for an exponent of 0 or more. */
static bool power(int64_t base, int64_t exponent, int64_t *ret)
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

/* a op b into a; false where that is no integer, or too large. */
static bool step(enum calc_op op, int64_t *a, int64_t b)
{
	switch (op) {
	case OP_ADD:
		return !__builtin_add_overflow(*a, b, a);
	case OP_SUBTRACT:
		return !__builtin_sub_overflow(*a, b, a);
	case OP_MULTIPLY:
		return !__builtin_mul_overflow(*a, b, a);
	case OP_DIVIDE:
		if (b <= 0 || *a % b)
			return false;
		*a /= b;
		return true;
	case OP_MODULO:
		if (b <= 0)
			return false;
		*a %= b;
		*a += *a < 0 ? b : 0;
		return true;
	case OP_POWER:
		return b >= 0 && power(*a, b, a);
	case OP_LITERAL:
	case OP_NEGATE:
		break;
	}
	return false;
}

enum exact_outcome exact_integer(
	const struct calc_program *program, union calc_stack *stack, char *text)
{
	int64_t *end = stack->integers;
	const struct calc_literal *literal = program->literal;
	for (unsigned i = 0; i < program->steps; i++) {
		enum calc_op op = program->step[i].op;
		bool fits = true;
		if (op == OP_LITERAL) {
			fits = !literal->exponent && !literal->cut && literal->digits <= INT64_MAX;
			*end++ = (int64_t)literal++->digits;
		} else if (op == OP_NEGATE) {
			fits = !__builtin_sub_overflow(0, end[-1], &end[-1]);
		} else {
			end--;
			fits = step(op, &end[-1], end[0]);
		}
		if (!fits)
			return EXACT_LARGE;
	}
	bool negative = end[-1] < 0;
	if (negative)
		*text++ = '-';
	size_t length = write_digits(negative ? -(uint64_t)end[-1] : (uint64_t)end[-1], text);
	text[length] = '\0';
	return EXACT_DONE;
}

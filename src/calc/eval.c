/*
 * eval: a program in doubles, bit for bit as CPython computes it when every constant is a float.
 *
 * Source: The Python Language Reference 3.13, "Binary arithmetic operations", "The power operator";
 * C17 F.10.4.4 for pow. CPython 3.13 was the arbiter where they are silent.
 */
#include "calc/value.h"

#include <errno.h>
#include <math.h>

/* The remainder has the divisor's sign, a zero remainder too. */
static double modulo(double left, double right)
{
	double rest = fmod(left, right);
	if (rest == 0)
		return copysign(0.0, right);
	return (right < 0) != (rest < 0) ? rest + right : rest;
}

static bool is_odd(double value)
{
	return fmod(fabs(value), 2.0) == 1.0;
}

/* Where the base or the exponent is infinite or not a number. */
static double power_special(double base, double exponent)
{
	if (isnan(base))
		return base;
	if (isnan(exponent))
		return base == 1.0 ? 1.0 : exponent;
	if (isinf(exponent)) {
		double size = fabs(base);
		if (size == 1.0)
			return 1.0;
		return (exponent > 0) == (size > 1.0) ? fabs(exponent) : 0.0;
	}
	if (exponent > 0)
		return is_odd(exponent) ? base : fabs(base);
	return is_odd(exponent) ? copysign(0.0, base) : 0.0;
}

static double power(double base, double exponent, unsigned at, struct calc_fault *fault)
{
	if (exponent == 0)
		return 1.0;
	if (!isfinite(base) || !isfinite(exponent))
		return power_special(base, exponent);
	if (base == 0) {
		if (exponent < 0)
			fault_set(fault, CALC_ERROR_ZERO_DIVISION, at,
				"zero cannot be raised to a negative power");
		return is_odd(exponent) ? base : 0.0;
	}
	bool negative = base < 0;
	if (negative && exponent != floor(exponent) && isinf(pow(fabs(base), exponent))) {
		/* CPython computes the complex number first. */
		fault_set(fault, CALC_ERROR_OVERFLOW, at, "result too large");
		return base;
	}
	if (negative && exponent != floor(exponent)) {
		fault_set(fault, CALC_ERROR_COMPLEX, at,
			"complex result: a negative base with a fractional exponent");
		return base;
	}
	/* glibc also reports ERANGE beside some subnormal results, and CPython then overflows. */
	errno = 0;
	double result = pow(fabs(base), exponent);
	if (isinf(result) || (errno && result != 0))
		fault_set(fault, CALC_ERROR_OVERFLOW, at, "result too large");
	return negative && is_odd(exponent) ? -result : result;
}

static double binary(
	const struct calc_step *step, double left, double right, struct calc_fault *fault)
{
	switch ((enum calc_op)step->op) {
	case OP_ADD:
		return left + right;
	case OP_SUBTRACT:
		return left - right;
	case OP_MULTIPLY:
		return left * right;
	case OP_DIVIDE:
		if (right == 0)
			fault_set(fault, CALC_ERROR_ZERO_DIVISION, step->at, "division by zero");
		return left / right;
	case OP_MODULO:
		if (right == 0) {
			fault_set(fault, CALC_ERROR_ZERO_DIVISION, step->at, "modulo by zero");
			return left;
		}
		return modulo(left, right);
	case OP_POWER:
		return power(left, right, step->at, fault);
	case OP_LITERAL:
	case OP_NEGATE:
		break;
	}
	return left;
}

double eval_double(const struct calc_program *program, const char *source, locale_t c_locale,
	union calc_stack *stack, struct calc_fault *fault)
{
	double *end = stack->doubles;
	const struct calc_literal *literal = program->literal;
	for (unsigned i = 0; i < program->steps && !fault->error; i++) {
		const struct calc_step *step = &program->step[i];
		if (step->op == OP_LITERAL) {
			*end = literal_double(literal, source, c_locale);
			if (literal->integer && isinf(*end))
				fault_set(fault, CALC_ERROR_OVERFLOW, step->at,
					"integer too large for a double");
			literal++;
			end++;
		} else if (step->op == OP_NEGATE) {
			end[-1] = -end[-1];
		} else {
			end--;
			end[-1] = binary(step, end[-1], end[0], fault);
		}
	}
	return end[-1];
}

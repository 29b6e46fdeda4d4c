/*
 * exact_large: rationals of any size within the bounds, by GMP.
 *
 * exact_is_cheap() has limited every number to come, so nothing here grows without end.
 *
 * Source: the GMP manual, "Rational Number Functions".
 */
#include "calc/value.h"

#include <string.h>

static void set_literal(mpq_t to, const struct calc_literal *literal, const char *source)
{
	char text[CALC_SOURCE_MAX + 1];
	int32_t exponent = 0;
	if (literal->base == 10)
		(void)literal_mantissa(literal, source, text, &exponent);
	else
		(void)literal_text(literal, source, text);
	(void)mpz_set_str(mpq_numref(to), text, literal->base);
	if (!mpz_sgn(mpq_numref(to)) || !exponent)
		return;
	mpz_t power;
	mpz_init(power);
	mpz_ui_pow_ui(power, 10, (unsigned long)(exponent < 0 ? -exponent : exponent));
	if (exponent < 0)
		mpq_set_den(to, power);
	else
		mpz_mul(mpq_numref(to), mpq_numref(to), power);
	mpz_clear(power);
	mpq_canonicalize(to);
}

/* a % b, which has the sign of b. */
static void modulo(mpq_t a, mpq_t b)
{
	mpz_mul(mpq_numref(a), mpq_numref(a), mpq_denref(b));
	mpz_mul(mpq_numref(b), mpq_numref(b), mpq_denref(a));
	mpz_fdiv_r(mpq_numref(a), mpq_numref(a), mpq_numref(b));
	mpz_mul(mpq_denref(a), mpq_denref(a), mpq_denref(b));
	mpq_canonicalize(a);
}

static bool power(mpq_t base, mpq_t by)
{
	if (mpz_cmp_ui(mpq_denref(by), 1))
		return false;
	int direction = mpz_sgn(mpq_numref(by));
	if (!mpz_sgn(mpq_numref(base)) && direction < 0)
		return false;
	bool unit = !mpz_cmp_ui(mpq_denref(base), 1) && mpz_cmpabs_ui(mpq_numref(base), 1) <= 0;
	unsigned long times = mpz_get_ui(mpq_numref(by));
	/* 0, 1 and -1 may be raised to anything: only whether it is 0, odd or even counts. */
	if (unit)
		times = direction ? 2 - (unsigned long)(mpz_odd_p(mpq_numref(by)) != 0) : 0;
	mpz_pow_ui(mpq_numref(base), mpq_numref(base), times);
	mpz_pow_ui(mpq_denref(base), mpq_denref(base), times);
	if (direction < 0)
		mpq_inv(base, base);
	return true;
}

static bool binary(enum calc_op op, mpq_t a, mpq_t b)
{
	bool zero = !mpq_sgn(b);
	switch (op) {
	case OP_ADD:
		mpq_add(a, a, b);
		return true;
	case OP_SUBTRACT:
		mpq_sub(a, a, b);
		return true;
	case OP_MULTIPLY:
		mpq_mul(a, a, b);
		return true;
	case OP_DIVIDE:
		if (!zero)
			mpq_div(a, a, b);
		return !zero;
	case OP_MODULO:
		if (!zero)
			modulo(a, b);
		return !zero;
	case OP_POWER:
		return power(a, b);
	case OP_LITERAL:
	case OP_NEGATE:
		break;
	}
	return false;
}

/* The digits of |number|; false where they are too many for `text` of CALC_EXACT_MAX + 1. */
static bool digits(const mpz_t number, char *text)
{
	char buffer[CALC_EXACT_MAX + 4];
	if (mpz_sizeinbase(number, 10) > CALC_EXACT_MAX + 1)
		return false;
	(void)mpz_get_str(buffer, 10, number);
	const char *first = buffer + (buffer[0] == '-');
	if (strlen(first) > CALC_EXACT_MAX)
		return false;
	strcpy(text, first);
	return true;
}

/* How many places a finite decimal of this denominator has; -1 where there is none. */
static long decimal_places(const mpz_t den, unsigned long *ret_twos, unsigned long *ret_fives)
{
	mpz_t rest, five;
	mpz_init(rest);
	mpz_init_set_ui(five, 5);
	*ret_twos = mpz_scan1(den, 0);
	mpz_tdiv_q_2exp(rest, den, *ret_twos);
	*ret_fives = mpz_remove(rest, rest, five);
	bool finite = !mpz_cmp_ui(rest, 1);
	mpz_clear(rest);
	mpz_clear(five);
	return finite ? (long)(*ret_twos > *ret_fives ? *ret_twos : *ret_fives) : -1;
}

/* Puts the point `places` from the right into `text`; false where that makes it too long. */
static bool put_point(char *text, size_t places)
{
	size_t count = strlen(text);
	size_t whole = count > places ? count - places : 0;
	size_t zeros = places > count ? places - count : 0;
	size_t head = whole ? whole : 1;
	if (head + 1 + places > CALC_EXACT_MAX)
		return false;
	memmove(text + head + 1 + zeros, text + whole, count - whole + 1);
	if (!whole)
		text[0] = '0';
	text[head] = '.';
	memset(text + head + 1, '0', zeros);
	return true;
}

static bool write_rational(mpq_t value, char *text)
{
	bool negative = mpq_sgn(value) < 0;
	char body[CALC_EXACT_MAX + 1], den[CALC_EXACT_MAX + 1] = "";
	unsigned long twos, fives;
	long places = decimal_places(mpq_denref(value), &twos, &fives);
	if (places > 0) {
		mpz_t factor;
		mpz_init(factor);
		mpz_ui_pow_ui(factor, 5, (unsigned long)places - fives);
		mpz_mul(mpq_numref(value), mpq_numref(value), factor);
		mpz_mul_2exp(mpq_numref(value), mpq_numref(value), (unsigned long)places - twos);
		mpz_clear(factor);
	}
	if (!digits(mpq_numref(value), body) || (places > 0 && !put_point(body, (size_t)places)) ||
		(places < 0 && !digits(mpq_denref(value), den)))
		return false;
	if (negative + strlen(body) + (places < 0) + strlen(den) > CALC_EXACT_MAX)
		return false;
	if (negative)
		*text++ = '-';
	text = stpcpy(text, body);
	if (places < 0)
		(void)stpcpy(stpcpy(text, "/"), den);
	return true;
}

enum exact_outcome exact_large(
	const struct calc_program *program, const char *source, union calc_stack *stack, char *text)
{
	mpq_t *numbers = stack->rationals;
	const struct calc_literal *literal = program->literal;
	unsigned depth = 0;
	bool defined = exact_is_cheap(program, source, stack);
	for (unsigned i = 0; i < program->steps && defined; i++) {
		enum calc_op op = program->step[i].op;
		if (op == OP_LITERAL) {
			mpq_init(numbers[depth]);
			set_literal(numbers[depth++], literal++, source);
		} else if (op == OP_NEGATE) {
			mpq_neg(numbers[depth - 1], numbers[depth - 1]);
		} else {
			depth--;
			defined = binary(op, numbers[depth - 1], numbers[depth]);
			mpq_clear(numbers[depth]);
		}
	}
	defined = defined && write_rational(numbers[0], text);
	while (depth)
		mpq_clear(numbers[--depth]);
	return defined ? EXACT_DONE : EXACT_NONE;
}

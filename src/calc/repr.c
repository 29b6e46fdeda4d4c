/*
 * repr: a double as Python prints it: the shortest decimal that reads back as the same double,
 * and of those the nearest.
 *
 * Source: Giulietti, "The Schubfach way to render doubles"; the Python Library Reference, repr and
 * float.__repr__ for the layout.
 */
#include "calc/value.h"

#include <math.h>
#include <string.h>

struct pow10 {
	uint64_t high, low;
};

#include "calc/pow10_table.h"

struct decimal {
	uint64_t digits;
	int exponent;
};

/*
 * The product of a 128-bit power of ten and a number below 2**58, over 2**128: its integer part,
 * with the last bit set where anything was cut off.
 */
static uint64_t scale(const struct pow10 *power, uint64_t number)
{
	uint128 low = (uint128)power->low * number;
	uint128 high = (uint128)power->high * number + (uint64_t)(low >> 64);
	return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/*
 * value = mantissa * 2**exponent. `lopsided`: the double below is half as far as the one above.
 * The interval that rounds to the value, times four, is scaled by a power of ten so that one or
 * two integers' candidates decide; its ends belong to it where the mantissa is even.
 */
static struct decimal shortest(uint64_t mantissa, int exponent, bool lopsided)
{
	/* floor(log10(2**exponent)), of three quarters of it where lopsided; floor(log2(10**-k)).
	 */
	int k = (exponent * 1262611 - (lopsided ? 524031 : 0)) >> 22;
	int shift = exponent + ((-k * 1741647) >> 19) + 1;
	const struct pow10 *power = &pow10_table[-k - POW10_FIRST];
	uint64_t odd = mantissa & 1;
	uint64_t lower = scale(power, (4 * mantissa - 2 + lopsided) << shift) + odd;
	uint64_t middle = scale(power, (4 * mantissa) << shift);
	uint64_t upper = scale(power, (4 * mantissa + 2) << shift) - odd;
	uint64_t floor4 = middle / 4;
	if (floor4 >= 10) {
		uint64_t tens = floor4 / 10;
		bool down = lower <= 40 * tens;
		bool up = 40 * tens + 40 <= upper;
		if (down != up)
			return (struct decimal){tens + up, k + 1};
	}
	bool down = lower <= 4 * floor4;
	bool up = 4 * floor4 + 4 <= upper;
	if (down != up)
		return (struct decimal){floor4 + up, k};
	uint64_t half = 4 * floor4 + 2;
	bool round_up = middle > half || (middle == half && (floor4 & 1));
	return (struct decimal){floor4 + round_up, k};
}

static struct decimal decimal_of(uint64_t bits)
{
	uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
	int biased = (int)(bits >> 52 & 0x7ff);
	struct decimal decimal;
	if (biased)
		decimal = shortest(
			fraction | UINT64_C(1) << 52, biased - 1075, !fraction && biased > 1);
	else
		decimal = shortest(fraction, -1074, false);
	while (decimal.digits % 10 == 0) {
		decimal.digits /= 10;
		decimal.exponent++;
	}
	return decimal;
}

/* d.ddde±XX */
static char *write_scientific(char *at, const char *digits, size_t count, int exponent)
{
	*at++ = digits[0];
	if (count > 1) {
		*at++ = '.';
		memcpy(at, digits + 1, count - 1);
		at += count - 1;
	}
	*at++ = 'e';
	*at++ = exponent < 0 ? '-' : '+';
	unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent);
	if (size < 10)
		*at++ = '0';
	return at + write_digits(size, at);
}

/* `point`: how many digits stand before the point, at most 16; negative for zeros behind it. */
static char *write_fixed(char *at, const char *digits, size_t count, int point)
{
	if (point <= 0) {
		*at++ = '0';
		*at++ = '.';
		for (; point < 0; point++)
			*at++ = '0';
		memcpy(at, digits, count);
		return at + count;
	}
	size_t before = (size_t)point;
	size_t copied = count < before ? count : before;
	memcpy(at, digits, copied);
	memset(at + copied, '0', before - copied);
	at += before;
	*at++ = '.';
	if (count <= before) {
		*at++ = '0';
		return at;
	}
	memcpy(at, digits + before, count - before);
	return at + (count - before);
}

size_t repr_double(double value, char *text)
{
	char *at = text;
	if (isnan(value)) {
		memcpy(text, "nan", 4);
		return 3;
	}
	if (signbit(value))
		*at++ = '-';
	double size = fabs(value);
	if (isinf(size)) {
		memcpy(at, "inf", 4);
		return (size_t)(at - text) + 3;
	}
	if (size < 0x1p53 && size == (double)(uint64_t)size) {
		at += write_digits((uint64_t)size, at);
		memcpy(at, ".0", 3);
		return (size_t)(at - text) + 2;
	}
	uint64_t bits;
	memcpy(&bits, &size, sizeof(bits));
	struct decimal decimal = decimal_of(bits);
	char digits[20];
	size_t count = write_digits(decimal.digits, digits);
	int point = (int)count + decimal.exponent;
	if (point > 16 || point <= -4)
		at = write_scientific(at, digits, count, point - 1);
	else
		at = write_fixed(at, digits, count, point);
	*at = '\0';
	return (size_t)(at - text);
}

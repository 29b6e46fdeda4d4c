/* quantity: sizes and durations. */
#include "base/quantity.h"

#include <stddef.h>
#include <string.h>

struct unit {
	const char *name;
	uint64_t factor;
};

static bool parse(const char *text, const struct unit *units, uint64_t *ret_value)
{
	uint64_t thousandths = 0, place = 1000;
	bool huge = false;
	size_t digits = strspn(text, "0123456789"), decimals = 0;

	for (size_t i = 0; i < digits; i++)
		huge |= __builtin_mul_overflow(thousandths, 10, &thousandths) ||
			__builtin_add_overflow(
				thousandths, (uint64_t)(text[i] - '0') * 1000, &thousandths);
	const char *rest = text + digits;
	if (digits && *rest == '.') {
		decimals = strspn(++rest, "0123456789");
		for (size_t i = 0; i < decimals && i < 3; i++)
			huge |= __builtin_add_overflow(thousandths,
				(uint64_t)(rest[i] - '0') * (place /= 10), &thousandths);
		rest += decimals;
		if (decimals == 0 || decimals > 3)
			return false;
	}
	for (; digits && units->name; units++) {
		uint64_t value;
		if (strcasecmp(rest, units->name) != 0)
			continue;
		huge |= __builtin_mul_overflow(thousandths, units->factor, &value);
		*ret_value = huge ? UINT64_MAX : value / 1000;
		return true;
	}
	return false;
}

bool quantity_size(const char *text, uint64_t *ret_bytes)
{
	static const struct unit units[] = {{"", 1}, {"K", 1u << 10}, {"M", 1u << 20},
		{"G", 1u << 30}, {"KiB", 1u << 10}, {"MiB", 1u << 20}, {"GiB", 1u << 30},
		{NULL, 0}};
	return parse(text, units, ret_bytes);
}

bool quantity_duration(const char *text, uint64_t *ret_ms)
{
	static const struct unit units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {NULL, 0}};
	return parse(text, units, ret_ms);
}

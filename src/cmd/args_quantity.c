/* args_quantity: sizes and durations. */
#include "cmd/args.h"

#include <errno.h>
#include <string.h>

struct unit {
	const char *name;
	uint64_t factor;
};

/*
 * A decimal number of at most three places and a unit, as a whole number of the base unit. What
 * is too large to count becomes UINT64_MAX, which its ceiling then takes down. False: malformed.
 */
static bool parse_quantity(const char *text, const struct unit *units, uint64_t *ret_value)
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
			thousandths += (uint64_t)(rest[i] - '0') * (place /= 10);
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

int args_size(const char *flag, const char *text, uint64_t *ret_bytes, struct err *err)
{
	static const struct unit units[] = {{"", 1}, {"K", 1u << 10}, {"M", 1u << 20},
		{"G", 1u << 30}, {"KiB", 1u << 10}, {"MiB", 1u << 20}, {"GiB", 1u << 30},
		{NULL, 0}};
	char shown[ARGS_SHOWN_BYTES];
	if (!parse_quantity(text, units, ret_bytes))
		return err_set(err, -EINVAL, "usage",
			"%s %s is no size; write a number and K, M or G, as in %s 512M", flag,
			args_shown(text, shown), flag);
	if (*ret_bytes == 0)
		return err_set(
			err, -EINVAL, "usage", "%s must be more than 0, as in %s 512M", flag, flag);
	return 0;
}

int args_duration(const char *flag, const char *text, uint64_t *ret_ms, struct err *err)
{
	static const struct unit units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {NULL, 0}};
	char shown[ARGS_SHOWN_BYTES];
	if (!parse_quantity(text, units, ret_ms))
		return err_set(err, -EINVAL, "usage",
			"%s %s is no duration; write a number and ms, s or m, as in %s 10s", flag,
			args_shown(text, shown), flag);
	if (*ret_ms == 0)
		return err_set(
			err, -EINVAL, "usage", "%s must be at least 1ms, as in %s 10s", flag, flag);
	return 0;
}

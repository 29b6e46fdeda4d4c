/* args_quantity: sizes and durations. */
#include "cmd/args.h"

#include "base/quantity.h"

#include <errno.h>

int args_size(const char *flag, const char *text, uint64_t *ret_bytes, struct err *err)
{
	char shown[ARGS_SHOWN_BYTES];
	if (!quantity_size(text, ret_bytes))
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
	char shown[ARGS_SHOWN_BYTES];
	if (!quantity_duration(text, ret_ms))
		return err_set(err, -EINVAL, "usage",
			"%s %s is no duration; write a number and ms, s or m, as in %s 10s", flag,
			args_shown(text, shown), flag);
	if (*ret_ms == 0)
		return err_set(
			err, -EINVAL, "usage", "%s must be at least 1ms, as in %s 10s", flag, flag);
	return 0;
}

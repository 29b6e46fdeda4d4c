/* err: filling in a fault without touching the heap. */
#include "base/err.h"

#include <stdio.h>
#include <string.h>

int(err_set)(struct err *err, int code, const char *stage, const char *format, ...)
{
	if (!err)
		return code;
	err->code = code;
	(void)snprintf(err->stage, sizeof(err->stage), "%s", stage);
	va_list args;
	va_start(args, format);
	(void)vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	return code;
}

int(err_sys)(struct err *err, int code, const char *stage, const char *what)
{
	/* strerrordesc_np is async-signal-safe, unlike strerror: this runs after fork too. */
	const char *reason = strerrordesc_np(-code);
	return err_set(err, code, stage, "%s: %s", what, reason ? reason : "unknown error");
}

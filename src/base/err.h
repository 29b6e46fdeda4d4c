/*
 * err: one fault, of fixed size, so that it can be filled in after fork, under memory pressure,
 * and be written to a pipe as it stands.
 *
 * Functions return 0 or -errno and take an optional last `struct err *`. They fill it only on
 * failure. `stage` is a short word for where (a layer id such as "landlock", or a room's verb);
 * `text` is one line for the operator that names the fix where there is one.
 *
 * Threads: none shared; each caller owns its struct.
 */
#ifndef BRIG_BASE_ERR_H
#define BRIG_BASE_ERR_H

#include <stdarg.h>
#include <stdint.h>

struct err {
	int32_t code; /* -errno */
	char stage[24];
	char text[228];
};

/* Fills `err` (when not NULL) and returns `code`, so that `return err_set(...)` reads well. */
int err_set(struct err *err, int code, const char *stage, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The same with strerror(-code) after the text: for a failed system call. */
int err_sys(struct err *err, int code, const char *stage, const char *what);

#define MUST_CHECK __attribute__((warn_unused_result))

#ifdef __clang_analyzer__
/* The analyzer sees one file at a time: this tells it that a fault is below 0. */
static inline int err_is_negative(int code)
{
	if (code >= 0)
		__builtin_unreachable();
	return code;
}
#define err_set(...) err_is_negative((err_set)(__VA_ARGS__))
#define err_sys(...) err_is_negative((err_sys)(__VA_ARGS__))
#endif

#endif

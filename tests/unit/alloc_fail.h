/*
 * alloc_fail: makes the nth allocation of a stretch of code fail, and counts what stays allocated.
 * Include it in one test program only. Under a sanitizer, which has an allocator of its own,
 * alloc_fail_works is false.
 *
 *	for (size_t n = 0;; n++) {
 *		alloc_fail_at(n);
 *		rc = work();
 *		if (!alloc_fail_end())		whether one failed
 *			break;
 *	}
 */
#ifndef BRIG_TESTS_UNIT_ALLOC_FAIL_H
#define BRIG_TESTS_UNIT_ALLOC_FAIL_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static bool alloc_armed, alloc_hit;
static size_t alloc_left;
static long alloc_live __attribute__((unused));

#ifdef __SANITIZE_ADDRESS__
static const bool alloc_fail_works = false;
#else
static const bool alloc_fail_works = true;

#define OVERRIDE __attribute__((visibility("default")))

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void __libc_free(void *data);

static bool refuse(void)
{
	if (!alloc_armed || alloc_left-- != 0)
		return false;
	alloc_armed = false;
	alloc_hit = true;
	errno = ENOMEM;
	return true;
}

OVERRIDE void *malloc(size_t bytes)
{
	void *data = refuse() ? NULL : __libc_malloc(bytes);
	alloc_live += data != NULL;
	return data;
}

OVERRIDE void *calloc(size_t count, size_t bytes)
{
	void *data = refuse() ? NULL : __libc_calloc(count, bytes);
	alloc_live += data != NULL;
	return data;
}

OVERRIDE void *realloc(void *old, size_t bytes)
{
	void *data = refuse() ? NULL : __libc_realloc(old, bytes);
	alloc_live += data != NULL && old == NULL;
	return data;
}

OVERRIDE void *reallocarray(void *old, size_t count, size_t bytes)
{
	size_t product;
	if (__builtin_mul_overflow(count, bytes, &product))
		return NULL;
	return realloc(old, product);
}

OVERRIDE void free(void *data)
{
	alloc_live -= data != NULL;
	__libc_free(data);
}
#endif

#define ALLOC_FAIL_OR_SKIP()                                                                       \
	do {                                                                                       \
		if (!alloc_fail_works) {                                                           \
			print_message("skip: a sanitizer has an allocator of its own\n");          \
			skip();                                                                    \
		}                                                                                  \
	} while (0)

static inline void alloc_fail_at(size_t n)
{
	alloc_left = n;
	alloc_hit = false;
	alloc_armed = true;
}

static inline bool alloc_fail_end(void)
{
	alloc_armed = false;
	return alloc_hit;
}

#endif

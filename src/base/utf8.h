/*
 * utf8: judging and mending text that comes from strangers.
 *
 * Well-formed means RFC 3629: no overlong form, no surrogate, nothing above U+10FFFF.
 */
#ifndef BRIG_BASE_UTF8_H
#define BRIG_BASE_UTF8_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* The length (1–4) of the well-formed character at `data`, or 0 where there is none. */
size_t utf8_length(const unsigned char *data, size_t bytes);

/* The code point of the well-formed character of `length` bytes at `data`. */
unsigned utf8_decode(const unsigned char *data, size_t length);

/* Whether all of it is well-formed; `*bad_offset` (optional) is set where it is not. */
bool utf8_valid(const void *data, size_t bytes, size_t *bad_offset);

/* The largest n <= bytes at which `data` can be cut without splitting a character. */
size_t utf8_cut_head(const unsigned char *data, size_t bytes);

/* The smallest n at which a tail `data + n` does not begin inside a character. */
size_t utf8_cut_tail(const unsigned char *data, size_t bytes);

/* Appends `data` with each byte that is part of no character written as `\xHH`. */
int utf8_escape(struct buf *out, const void *data, size_t bytes) MUST_CHECK;

#endif

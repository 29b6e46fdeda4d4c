/* span: bytes that somebody else owns. */
#ifndef BRIG_BASE_SPAN_H
#define BRIG_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct span {
	const unsigned char *data;
	size_t len;
};

static inline struct span span_of(const void *data, size_t len)
{
	return (struct span){.data = data, .len = len};
}

static inline struct span span_text(const char *text)
{
	return span_of(text, strlen(text));
}

static inline bool span_is(struct span span, const char *text)
{
	size_t len = strlen(text);
	return span.len == len && (len == 0 || memcmp(span.data, text, len) == 0);
}

#endif

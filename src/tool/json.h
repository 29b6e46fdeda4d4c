/*
 * json: reading JSON from strangers and writing JSON for clients, around jansson.
 *
 * Reading bounds size and depth before the parser sees a byte. Writing bounds the size, keeps every
 * double exact in its shortest form (jansson writes 0.1 as 0.10000000000000001), and needs no
 * second copy.
 *
 * Threads: one; what failed is noted in a static.
 *
 * Building: json_put and json_push take their value, also on failure, and accept NULL for one that
 * could not be made, so that a row of them needs one check at its end:
 *
 *	int rc = json_put(object, "name", json_from_text(span)) | json_put(object, "rows", rows);
 *	if (rc)
 *		return -ENOMEM;
 */
#ifndef BRIG_TOOL_JSON_H
#define BRIG_TOOL_JSON_H

#include "base/buf.h"
#include "base/span.h"

#include <jansson.h>

/* How deep a stranger's JSON may nest. */
#define JSON_DEPTH_MAX 64u

/* How many values a caller's message may hold: each costs the parser up to a hundred times its
 * bytes, and the time of all who are served beside. */
#define JSON_VALUES_MAX 20000u

static inline void json_drop(json_t **value)
{
	json_decref(*value);
	*value = NULL;
}
#define cleanup_json __attribute__((cleanup(json_drop)))

static inline json_t *json_take(json_t **value)
{
	json_t *taken = *value;
	*value = NULL;
	return taken;
}
#define TAKE_JSON(value) json_take(&(value))

/* Reads a whole text as one value. 0, -EBADMSG (malformed, not UTF-8, too deep), -ENOMEM. */
int json_read(struct span text, json_t **ret_value) MUST_CHECK;

/*
 * Reads what a caller sent, at whichever door: a whole text as one value, no key in it twice. 0,
 * -E2BIG (too deep, or too many values; `ret_error`'s text says what to do), -EBADMSG (the parser's
 * own words, with line and column).
 */
int json_receive(struct span text, json_t **ret_value, json_error_t *ret_error) MUST_CHECK;

/* Appends compact JSON. 0, -ENOSPC beyond the buffer's cap, -ENOMEM; the buffer is then cut back.
 */
int json_write(const json_t *value, struct buf *out) MUST_CHECK;

/* How many bytes json_write would append, or SIZE_MAX beyond `max_bytes`. */
size_t json_bytes(const json_t *value, size_t max_bytes);

/* A string of bytes that are UTF-8, or NULL. */
json_t *json_from_text(struct span text);

/* A string of words that may quote a stranger and were put into a place of fixed size: a character
 * that was cut at their end is left out, bytes that are no UTF-8 become \xHH. NULL without memory.
 */
json_t *json_from_words(const char *words);

/* The text of a string value, NULs included; empty for any other value. */
struct span json_text(const json_t *value);

/* A copy whose members are shared, or NULL. (jansson's own may lack members it had no room for.) */
json_t *json_copy_flat(json_t *value);

/* 0 or -ENOMEM. */
int json_put(json_t *object, const char *key, json_t *value);
int json_push(json_t *array, json_t *value);

#endif

/* query: the part of a URL behind its question mark. Source: WHATWG URL, urlencoded parsing. */
#ifndef BRIG_API_QUERY_H
#define BRIG_API_QUERY_H

#include "base/buf.h"
#include "base/span.h"

#include <stdbool.h>

/* Takes the next pair off `*query`, still encoded; false at its end. */
bool query_next(struct span *query, struct span *ret_name, struct span *ret_value);

/* Appends a name or value with %HH and '+' undone. 0 or -EINVAL. */
int query_decode(struct span text, struct buf *out) MUST_CHECK;

/* Appends the first value of that name. 1 it was there, 0 not, -EINVAL. */
int query_find(struct span query, const char *name, struct buf *out) MUST_CHECK;

#endif

/* percent: names of files in URLs. Source: RFC 3986, 2.1. */
#ifndef BRIG_HTTP_PERCENT_H
#define BRIG_HTTP_PERCENT_H

#include "base/buf.h"
#include "base/span.h"

/* Appends `text` with all but unreserved characters and slashes as %HH. 0 or what buf_add says. */
int percent_encode(struct span text, struct buf *out) MUST_CHECK;

/* Appends `text` with %HH undone. -EINVAL where one is broken or stands for NUL, or out is full. */
int percent_decode(struct span text, struct buf *out) MUST_CHECK;

#endif

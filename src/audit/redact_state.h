/* redact_state: the redactor's insides, for redact.c and redact_new.c alone. */
#ifndef BRIG_AUDIT_REDACT_STATE_H
#define BRIG_AUDIT_REDACT_STATE_H

#include "audit/redact_parts.h"

#define WINDOW_BYTES (4u * REDACT_HOLD_BYTES)
#define AHEAD_MAX 8u

struct redact {
	struct span *values;
	size_t value_count;
	uint16_t classes[256];
	uint64_t pairs[1024]; /* a bit for each two bytes with which something may begin */
	unsigned char data[WINDOW_BYTES];
	size_t flushed, at, len;
	struct redact_seen url_seen;
	size_t retry_len; /* no new answer before the window is this long */
	bool moved;	  /* data[0] is no longer the stream's first byte */
	struct redact_swallow rest;
	struct redact_match ahead[AHEAD_MAX]; /* found, and still before us; by their starts */
	size_t ahead_count;
};

/* The operator's values at the view's place: the longest that fits. */
enum redact_found redact_value(const struct redact *redact, const struct redact_view *view,
	struct redact_match *ret_match);

#endif

/* redact_state: the redactor's insides, for redact.c and redact_new.c alone. */
#ifndef BRIG_AUDIT_REDACT_STATE_H
#define BRIG_AUDIT_REDACT_STATE_H

#include "audit/redact_parts.h"
#include "wire/limits.h"

#define WINDOW_BYTES (4u * REDACT_HOLD_BYTES)
#define AHEAD_MAX 8u

#define LEARNED_MAX 64u
#define LEARNED_BYTES (32 * KIB)

/* A value that was taken out of one of a call's texts; it lies in `learned_bytes`. */
struct learned {
	size_t from, len;
	const char *label;
};

struct redact {
	struct span *values;
	size_t value_count;
	struct learned learned[LEARNED_MAX];
	size_t learned_count;
	struct buf learned_bytes;
	uint64_t pairs_unlearned[1024]; /* `pairs` before anything was learned */
	const char *draft_label;	/* of the value being learned; NULL: none is */
	size_t draft_from;
	bool learning;
	int learn_rc;
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

/* What was learned, there: as redact_value. */
enum redact_found redact_learned(const struct redact *redact, const struct redact_view *view,
	struct redact_match *ret_match);

/* While learning: a value begins with these bytes, goes on with these, or has ended. */
void redact_learn_begin(struct redact *redact, const struct redact_match *match);
void redact_learn_more(struct redact *redact, const void *data, size_t bytes);
void redact_learn_end(struct redact *redact);

/* Something may begin with these two bytes. */
void redact_add_pair(struct redact *redact, unsigned char first, unsigned char second);

#endif

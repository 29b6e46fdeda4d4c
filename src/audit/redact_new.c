/* redact_new: a redactor's tables and the operator's values. */
#include "audit/redact_state.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

void redact_add_pair(struct redact *redact, unsigned char first, unsigned char second)
{
	unsigned pair = (unsigned)first << 8 | second;
	redact->pairs[pair / 64] |= 1ull << pair % 64;
}

static void add_pair(unsigned char first, unsigned char second, void *user)
{
	redact_add_pair(user, first, second);
}

static int copy_values(struct redact *redact, const struct span *values, size_t count)
{
	redact->values = calloc(count, sizeof(*redact->values));
	if (!redact->values)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		unsigned char *copy = malloc(values[i].len);
		if (!copy)
			return -ENOMEM;
		memcpy(copy, values[i].data, values[i].len);
		redact->values[redact->value_count++] = span_of(copy, values[i].len);
		add_pair(copy[0], copy[1], redact);
	}
	return 0;
}

int redact_new(const struct span *values, size_t count, struct redact **ret_redact)
{
	if (count > REDACT_VALUES_MAX)
		return -EINVAL;
	for (size_t i = 0; i < count; i++)
		if (values[i].len < REDACT_VALUE_BYTES_MIN ||
			values[i].len > REDACT_VALUE_BYTES_MAX)
			return -EINVAL;
	struct redact *redact = calloc(1, sizeof(*redact));
	if (!redact)
		return -ENOMEM;
	buf_init(&redact->learned_bytes, LEARNED_BYTES);
	redact_classes(redact->classes);
	redact_shape_pairs(add_pair, redact);
	for (unsigned second = 0; second < 256; second++) {
		add_pair('=', (unsigned char)second, redact);
		add_pair(':', (unsigned char)second, redact);
	}
	int rc = count ? copy_values(redact, values, count) : 0;
	memcpy(redact->pairs_unlearned, redact->pairs, sizeof(redact->pairs));
	if (rc < 0)
		redact_free(redact);
	else
		*ret_redact = redact;
	return rc;
}

void redact_free(struct redact *redact)
{
	if (!redact)
		return;
	redact_unlearn(redact);
	buf_done(&redact->learned_bytes);
	for (size_t i = 0; i < redact->value_count; i++) {
		void *data;
		memcpy(&data, &redact->values[i].data, sizeof(data));
		sodium_memzero(data, redact->values[i].len);
		free(data);
	}
	free(redact->values);
	sodium_memzero(redact->data, sizeof(redact->data));
	free(redact);
}

void redact_reset(struct redact *redact)
{
	redact->flushed = redact->at = redact->len = 0;
	redact->retry_len = 0;
	redact->url_seen = (struct redact_seen){0};
	redact->moved = false;
	redact->ahead_count = 0;
	redact->rest = (struct redact_swallow){0};
	redact_learn_end(redact);
}

enum redact_found redact_value(
	const struct redact *redact, const struct redact_view *view, struct redact_match *ret_match)
{
	size_t there = view->len - view->at;
	enum redact_found found = REDACT_NONE;
	for (size_t i = 0; i < redact->value_count; i++) {
		const struct span *value = &redact->values[i];
		size_t length = there < value->len ? there : value->len;
		if (memcmp(view->data + view->at, value->data, length) != 0)
			continue;
		if (length < value->len) {
			/* A longer value that may still come is waited for. */
			if (!view->final)
				return REDACT_MORE;
		} else if (found == REDACT_NONE || value->len > ret_match->end - view->at) {
			*ret_match = (struct redact_match){.start = view->at,
				.end = view->at + value->len,
				.label = "configured"};
			found = REDACT_MATCH;
		}
	}
	return found;
}

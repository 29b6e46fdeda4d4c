/*
 * redact_learn: what is a secret in one text of a call is one in its other texts too.
 *
 * The texts go through the redactor once with nobody reading what comes out; each value that it
 * takes out is kept until redact_unlearn, and matched literally from then on.
 */
#include "audit/redact_state.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>

#define PIECE_BYTES (16 * KIB)

/* What an unquoted value may have caught of the code around it. */
#define CAUGHT ";,)]}"

static bool is_known(const struct redact *redact, const unsigned char *data, size_t bytes)
{
	for (size_t i = 0; i < redact->learned_count; i++) {
		const struct learned *learned = &redact->learned[i];
		if (learned->len == bytes &&
			!memcmp(redact->learned_bytes.data + learned->from, data, bytes))
			return true;
	}
	return false;
}

static void keep(struct redact *redact, size_t from, size_t bytes)
{
	const unsigned char *data = redact->learned_bytes.data + from;
	while (bytes && (strchr(CAUGHT, data[bytes - 1]) || redact_is_blank(data[bytes - 1])) &&
		data[bytes - 1])
		bytes--;
	if (bytes < REDACT_LEARN_BYTES_MIN || redact->learned_count == LEARNED_MAX ||
		is_known(redact, data, bytes))
		return;
	redact->learned[redact->learned_count++] =
		(struct learned){.from = from, .len = bytes, .label = redact->draft_label};
	redact_add_pair(redact, data[0], data[1]);
}

/* The value as the program has it, where the literal has backslashes. */
static void keep_unescaped(struct redact *redact, size_t from, size_t bytes)
{
	struct buf *all = &redact->learned_bytes;
	size_t start = all->len;
	if (!memchr(all->data + from, '\\', bytes))
		return;
	for (size_t i = from; i < from + bytes; i++) {
		unsigned char c = all->data[i];
		if (c == '\\' && i + 1 < from + bytes && strchr("\\\"'", all->data[i + 1]))
			c = all->data[++i];
		int rc = buf_add(all, &c, 1);
		if (rc == -ENOMEM)
			redact->learn_rc = rc;
		if (rc < 0)
			break;
	}
	keep(redact, start, all->len - start);
}

/* Of "Bearer abc" the second word alone is as secret. */
static void keep_behind_scheme(struct redact *redact, size_t from, size_t bytes)
{
	static const char *const schemes[] = {"Bearer ", "Basic ", "Token "};
	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		size_t length = strlen(schemes[i]);
		if (bytes > length && !strncasecmp((const char *)redact->learned_bytes.data + from,
					      schemes[i], length))
			keep(redact, from + length, bytes - length);
	}
}

void redact_learn_begin(struct redact *redact, const struct redact_match *match)
{
	redact_learn_end(redact);
	if (!redact->learning || match->rest == REST_PEM)
		return;
	redact->draft_label = match->label;
	redact->draft_from = redact->learned_bytes.len;
	redact_learn_more(redact, redact->data + match->start, match->end - match->start);
}

void redact_learn_more(struct redact *redact, const void *data, size_t bytes)
{
	size_t had = redact->learned_bytes.len - redact->draft_from;
	if (!redact->draft_label || had >= REDACT_VALUE_BYTES_MAX)
		return;
	size_t room = REDACT_VALUE_BYTES_MAX - had;
	int rc = buf_add(&redact->learned_bytes, data, bytes < room ? bytes : room);
	/* What is beyond the cap is not learned. */
	if (rc < 0)
		redact->draft_label = NULL;
	if (rc == -ENOMEM)
		redact->learn_rc = rc;
}

void redact_learn_end(struct redact *redact)
{
	size_t from = redact->draft_from, bytes = redact->learned_bytes.len - from;
	size_t known = redact->learned_count;
	if (!redact->draft_label)
		return;
	keep(redact, from, bytes);
	keep_unescaped(redact, from, bytes);
	keep_behind_scheme(redact, from, bytes);
	redact->draft_label = NULL;
	if (redact->learned_count == known)
		redact->learned_bytes.len = from;
}

int redact_learn(struct redact *redact, struct span text)
{
	cleanup_buf struct buf nobody = {0};
	int rc = 0;
	/* A mark may be longer than the value that it stands for. */
	buf_init(&nobody, 16 * PIECE_BYTES);
	redact->learning = true;
	redact->learn_rc = 0;
	for (size_t at = 0; !rc && at < text.len; at += PIECE_BYTES) {
		size_t bytes = text.len - at < PIECE_BYTES ? text.len - at : PIECE_BYTES;
		nobody.len = 0;
		rc = redact_push(redact, (const unsigned char *)text.data + at, bytes, &nobody);
	}
	nobody.len = 0;
	if (!rc)
		rc = redact_finish(redact, &nobody);
	redact_reset(redact);
	redact->learning = false;
	return rc ? rc : redact->learn_rc;
}

void redact_unlearn(struct redact *redact)
{
	if (redact->learned_bytes.len)
		sodium_memzero(redact->learned_bytes.data, redact->learned_bytes.len);
	if (redact->learned_count)
		memcpy(redact->pairs, redact->pairs_unlearned, sizeof(redact->pairs));
	redact->learned_bytes.len = 0;
	redact->learned_count = 0;
}

enum redact_found redact_learned(
	const struct redact *redact, const struct redact_view *view, struct redact_match *ret_match)
{
	size_t there = view->len - view->at;
	enum redact_found found = REDACT_NONE;
	for (size_t i = 0; i < redact->learned_count; i++) {
		const struct learned *learned = &redact->learned[i];
		size_t length = there < learned->len ? there : learned->len;
		if (memcmp(view->data + view->at, redact->learned_bytes.data + learned->from,
			    length) != 0)
			continue;
		if (length < learned->len) {
			if (!view->final)
				return REDACT_MORE;
		} else if (found == REDACT_NONE || learned->len > ret_match->end - view->at) {
			*ret_match = (struct redact_match){.start = view->at,
				.end = view->at + learned->len,
				.label = learned->label};
			found = REDACT_MATCH;
		}
	}
	return found;
}

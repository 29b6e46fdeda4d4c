/*
 * redact: the window over the stream, and what has been decided of it.
 *
 *	data[0 … flushed … at … len)
 *	  context, to look back at | decided, still to write | not yet looked at
 *
 * At each place the first two bytes say whether anything could begin here; if so, the matchers are
 * asked in a fixed order. What goes on behind a match (the rest of a run, of a literal, of a key)
 *is swallowed without being kept, so that a secret of any length needs no more than the window.
 */
#include "audit/redact.h"

#include "audit/redact_state.h"

#include <string.h>

static bool may_begin(const struct redact *redact, unsigned char first, unsigned char second)
{
	unsigned pair = (unsigned)first << 8 | second;
	return redact->pairs[pair / 64] >> pair % 64 & 1u;
}

static enum redact_found match_any(
	const struct redact *redact, const struct redact_view *view, struct redact_match *ret_match)
{
	enum redact_found found = redact_value(redact, view, ret_match);
	if (found == REDACT_NONE)
		found = redact_shape(view, ret_match);
	if (found == REDACT_NONE)
		found = redact_learned(redact, view, ret_match);
	unsigned char first = view->data[view->at];
	if (found == REDACT_NONE && first == ':')
		found = redact_url(view, ret_match);
	if (found == REDACT_NONE && (first == ':' || first == '='))
		found = redact_named(view, ret_match);
	return found;
}

static int flush(struct redact *redact, size_t end, struct buf *out)
{
	if (end <= redact->flushed)
		return 0;
	int rc = buf_add(out, redact->data + redact->flushed, end - redact->flushed);
	redact->flushed = end;
	return rc;
}

static int replace(struct redact *redact, const struct redact_match *match, struct buf *out)
{
	int rc = flush(redact, match->start, out);
	redact_learn_begin(redact, match);
	if (!rc)
		rc = buf_add_text(out, "[redacted:");
	if (!rc)
		rc = buf_add_text(out, match->label);
	if (!rc)
		rc = buf_add(out, "]", 1);
	redact->flushed = match->end;
	redact->at = match->end;
	redact->rest = (struct redact_swallow){.match = *match};
	return rc;
}

static struct redact_view view_of(struct redact *redact, bool final)
{
	return (struct redact_view){.data = redact->data,
		.len = redact->len,
		.at = redact->at,
		.final = final,
		.from_start = !redact->moved,
		.classes = redact->classes,
		.url_seen = &redact->url_seen};
}

/* False where more has to come first. */
static bool swallow(struct redact *redact, bool final)
{
	while (redact->rest.match.rest != REST_NOTHING && redact->at < redact->len) {
		struct redact_view view = view_of(redact, final);
		int bytes = redact_swallow(&redact->rest, &view);
		if (bytes < 0)
			return false;
		if (bytes == 0)
			redact->rest.match.rest = REST_NOTHING;
		else
			redact_learn_more(redact, redact->data + redact->at, (size_t)bytes);
		redact->at += (size_t)bytes;
		redact->flushed = redact->at;
	}
	return true;
}

/*
 * A value stands further on than its separator. What lies between may be a secret too, so it is
 * looked at before the match is made good.
 */
static void put_ahead(struct redact *redact, const struct redact_match *match)
{
	size_t at = redact->ahead_count;
	for (size_t i = 0; i < at; i++)
		if (redact->ahead[i].start == match->start)
			return;
	if (at == AHEAD_MAX)
		return;
	while (at > 0 && redact->ahead[at - 1].start > match->start) {
		redact->ahead[at] = redact->ahead[at - 1];
		at--;
	}
	redact->ahead[at] = *match;
	redact->ahead_count++;
}

/* Makes the next one good, or what another match has left of it. */
static int take_ahead(struct redact *redact, struct buf *out)
{
	struct redact_match match = redact->ahead[0];
	redact->ahead_count--;
	memmove(redact->ahead, redact->ahead + 1, redact->ahead_count * sizeof(match));
	if (match.start < redact->at && match.end <= redact->at)
		return 0;
	if (match.start < redact->at)
		match.start = redact->at;
	return replace(redact, &match, out);
}

/* Asks at one place. False where more has to come first. */
static bool look(struct redact *redact, bool final, struct buf *out, int *rc)
{
	size_t left = redact->len - redact->at;
	bool forced = final || left >= REDACT_HOLD_BYTES;
	struct redact_match match;
	if (!forced && redact->len < redact->retry_len)
		return false;
	struct redact_view view = view_of(redact, forced);
	enum redact_found found = match_any(redact, &view, &match);
	if (found == REDACT_MORE) {
		/* Asking again at each byte would make long waits quadratic. */
		redact->retry_len = redact->len + left / 8 + 1;
		return false;
	}
	if (found == REDACT_MATCH && match.start <= redact->at) {
		*rc = replace(redact, &match, out);
		return true;
	}
	if (found == REDACT_MATCH)
		put_ahead(redact, &match);
	redact->at++;
	return true;
}

static int work(struct redact *redact, bool final, struct buf *out)
{
	int rc = 0;
	while (!rc && redact->at < redact->len) {
		if (!swallow(redact, final) || redact->at >= redact->len)
			break;
		size_t stop = redact->ahead_count ? redact->ahead[0].start : redact->len;
		while (redact->at + 1 < redact->len && redact->at < stop &&
			!may_begin(redact, redact->data[redact->at], redact->data[redact->at + 1]))
			redact->at++;
		if (redact->ahead_count && redact->at >= stop) {
			rc = take_ahead(redact, out);
			continue;
		}
		if (redact->at >= redact->len || (redact->at + 1 == redact->len && !final))
			break;
		if (redact->at + 1 == redact->len &&
			!may_begin(redact, redact->data[redact->at], 0))
			redact->at++;
		else if (!look(redact, final, out, &rc))
			break;
	}
	size_t lag = final ? 0 : REDACT_LAG_BYTES;
	if (!rc && redact->at > redact->flushed + lag)
		rc = flush(redact, redact->at - lag, out);
	return rc;
}

/* Drops what is written and too far back to matter. */
static void compact(struct redact *redact)
{
	size_t context = redact->at > REDACT_CONTEXT_BYTES ? redact->at - REDACT_CONTEXT_BYTES : 0;
	size_t drop = redact->flushed < context ? redact->flushed : context;
	if (drop == 0)
		return;
	memmove(redact->data, redact->data + drop, redact->len - drop);
	redact->flushed -= drop;
	redact->at -= drop;
	redact->len -= drop;
	redact->retry_len = redact->retry_len > drop ? redact->retry_len - drop : 0;
	for (size_t i = 0; i < redact->ahead_count; i++) {
		redact->ahead[i].start -= drop;
		redact->ahead[i].end -= drop;
	}
	redact->url_seen.from -= redact->url_seen.from < drop ? redact->url_seen.from : drop;
	redact->url_seen.end -= redact->url_seen.end < drop ? redact->url_seen.end : drop;
	redact->moved = true;
}

int redact_push(struct redact *redact, const void *data, size_t bytes, struct buf *out)
{
	const unsigned char *from = data;
	int rc = 0;
	while (!rc && bytes) {
		/* Moving the window for each small chunk would cost more than looking at it. */
		if (WINDOW_BYTES - redact->len < WINDOW_BYTES / 2)
			compact(redact);
		size_t room = WINDOW_BYTES - redact->len;
		size_t piece = bytes < room ? bytes : room;
		memcpy(redact->data + redact->len, from, piece);
		redact->len += piece;
		from += piece;
		bytes -= piece;
		rc = work(redact, false, out);
	}
	return rc;
}

int redact_finish(struct redact *redact, struct buf *out)
{
	int rc = work(redact, true, out);
	redact_reset(redact);
	return rc;
}

int redact_text(struct redact *redact, struct span text, struct buf *out)
{
	int rc = redact_push(redact, text.data, text.len, out);
	if (!rc)
		return redact_finish(redact, out);
	redact_reset(redact);
	return rc;
}

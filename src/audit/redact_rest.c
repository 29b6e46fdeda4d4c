/* redact_rest: what goes on behind a match: the rest of a run, of a literal, of a key in PEM. */
#include "audit/redact_parts.h"

#include <string.h>

/* A key that never ends is given up: no key is that long. */
#define PEM_BYTES_MAX (64u * 1024u)

/* Whether `text` stands at the place; *ret_more where only the window's end hides that. */
static bool stands(const struct redact_view *view, const char *text, bool *ret_more)
{
	size_t length = strlen(text), there = view->len - view->at;
	if (memcmp(view->data + view->at, text, there < length ? there : length) != 0)
		return false;
	*ret_more = there < length && !view->final;
	return there >= length;
}

static int literal(struct redact_swallow *swallow, const struct redact_view *view)
{
	const struct redact_match *match = &swallow->match;
	const char quote = (char)match->quote, close[] = {quote, quote, quote, 0};
	unsigned char c = view->data[view->at];
	bool more = false;
	if (swallow->skip_next) {
		swallow->skip_next = false;
		return 1;
	}
	if (c == '\n' && !match->triple)
		return 0;
	if (c == '\\' && match->escaped) {
		if (redact_ends(view, view->at + 1))
			return -1;
		return view->at + 1 < view->len && view->data[view->at + 1] == match->quote ? 0 : 1;
	}
	if (c == '\\') {
		swallow->skip_next = true;
		return 1;
	}
	if (c != match->quote)
		return 1;
	if (!match->triple || stands(view, close, &more))
		return 0;
	return more ? -1 : 1;
}

static int key(struct redact_swallow *swallow, const struct redact_view *view)
{
	static const char end[] = "-----END", dashes[] = "-----";
	bool more = false;
	if (swallow->bytes > PEM_BYTES_MAX)
		return 0;
	if (view->data[view->at] != '-')
		return 1;
	if (!swallow->pem_ending && stands(view, end, &more)) {
		swallow->pem_ending = true;
		return (int)sizeof(end) - 1;
	}
	if (swallow->pem_ending && stands(view, dashes, &more)) {
		swallow->bytes = PEM_BYTES_MAX;
		return (int)sizeof(dashes) - 1;
	}
	return more ? -1 : 1;
}

int redact_swallow(struct redact_swallow *swallow, const struct redact_view *view)
{
	const struct redact_match *match = &swallow->match;
	int bytes = 0;
	if (match->rest == REST_CLASS)
		bytes = view->classes[view->data[view->at]] & match->rest_class ? 1 : 0;
	else if (match->rest == REST_QUOTED)
		bytes = literal(swallow, view);
	else if (match->rest == REST_PEM)
		bytes = key(swallow, view);
	if (bytes > 0)
		swallow->bytes += (size_t)bytes;
	return bytes;
}

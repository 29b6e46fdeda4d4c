/* redact_block: secrets that are more than a prefix and a run: JWTs, keys in PEM, URLs. */
#include "audit/redact_parts.h"

#include <string.h>

#define JWT_HEADER_MAX 4096u
#define JWT_SEGMENT_MIN 8u
#define URL_USER_MAX 512u
#define PEM_TITLE_MAX 48u

/* Whether base64 at `at` begins an object of JSON: a brace, a blank or quote, something printable.
 */
static bool begins_object(const struct redact_view *view, size_t at)
{
	unsigned bits = 0;
	for (size_t i = 0; i < 4; i++)
		bits = bits << 6 | redact_base64(view->data[at + i]);
	unsigned second = bits >> 8 & 0xffu, third = bits & 0xffu;
	return bits >> 16 == '{' && (second == '"' || second == ' ') && third >= ' ' &&
	       third < 0x7f;
}

/*
 * Where the run at the place ends, or JWT_HEADER_MAX further on. A long run may have many places
 * where a token could begin: what one of them has seen the next does not look at again.
 */
static size_t segment_end(const struct redact_view *view)
{
	struct redact_seen *known = view->url_seen;
	bool within = known->from <= view->at && view->at < known->end;
	size_t seen = within ? known->end : view->at, most = view->at + JWT_HEADER_MAX;
	size_t end = seen >= most ? most : seen + redact_run(view, seen, CLASS_URL, most - seen);
	if (end > seen)
		*known = (struct redact_seen){within ? known->from : view->at, end};
	return end;
}

/* Two segments that are objects of JSON, parted by a dot: enough to tell; the rest goes along. */
static enum redact_found match_jwt(const struct redact_view *view, struct redact_match *ret_match)
{
	if (!redact_boundary(view, view->at))
		return REDACT_NONE;
	if (redact_run(view, view->at, CLASS_URL, 4) < 4)
		return view->len - view->at < 4 && !view->final ? REDACT_MORE : REDACT_NONE;
	if (!begins_object(view, view->at))
		return REDACT_NONE;
	size_t dot = segment_end(view), payload = dot + 1, header = dot - view->at;
	if (redact_ends(view, dot) && header < JWT_HEADER_MAX)
		return REDACT_MORE;
	if (header < 2 + JWT_SEGMENT_MIN || dot >= view->len || view->data[dot] != '.')
		return REDACT_NONE;
	size_t length = redact_run(view, payload, CLASS_URL, 2 + JWT_SEGMENT_MIN);
	if (length < 2 + JWT_SEGMENT_MIN)
		return redact_ends(view, payload + length) ? REDACT_MORE : REDACT_NONE;
	if (view->data[payload] != 'e' || view->data[payload + 1] != 'y' ||
		!begins_object(view, payload))
		return REDACT_NONE;
	*ret_match = (struct redact_match){.start = view->at,
		.end = payload + length,
		.label = "jwt",
		.rest = REST_CLASS,
		.rest_class = CLASS_URL | CLASS_DOT};
	return REDACT_MATCH;
}

static enum redact_found match_pem(const struct redact_view *view, struct redact_match *ret_match)
{
	static const char begin[] = "-----BEGIN ", key[] = "PRIVATE KEY";
	size_t there = view->len - view->at, length = sizeof(begin) - 1;
	if (memcmp(view->data + view->at, begin, there < length ? there : length) != 0)
		return REDACT_NONE;
	if (there < length)
		return view->final ? REDACT_NONE : REDACT_MORE;
	size_t title = view->at + length, end = title;
	while (end < view->len && end - title < PEM_TITLE_MAX &&
		((view->classes[view->data[end]] & (CLASS_UPPER | CLASS_DIGIT)) ||
			view->data[end] == ' '))
		end++;
	if (redact_ends(view, end) && end - title < PEM_TITLE_MAX)
		return REDACT_MORE;
	if (!memmem(view->data + title, end - title, key, sizeof(key) - 1))
		return REDACT_NONE;
	*ret_match = (struct redact_match){
		.start = view->at, .end = end, .label = "private-key", .rest = REST_PEM};
	return REDACT_MATCH;
}

enum redact_found redact_block(const struct redact_view *view, struct redact_match *ret_match)
{
	unsigned char first = view->data[view->at];
	enum redact_found found = REDACT_NONE;
	if (first == 'e')
		return match_jwt(view, ret_match);
	if (first == '-')
		found = match_pem(view, ret_match);
	return found == REDACT_NONE ? redact_login(view, ret_match) : found;
}

enum redact_found redact_url(const struct redact_view *view, struct redact_match *ret_match)
{
	size_t from = view->at + 3, end = from, colon = 0, sign = 0;
	if (redact_ends(view, view->at + 2))
		return REDACT_MORE;
	if (from > view->len || view->data[view->at + 1] != '/' || view->data[view->at + 2] != '/')
		return REDACT_NONE;
	if (view->at == 0 || !(view->classes[view->data[view->at - 1]] & CLASS_ALNUM))
		return REDACT_NONE;
	for (; end < view->len && end - from < URL_USER_MAX; end++) {
		unsigned char c = view->data[end];
		if (c == '/' || c == '\\' || c == '<' || c == '>' ||
			!(view->classes[c] & CLASS_SOLID))
			break;
		if (c == ':' && !colon)
			colon = end;
		if (c == '@')
			sign = end;
	}
	if (redact_ends(view, end) && end - from < URL_USER_MAX)
		return REDACT_MORE;
	if (!colon || sign <= colon + 1 ||
		redact_is_template(view->data + colon + 1, sign - colon - 1))
		return REDACT_NONE;
	*ret_match = (struct redact_match){.start = colon + 1, .end = sign, .label = "url"};
	return REDACT_MATCH;
}

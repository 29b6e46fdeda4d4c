/* redact_login: a user and a password in one word: `Basic dXNlcjpwdw==`, `curl -u user:pw`. */
#include "audit/redact_parts.h"

#include <string.h>

#define GAP_MAX 8u     /* between the word and its value: blanks, quotes, a plus */
#define BASIC_MAX 512u /* of base64, looked at */
#define USER_MAX 128u
#define PASSWORD_MIN 3u
#define LOOK_MAX 64u
#define CURL_BACK_MAX 200u /* less than REDACT_CONTEXT_BYTES */

/* Compares what is there; MORE where all of that fits and the window ends. */
static enum redact_found word_at(const struct redact_view *view, size_t at, const char *word)
{
	size_t length = strlen(word), there = view->len - at;
	if (memcmp(view->data + at, word, there < length ? there : length) != 0)
		return REDACT_NONE;
	return there >= length ? REDACT_MATCH : view->final ? REDACT_NONE : REDACT_MORE;
}

static size_t over_gap(const struct redact_view *view, size_t at, const char *gap)
{
	size_t end = at;
	while (end < view->len && end - at < GAP_MAX && view->data[end] &&
		strchr(gap, view->data[end]))
		end++;
	return end;
}

/* Whether base64 says `user:password`: printable ASCII up to a colon, no control behind it. */
static bool is_login(const struct redact_view *view, size_t at, size_t length)
{
	unsigned bits = 0, have = 0;
	size_t bytes = 0;
	bool colon = false;
	for (size_t i = at; i < at + length && view->data[i] != '='; i++) {
		bits = bits << 6 | redact_base64(view->data[i]);
		have += 6;
		if (have < 8)
			continue;
		have -= 8;
		unsigned byte = bits >> have & 0xffu;
		if (byte < ' ' || byte == 0x7f || (byte > 0x7f && !colon))
			return false;
		colon = colon || byte == ':';
		bytes++;
	}
	return colon && bytes > PASSWORD_MIN;
}

/* `Basic dXNl…`, and in code `"Basic " + "dXNl…"`. */
static enum redact_found match_basic(const struct redact_view *view, struct redact_match *ret_match)
{
	size_t from = view->at + 5;
	enum redact_found found = word_at(view, view->at + 1, "asic");
	if (found != REDACT_MATCH || !redact_boundary(view, view->at))
		return found == REDACT_MORE ? REDACT_MORE : REDACT_NONE;
	size_t start = over_gap(view, from, " \t\"'`+\\");
	if (redact_ends(view, start) && start - from < GAP_MAX)
		return REDACT_MORE;
	size_t length = redact_run(view, start, CLASS_BASE64, BASIC_MAX);
	if (redact_ends(view, start + length) && length < BASIC_MAX)
		return REDACT_MORE;
	if (start == from || !is_login(view, start, length))
		return REDACT_NONE;
	*ret_match = (struct redact_match){.start = start,
		.end = start + length,
		.label = "authorization",
		.rest = REST_CLASS,
		.rest_class = CLASS_BASE64};
	return REDACT_MATCH;
}

/* -u is an option of many: it is curl's where that stands not far before it. */
static bool is_of_curl(const struct redact_view *view)
{
	size_t back = view->at < CURL_BACK_MAX ? view->at : CURL_BACK_MAX;
	return memmem(view->data + view->at - back, back, "curl", 4) != NULL;
}

/* `user:password` at `start`, perhaps in quotes that opened before it. */
static enum redact_found match_user(
	const struct redact_view *view, size_t start, struct redact_match *ret_match)
{
	struct redact_match match = {
		.label = "secret", .rest = REST_CLASS, .rest_class = CLASS_SOLID};
	size_t end = start;
	while (end < view->len && end - start < USER_MAX && view->data[end] != ':' &&
		(view->classes[view->data[end]] & CLASS_SOLID))
		end++;
	if (redact_ends(view, end) && end - start < USER_MAX)
		return REDACT_MORE;
	if (end >= view->len || view->data[end] != ':')
		return REDACT_NONE;
	bool quoted = redact_is_quote(view->data[start - 1]);
	size_t password = end + 1, length;
	length = redact_run(view, password, quoted ? CLASS_HEADER : CLASS_SOLID, LOOK_MAX);
	if (redact_ends(view, password + length) && length < LOOK_MAX)
		return REDACT_MORE;
	if (length < PASSWORD_MIN || redact_is_template(view->data + password, length))
		return REDACT_NONE;
	match.start = match.end = password;
	if (quoted) {
		match.rest = REST_QUOTED;
		match.quote = view->data[start - 1];
		match.escaped = start > 1 && view->data[start - 2] == '\\';
	}
	*ret_match = match;
	return REDACT_MATCH;
}

/* `-u user:pw`, `-uuser:pw`, `--user=user:pw`, `"-u", "user:pw"`. */
static enum redact_found match_curl(const struct redact_view *view, struct redact_match *ret_match)
{
	bool is_long = view->at + 1 < view->len && view->data[view->at + 1] == '-';
	if (view->at > 0 && (view->classes[view->data[view->at - 1]] & CLASS_URL))
		return REDACT_NONE;
	enum redact_found found = word_at(view, view->at, is_long ? "--user" : "-u");
	if (found != REDACT_MATCH || !is_of_curl(view))
		return found == REDACT_MORE ? REDACT_MORE : REDACT_NONE;
	size_t from = view->at + (is_long ? 6 : 2);
	size_t start = over_gap(view, from, " \t=\"'`,\\");
	if (redact_ends(view, start) && start - from < GAP_MAX)
		return REDACT_MORE;
	return is_long && start == from ? REDACT_NONE : match_user(view, start, ret_match);
}

enum redact_found redact_login(const struct redact_view *view, struct redact_match *ret_match)
{
	unsigned char first = view->data[view->at];
	if (first == 'B' || first == 'b')
		return match_basic(view, ret_match);
	return first == '-' ? match_curl(view, ret_match) : REDACT_NONE;
}

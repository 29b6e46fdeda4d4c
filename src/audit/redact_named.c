/*
 * redact_named: KEY=value, "password": "…", api_key='…', password: …, Authorization: ….
 *
 * redact_pair.c has looked back from the separator; this looks forth for a value. A quoted value
 * goes up to its closing quote. An unquoted one goes where it looks like a value; in code it may be
 * an expression (password = get(), token=self.token), and that stays.
 */
#include "audit/redact_parts.h"

#include <string.h>

#define BLANKS_MAX 32u
#define LOOK_MAX 256u
#define SHORT_LOOK_MAX                                                                             \
	32u /* most of those names are no secret's: what is looked at is for naught */
#define TYPE_MAX 64u
#define LINE_MAX_BYTES 160u
#define PASSWORD_MIN 3u
#define TOKEN_MIN 8u
#define SCHEME_MAX 7u /* with a quote or blank behind it */

static size_t over_blanks(const struct redact_view *view, size_t at)
{
	size_t start = at;
	while (at < view->len && at - start < BLANKS_MAX && redact_is_blank(view->data[at]))
		at++;
	return at;
}

static size_t least(const struct redact_pair *pair)
{
	bool is_short = pair->kind == NAME_PASSWORD || pair->kind == NAME_SHORT;
	return is_short ? PASSWORD_MIN : TOKEN_MIN;
}

/* A shape at the value's start gives the better label. */
static enum redact_found label_at(
	const struct redact_view *view, size_t start, struct redact_match *match)
{
	struct redact_view there = *view;
	struct redact_match shape;
	there.at = start;
	match->label = "secret";
	if (start >= view->len)
		return REDACT_MATCH;
	enum redact_found found = redact_shape(&there, &shape);
	if (found == REDACT_MATCH && shape.start == start)
		match->label = shape.label;
	return found == REDACT_MORE ? REDACT_MORE : REDACT_MATCH;
}

/* A literal whose opening quote stands at `at`. */
static enum redact_found quoted(const struct redact_view *view, const struct redact_pair *pair,
	size_t at, bool escaped, struct redact_match *ret_match)
{
	struct redact_match match = {
		.rest = REST_QUOTED, .quote = view->data[at], .escaped = escaped};
	size_t start = at + 1, min = least(pair);
	if (redact_ends(view, start + 1))
		return REDACT_MORE;
	if (start + 1 < view->len && view->data[start] == match.quote && !escaped) {
		if (view->data[start + 1] != match.quote)
			return REDACT_NONE;
		match.triple = true;
		start += 2;
	}
	size_t end = start;
	while (end < view->len && end - start < min && view->data[end] != match.quote &&
		(match.triple || view->data[end] != '\n'))
		end++;
	if (end - start < min)
		return redact_ends(view, end) ? REDACT_MORE : REDACT_NONE;
	enum redact_found found = label_at(view, start, &match);
	match.start = start;
	match.end = start;
	*ret_match = match;
	return found;
}

static bool is_word_of_code(const unsigned char *text, size_t length)
{
	static const char *const words[] = {"None", "True", "False", "null", "nil", "undefined",
		"none", "true", "false", "str", "int", "bytes", "bool", "float", "object", "string",
		"String", "Optional", "Any", "SecretStr", "NULL", NULL};
	for (size_t i = 0; words[i]; i++)
		if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0)
			return true;
	return false;
}

/*
 * An identifier in code rather than a value: token = Name.Builtin, key: KEY_TYPES, and what is
 * named like a secret itself, as in token=self._token.
 */
static bool is_reference(
	const struct redact_view *view, struct span run, const struct redact_pair *pair)
{
	unsigned seen = 0;
	for (size_t i = 0; i < run.len; i++) {
		unsigned bits = view->classes[run.data[i]];
		if (!(bits & (CLASS_ALNUM | CLASS_UNDER | CLASS_DOT)))
			return false;
		seen |= bits;
	}
	if (view->classes[run.data[0]] & CLASS_DIGIT)
		return false;
	/* Tokens and keys are random: one without a digit is a word. */
	if (pair->kind == NAME_TOKEN && !(seen & CLASS_DIGIT))
		return true;
	if ((seen & CLASS_UNDER) && !(seen & (CLASS_LOWER | CLASS_DIGIT)))
		return true;
	const unsigned char *dot = memrchr(run.data, '.', run.len);
	size_t skip = dot ? (size_t)(dot + 1 - run.data) : 0;
	return !(seen & (CLASS_UPPER | CLASS_DIGIT)) &&
	       redact_name_kind(span_of(run.data + skip, run.len - skip)) != NAME_PLAIN;
}

/* pw=hunter2, and not pw = 120.5, pw = width. */
static bool has_letter_and_digit(const struct redact_view *view, struct span run)
{
	unsigned seen = 0;
	for (size_t i = 0; i < run.len; i++)
		seen |= view->classes[run.data[i]];
	return (seen & CLASS_LETTER) && (seen & CLASS_DIGIT);
}

static enum redact_found value(const struct redact_view *view, const struct redact_pair *pair,
	size_t at, bool after_type, struct redact_match *ret_match);

/* `password: str = "…"`: what stands at `start` may be a type, with the value behind it. */
static enum redact_found behind_type(const struct redact_view *view, const struct redact_pair *pair,
	size_t end, struct redact_match *ret_match)
{
	size_t start = end;
	if (end < view->len && view->data[end] == '[')
		while (end < view->len && end - start < TYPE_MAX && view->data[end - 1] != ']' &&
			view->data[end] != '\n')
			end++;
	end = over_blanks(view, end);
	if (redact_ends(view, end + 1))
		return REDACT_MORE;
	if (end + 1 >= view->len || view->data[end] != '=' || view->data[end + 1] == '=')
		return REDACT_NONE;
	return value(view, pair, end + 1, true, ret_match);
}

static enum redact_found unquoted(const struct redact_view *view, const struct redact_pair *pair,
	size_t start, bool after_type, struct redact_match *ret_match)
{
	bool yaml = pair->colon && pair->begins_line && !after_type && start > pair->value;
	unsigned mask = pair->tight_upper ? CLASS_SOLID : CLASS_WORD;
	struct redact_match match = {.rest = REST_CLASS, .rest_class = (uint16_t)mask};
	size_t look = pair->kind == NAME_SHORT ? SHORT_LOOK_MAX : LOOK_MAX;
	size_t length = redact_run(view, start, mask, look), end = start + length;
	if (length < look && redact_ends(view, end))
		return REDACT_MORE;
	if (length == 0)
		return REDACT_NONE;
	struct span run = span_of(view->data + start, length);
	if (pair->colon && !after_type) {
		enum redact_found found = behind_type(view, pair, end, ret_match);
		if (found != REDACT_NONE)
			return found;
	}
	unsigned char next = end < view->len ? view->data[end] : 0;
	bool expression = next == '(' || next == '[';
	if (length < least(pair) || is_word_of_code(run.data, run.len) ||
		(!pair->tight_upper && (expression || is_reference(view, run, pair))))
		return REDACT_NONE;
	if (pair->kind == NAME_SHORT && !pair->tight_upper && !has_letter_and_digit(view, run))
		return REDACT_NONE;
	if (yaml)
		match.rest_class = CLASS_LINE;
	enum redact_found found = label_at(view, start, &match);
	match.start = start;
	match.end = end;
	*ret_match = match;
	return found;
}

/*
 * "Authorization: Basic " + "dXNl…": where the literal ends behind the scheme, the next one that is
 * joined to it has the secret. 0 where no scheme stands there alone.
 */
static size_t behind_scheme(const struct redact_view *view, size_t at)
{
	static const char *const schemes[] = {"Basic", "Bearer", "Token"};
	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		size_t length = strlen(schemes[i]);
		if (view->len - at < length || memcmp(view->data + at, schemes[i], length) != 0)
			continue;
		size_t end = over_blanks(view, at + length);
		if (end >= view->len || redact_is_quote(view->data[end]))
			return end;
	}
	return 0;
}

static enum redact_found joined(const struct redact_view *view, const struct redact_pair *pair,
	size_t close, struct redact_match *ret_match)
{
	size_t open = over_blanks(view, close + 1);
	if (open < view->len && view->data[open] == '+')
		open = over_blanks(view, open + 1);
	if (redact_ends(view, open))
		return REDACT_MORE;
	if (open >= view->len || !redact_is_quote(view->data[open]))
		return REDACT_NONE;
	return quoted(view, pair, open, false, ret_match);
}

/* `Authorization: Bearer …`: all up to the line's or the literal's end. */
static enum redact_found header(
	const struct redact_view *view, size_t start, struct redact_match *ret_match)
{
	size_t length = redact_run(view, start, CLASS_HEADER, PASSWORD_MIN + 1);
	if (length <= PASSWORD_MIN)
		return redact_ends(view, start + length) ? REDACT_MORE : REDACT_NONE;
	*ret_match = (struct redact_match){.start = start,
		.end = start + length,
		.label = "authorization",
		.rest = REST_CLASS,
		.rest_class = CLASS_HEADER};
	return REDACT_MATCH;
}

/*
 * `print("password:", x)`, `print("token=" + x)`: the quote behind the separator ends what one
 * before it has begun. After '=', what comes next has to look like that too.
 */
static bool closes(const struct redact_view *view, const struct redact_pair *pair, size_t quote)
{
	size_t count = 0;
	if (pair->name_quoted)
		return false;
	if (!pair->colon && (quote != pair->value || quote + 1 >= view->len ||
				    !strchr(" +,)]}%.;\n", view->data[quote + 1])))
		return false;
	for (size_t i = view->at; i > 0 && view->at - i < LINE_MAX_BYTES; i--) {
		if (view->data[i - 1] == '\n')
			break;
		count += view->data[i - 1] == view->data[quote];
	}
	return count % 2 == 1;
}

/* The value after a separator: blanks, a parenthesis, a literal's prefix, a literal or a word. */
static enum redact_found value(const struct redact_view *view, const struct redact_pair *pair,
	size_t at, bool after_type, struct redact_match *ret_match)
{
	at = over_blanks(view, at);
	if (at < view->len && view->data[at] == '(')
		at = over_blanks(view, at + 1);
	size_t open = at;
	while (open < view->len && open - at < 2 && strchr("bBrRuUfF", view->data[open]) &&
		view->data[open])
		open++;
	size_t quote = open;
	while (quote < view->len && quote - open < 4 && view->data[quote] == '\\')
		quote++;
	if (redact_ends(view, quote + 1))
		return REDACT_MORE;
	bool is_literal = quote < view->len && redact_is_quote(view->data[quote]);
	if (pair->kind == NAME_HEADER) {
		size_t from = is_literal ? quote + 1 : at;
		if (redact_ends(view, from + SCHEME_MAX))
			return REDACT_MORE;
		size_t close = from < view->len ? behind_scheme(view, from) : 0;
		if (close)
			return joined(view, pair, close, ret_match);
	}
	if (is_literal && closes(view, pair, quote))
		return REDACT_NONE;
	if (is_literal)
		return quoted(view, pair, quote, quote > open, ret_match);
	if (pair->quoted_only || at >= view->len)
		return REDACT_NONE;
	if (pair->kind == NAME_HEADER && pair->colon)
		return header(view, at, ret_match);
	return unquoted(view, pair, at, after_type, ret_match);
}

enum redact_found redact_named(const struct redact_view *view, struct redact_match *ret_match)
{
	struct redact_pair pair = {0};
	enum redact_found found = redact_pair_read(view, &pair);
	return found == REDACT_MATCH ? value(view, &pair, pair.value, false, ret_match) : found;
}

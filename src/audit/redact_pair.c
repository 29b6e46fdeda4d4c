/* redact_pair: from a separator back to the name before it. */
#include "audit/redact_parts.h"

#include <string.h>

/* Together less than REDACT_CONTEXT_BYTES. */
#define BLANKS_MAX 32u
#define NAME_MAX_BYTES 64u
#define INDENT_MAX 64u

/* Letters of other alphabets as well: "contraseña". */
static bool is_name(const struct redact_view *view, size_t at)
{
	return view->data[at] >= 0x80 || (view->classes[view->data[at]] & (CLASS_URL | CLASS_DOT));
}

static size_t back_over_blanks(const struct redact_view *view, size_t end)
{
	size_t start = end;
	while (start > 0 && end - start < BLANKS_MAX && redact_is_blank(view->data[start - 1]))
		start--;
	return start;
}

/* The name that ends at `end`: one word, or two parted by a blank ("api key: …"). */
static struct span name_before(const struct redact_view *view, size_t end)
{
	size_t start = end;
	unsigned words = 1;
	while (start > 0 && end - start < NAME_MAX_BYTES) {
		if (is_name(view, start - 1)) {
			start--;
		} else if (view->data[start - 1] == ' ' && words == 1 && start > 1 && start < end &&
			   is_name(view, start - 2)) {
			start--;
			words++;
		} else {
			break;
		}
	}
	return span_of(view->data + start, end - start);
}

static bool is_tight_upper(struct span name)
{
	for (size_t i = 0; i < name.len; i++) {
		unsigned char c = name.data[i];
		if (!(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && c != '_')
			return false;
	}
	return name.len > 0;
}

static bool begins_line(const struct redact_view *view, size_t start)
{
	size_t end = start;
	while (start > 0 && end - start < INDENT_MAX &&
		(redact_is_blank(view->data[start - 1]) || view->data[start - 1] == '-'))
		start--;
	return start == 0 ? view->from_start : view->data[start - 1] == '\n';
}

/* What stands before the separator: a name, in quotes and brackets perhaps. */
static bool look_back(const struct redact_view *view, size_t end, struct redact_pair *pair)
{
	size_t at = back_over_blanks(view, end);
	pair->tight_upper = at == view->at;
	if (at > 0 && view->data[at - 1] == ']')
		at--;
	if (at > 0 && redact_is_quote(view->data[at - 1])) {
		at--;
		for (unsigned n = 0; n < 4 && at > 0 && view->data[at - 1] == '\\'; n++)
			at--;
		pair->tight_upper = false;
		pair->name_quoted = true;
	}
	pair->name = name_before(view, at);
	if (pair->name.len == 0)
		return false;
	/* ":param password: …" is a field of documentation. */
	size_t start = (size_t)(pair->name.data - view->data);
	if (start > 0 && view->data[start - 1] == ':' &&
		memchr(pair->name.data, ' ', pair->name.len))
		return false;
	pair->kind = redact_name_kind(pair->name);
	pair->tight_upper &= is_tight_upper(pair->name);
	if (pair->kind != NAME_PLAIN && pair->colon)
		pair->begins_line = begins_line(view, (size_t)(pair->name.data - view->data));
	return pair->kind != NAME_PLAIN;
}

/* Reads the separator at view->at; "==", "!=", "+=", ":=", "=>" are known. */
enum redact_found redact_pair_read(const struct redact_view *view, struct redact_pair *ret_pair)
{
	struct redact_pair pair = {0};
	size_t end = view->at, next = view->at + 1;
	unsigned char before = end > 0 ? view->data[end - 1] : 0;
	if (redact_ends(view, next))
		return REDACT_MORE;
	unsigned char after = next < view->len ? view->data[next] : 0;
	pair.colon = view->data[end] == ':';
	if (pair.colon && (after == '=' || after == ':' || before == ':' || after == '/'))
		return REDACT_NONE;
	if (!pair.colon && (before == '=' || before == '<' || before == '>'))
		return REDACT_NONE;
	if (!pair.colon && (before == '!' || before == '+' || before == ':')) {
		pair.quoted_only = before != ':';
		end--;
	}
	if (!pair.colon && after == '=') {
		pair.quoted_only = true;
		next++;
	} else if (!pair.colon && after == '>') {
		next++;
	}
	pair.value = next;
	if (!look_back(view, end, &pair))
		return REDACT_NONE;
	*ret_pair = pair;
	return REDACT_MATCH;
}

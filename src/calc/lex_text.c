/*
 * lex_text: where strings and f-strings end. What they hold is never looked at.
 *
 * Source: The Python Language Reference 3.13, "String and Bytes literals", "f-strings".
 */
#include "calc/lex.h"

/* One quote or three; a pair is an empty string, which the caller sees as quote and end. */
static unsigned opening_quotes(const unsigned char *at)
{
	return at[1] == at[0] && at[2] == at[0] ? 3 : 1;
}

static bool at_quotes(const unsigned char *at, unsigned char quote, unsigned quotes)
{
	return at[0] == quote && (quotes == 1 || (at[1] == quote && at[2] == quote));
}

static void unterminated(struct lexer *lx, unsigned start)
{
	lex_fail(lx, SLIP_STRING, start, "the string that begins here has no end");
}

static bool is_line_end(unsigned char c)
{
	return c == '\n' || c == '\r';
}

/* Behind the character that the backslash at `at` escapes; a line's end is one character. */
static const unsigned char *skip_escape(const unsigned char *at)
{
	at++;
	if (at[0] == '\r' && at[1] == '\n')
		at++;
	return *at ? at + 1 : at;
}

void lex_string(struct lexer *lx, unsigned quote_at, bool is_bytes)
{
	const unsigned char *at = lx->source + quote_at;
	unsigned char quote = *at;
	unsigned quotes = opening_quotes(at);
	lx->token.type = TOK_STRING;
	lx->token.bytes = is_bytes;
	at += quotes;
	while (!at_quotes(at, quote, quotes)) {
		if (!*at || (quotes == 1 && is_line_end(*at))) {
			unterminated(lx, lx->token.start);
			return;
		}
		at = *at == '\\' ? skip_escape(at) : at + 1;
	}
	lx->pos = (unsigned)(at - lx->source) + quotes;
}

struct fstring lex_fstring(struct lexer *lx)
{
	struct fstring fs = {.start = lx->token.start};
	const unsigned char *at = lx->source + fs.start;
	for (; *at != '"' && *at != '\''; at++)
		fs.raw = fs.raw || (*at | 0x20) == 'r';
	fs.quote = *at;
	fs.quotes = opening_quotes(at);
	lx->pos = (unsigned)(at - lx->source) + fs.quotes;
	return fs;
}

/* A backslash hides a quote, but never a brace; \N{…} is no field. */
static const unsigned char *skip_fstring_escape(
	const unsigned char *at, const struct fstring *fs, bool *ret_named)
{
	if (at[1] == '{' || at[1] == '}')
		return at + 1;
	*ret_named = !fs->raw && at[1] == 'N' && at[2] == '{';
	return *ret_named ? at + 3 : skip_escape(at);
}

static enum fstring_stop brace(struct lexer *lx, const unsigned char *at)
{
	unsigned offset = (unsigned)(at - lx->source);
	lx->pos = offset + 1;
	lex_open(lx, '{', offset);
	return lx->fault->error ? FSTRING_BROKEN : FSTRING_FIELD;
}

enum fstring_stop lex_fstring_text(struct lexer *lx, const struct fstring *fs, bool in_spec)
{
	const unsigned char *at = lx->source + lx->pos;
	bool named = false;
	while (!at_quotes(at, fs->quote, fs->quotes)) {
		bool line_ends = fs->quotes == 1 && is_line_end(*at);
		if (in_spec && (line_ends || (*at == '}' && !named))) {
			lx->pos = (unsigned)(at - lx->source);
			return FSTRING_SPEC_END;
		}
		if (!*at || line_ends) {
			unterminated(lx, fs->start);
			return FSTRING_BROKEN;
		}
		if (*at == '{' && (in_spec || at[1] != '{'))
			return brace(lx, at);
		if (*at == '}' && at[1] != '}' && !named) {
			lex_fail(lx, SLIP_OTHER, (unsigned)(at - lx->source),
				"a single '}' in an f-string");
			return FSTRING_BROKEN;
		}
		if (*at == '\\') {
			at = skip_fstring_escape(at, fs, &named);
		} else if (*at == '}' && named) {
			named = false;
			at++;
		} else {
			at += *at == '{' || *at == '}' ? 2 : 1;
		}
	}
	lx->pos = (unsigned)(at - lx->source) + fs->quotes;
	return FSTRING_END;
}

/*
 * parse_text: strings in a row, and what stands in the fields of f-strings.
 *
 * Source: The Python Language Reference 3.13, "f-strings"; PEP 701.
 */
#include "calc/parse.h"

#define FIELDS_DEEP 3 /* fields within the formats of fields */

static void parse_field(struct parser *p, const struct fstring *fs, unsigned deep);

/* `!r` stands right behind its mark. */
static void parse_conversion(struct parser *p)
{
	unsigned end = p->lx.token.end;
	advance(p);
	unsigned char c = p->lx.source[p->lx.token.start];
	bool known = p->lx.token.end == end + 1 && (c == 's' || c == 'r' || c == 'a');
	if (peek(p) == TOK_NAME && p->lx.token.start == end && known)
		advance(p);
	else
		(void)unexpected(p);
}

/* The current token is the colon before a format; ends at the token behind it. */
static void parse_format(struct parser *p, const struct fstring *fs, unsigned deep)
{
	enum fstring_stop stop;
	while ((stop = lex_fstring_text(&p->lx, fs, true)) == FSTRING_FIELD)
		parse_field(p, fs, deep + 1);
	if (stop == FSTRING_END)
		lex_fail(&p->lx, SLIP_OTHER, fs->start, "an f-string's field has no end");
	else
		advance(p);
}

/* Behind the opening brace; ends behind the closing one. */
static void parse_field(struct parser *p, const struct fstring *fs, unsigned deep)
{
	unsigned outer = p->lx.field_level;
	p->lx.field_level = p->lx.level;
	enter(p);
	advance(p);
	if (deep > FIELDS_DEEP)
		(void)unexpected(p);
	if (peek(p) == TOK_YIELD)
		(void)parse_yield(p);
	else
		(void)parse_star_expressions(p);
	(void)accept(p, TOK_EQUAL);
	if (peek(p) == TOK_BANG)
		parse_conversion(p);
	if (peek(p) == TOK_SPEC)
		parse_format(p, fs, deep);
	if (peek(p) != TOK_RBRACE)
		(void)unexpected(p);
	leave(p);
	p->lx.field_level = outer;
}

static void parse_fstring(struct parser *p)
{
	struct fstring fs = lex_fstring(&p->lx);
	while (lex_fstring_text(&p->lx, &fs, false) == FSTRING_FIELD)
		parse_field(p, &fs, 1);
	advance(p);
}

struct part parse_strings(struct parser *p)
{
	unsigned start = p->lx.token.start;
	bool is_bytes = peek(p) == TOK_STRING && p->lx.token.bytes;
	bool joined = false;
	while (peek(p) == TOK_STRING || peek(p) == TOK_FSTRING) {
		bool fstring = peek(p) == TOK_FSTRING;
		if ((!fstring && p->lx.token.bytes) != is_bytes) {
			lex_fail(&p->lx, SLIP_OTHER, p->lx.token.start, "bytes beside text");
			break;
		}
		joined = joined || fstring;
		if (fstring)
			parse_fstring(p);
		else
			advance(p);
	}
	return forbid(joined ? NODE_JOINED_STR : NODE_CONSTANT, start, start);
}

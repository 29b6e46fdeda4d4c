/*
 * lex: names, operators, lines and brackets. Numbers stand in lex_number.c, strings in lex_text.c.
 *
 * In comes text that a stranger wrote; every branch moves forward, so the whole is linear.
 *
 * Source: The Python Language Reference 3.13, "Lexical analysis".
 */
#include "calc/lex.h"

#include "base/utf8.h"
#include "calc/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_name_start(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

static bool is_name_part(unsigned char c)
{
	return is_name_start(c) || (c >= '0' && c <= '9');
}

void fault_set(
	struct calc_fault *fault, enum calc_error error, unsigned at, const char *format, ...)
{
	if (fault->error)
		return;
	fault->error = error;
	fault->at = at;
	va_list args;
	va_start(args, format);
	(void)vsnprintf(fault->message, sizeof(fault->message), format, args);
	va_end(args);
}

void lex_fail(struct lexer *lx, enum calc_slip slip, unsigned at, const char *format, ...)
{
	lx->token.type = TOK_ERROR;
	if (lx->fault->error)
		return;
	char message[CALC_MESSAGE_SIZE];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	fault_set(lx->fault, CALC_ERROR_SYNTAX, at, "%s", message);
	lx->fault->slip = slip;
	lx->fault->last = lx->last;
}

void lex_init(struct lexer *lx, const char *source, unsigned bytes, struct calc_fault *fault)
{
	lx->source = (const unsigned char *)source;
	lx->bytes = bytes;
	lx->pos = 0;
	lx->last = 0;
	lx->level = 0;
	lx->field_level = 0;
	lx->fault = fault;
	lx->token.type = TOK_END;
	lx->token.start = lx->token.end = 0;
}

void lex_open(struct lexer *lx, unsigned char bracket, unsigned at)
{
	if (lx->level == CALC_NESTING_MAX) {
		fault_set(lx->fault, CALC_ERROR_LIMIT, at, "nested more than %d deep",
			CALC_NESTING_MAX);
		lx->token.type = TOK_ERROR;
		return;
	}
	lx->open[lx->level] = bracket;
	lx->open_at[lx->level] = (uint16_t)at;
	lx->level++;
}

void lex_close(struct lexer *lx, unsigned char bracket, unsigned at)
{
	if (!lx->level) {
		lex_fail(lx, SLIP_CLOSE, at, "unmatched '%c'", bracket);
		return;
	}
	unsigned char opening = lx->open[--lx->level];
	unsigned char wanted = opening == '(' ? ')' : opening == '[' ? ']' : '}';
	if (bracket != wanted)
		lex_fail(lx, SLIP_CLOSE, at, "'%c' does not close '%c'", bracket, opening);
}

static bool is_line_end(unsigned char c)
{
	return c == '\n' || c == '\r';
}

static void skip_line_end(struct lexer *lx)
{
	if (lx->source[lx->pos] == '\r' && lx->source[lx->pos + 1] == '\n')
		lx->pos++;
	lx->pos++;
}

static void skip_comment(struct lexer *lx)
{
	while (lx->source[lx->pos] && !is_line_end(lx->source[lx->pos]))
		lx->pos++;
}

/* A backslash must be a line's last character, and not the source's. */
static bool skip_continuation(struct lexer *lx)
{
	unsigned at = lx->pos++;
	if (!is_line_end(lx->source[lx->pos])) {
		lex_fail(lx, SLIP_OTHER, at, "unexpected character after a line continuation");
		return false;
	}
	skip_line_end(lx);
	if (!lx->source[lx->pos]) {
		lex_fail(lx, SLIP_OTHER, at, "nothing follows the line continuation");
		return false;
	}
	return true;
}

/*
 * At the start of a line outside brackets: passes over lines that hold nothing, and over the
 * blanks of the first one that does. False at the source's end or after an error.
 */
static bool next_line(struct lexer *lx, unsigned *indent)
{
	for (;;) {
		unsigned column = 0, first = 0;
		for (unsigned char c; (c = lx->source[lx->pos]) != 0;) {
			if (c == '\\') {
				/* The first backslash after blanks fixes the indent. */
				first = first ? first : column;
				if (!skip_continuation(lx))
					return false;
				continue;
			}
			if (c != ' ' && c != '\t' && c != '\f')
				break;
			column = c == ' ' ? column + 1 : c == '\t' ? (column / 8 + 1) * 8 : 0;
			lx->pos++;
		}
		if (lx->source[lx->pos] == '#')
			skip_comment(lx);
		if (is_line_end(lx->source[lx->pos])) {
			skip_line_end(lx);
			continue;
		}
		*indent = first ? first : column;
		return lx->source[lx->pos];
	}
}

static void token_end(struct lexer *lx)
{
	if (lx->fault->error)
		return;
	if (lx->level) {
		unsigned top = lx->level - 1;
		lex_fail(lx, SLIP_OPEN, lx->open_at[top], "'%c' was never closed", lx->open[top]);
		return;
	}
	lx->token.type = TOK_END;
	lx->token.start = lx->token.end = (uint16_t)lx->bytes;
}

/* The name's characters beyond ASCII must be those of identifiers. */
static void check_name(struct lexer *lx)
{
	const unsigned char *at = lx->source + lx->token.start;
	const unsigned char *end = lx->source + lx->pos;
	for (bool first = true; at < end; first = false) {
		size_t length = utf8_length(at, (size_t)(end - at));
		unsigned point = utf8_decode(at, length);
		if (point >= 0x80 && !(first ? xid_start(point) : xid_continue(point))) {
			lex_fail(lx, SLIP_CHARACTER, (unsigned)(at - lx->source),
				is_shown(point) ? "invalid character '%.*s' (U+%04X)"
						: "invalid character%.*s U+%04X",
				is_shown(point) ? (int)length : 0, (const char *)at, point);
			return;
		}
		at += length;
	}
}

/* A string's prefix: at most one of b, u and f, and r beside b or f, in any order and case. */
static bool is_prefix(const unsigned char *at, unsigned bytes, char *ret_kind)
{
	bool raw = false;
	char kind = 0;
	for (unsigned i = 0; i < bytes; i++) {
		char c = (char)(at[i] | 0x20);
		if (c == 'r' && !raw)
			raw = true;
		else if ((c == 'b' || c == 'u' || c == 'f') && !kind)
			kind = c;
		else
			return false;
	}
	*ret_kind = kind;
	return !(raw && kind == 'u');
}

static void token_name(struct lexer *lx)
{
	const unsigned char *start = lx->source + lx->pos;
	const unsigned char *at = start;
	bool ascii = true;
	for (; is_name_part(*at); at++)
		ascii = ascii && *at < 0x80;
	unsigned bytes = (unsigned)(at - start);
	char kind;
	if ((*at == '"' || *at == '\'') && bytes <= 2 && is_prefix(start, bytes, &kind)) {
		if (kind == 'f')
			lx->token.type = TOK_FSTRING;
		else
			lex_string(lx, lx->pos + bytes, kind == 'b');
		return;
	}
	lx->pos += bytes;
	lx->token.type = lex_name_type(start, bytes);
	if (!ascii)
		check_name(lx);
}

static void token_operator(struct lexer *lx)
{
	unsigned at = lx->pos;
	unsigned char c = lx->source[at];
	if (c == ':' && lx->field_level && lx->level == lx->field_level) {
		lx->token.type = TOK_SPEC;
		lx->pos++;
		return;
	}
	uint8_t type;
	unsigned length = lex_operator(lx->source + at, &type);
	if (!length) {
		lex_fail(lx, SLIP_CHARACTER, at,
			c < ' ' || c == 0x7f ? "invalid character U+%04X"
					     : "invalid character '%c'",
			c);
		return;
	}
	lx->token.type = type;
	lx->pos += length;
	if (type == TOK_LPAR || type == TOK_LSQB || type == TOK_LBRACE)
		lex_open(lx, c, at);
	else if (type == TOK_RPAR || type == TOK_RSQB || type == TOK_RBRACE)
		lex_close(lx, c, at);
}

/* Moves to the first character of the next token; false when there is none to make. */
static bool skip_blanks(struct lexer *lx)
{
	unsigned indent;
	if (!lx->pos && next_line(lx, &indent) && indent) {
		lex_fail(lx, SLIP_OTHER, lx->pos, "unexpected indent");
		return false;
	}
	for (;;) {
		unsigned char c = lx->source[lx->pos];
		if (c == ' ' || c == '\t' || c == '\f') {
			lx->pos++;
		} else if (c == '#') {
			skip_comment(lx);
		} else if (c == '\\') {
			if (!skip_continuation(lx))
				return false;
		} else if (!is_line_end(c)) {
			return c;
		} else if (lx->level) {
			skip_line_end(lx);
		} else {
			skip_line_end(lx);
			if (!next_line(lx, &indent))
				return false;
			lex_fail(lx, SLIP_LINE, lx->pos,
				"a second line; put brackets around what spans lines");
			return false;
		}
	}
}

void lex_next(struct lexer *lx)
{
	lx->last = lx->token.end;
	if (lx->fault->error) {
		lx->token.type = TOK_ERROR;
		return;
	}
	if (!skip_blanks(lx)) {
		token_end(lx);
		return;
	}
	unsigned char c = lx->source[lx->pos];
	lx->token.start = (uint16_t)lx->pos;
	if ((c >= '0' && c <= '9') ||
		(c == '.' && lx->source[lx->pos + 1] >= '0' && lx->source[lx->pos + 1] <= '9'))
		lex_number(lx);
	else if (is_name_start(c))
		token_name(lx);
	else if (c == '"' || c == '\'')
		lex_string(lx, lx->pos, false);
	else
		token_operator(lx);
	lx->token.end = (uint16_t)lx->pos;
}

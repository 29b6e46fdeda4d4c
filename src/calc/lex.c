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

static bool is_name_part(unsigned char c)
{
	return lex_classes[c] == CLASS_NAME || lex_classes[c] == CLASS_DIGIT;
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

void lex_stop(struct lexer *lx)
{
	lx->token.type = TOK_ERROR;
	/* At the source's end nothing else is made. */
	lx->pos = lx->bytes;
}

void lex_fail(struct lexer *lx, enum calc_slip slip, unsigned at, const char *format, ...)
{
	lex_stop(lx);
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

void lex_init(struct lexer *lx, const char *source, unsigned bytes, struct calc_literal *literal,
	struct calc_fault *fault)
{
	lx->source = (const unsigned char *)source;
	lx->bytes = bytes;
	lx->pos = 0;
	lx->last = 0;
	lx->literal = literal;
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
		lex_stop(lx);
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

__attribute__((noinline)) static void token_end(struct lexer *lx)
{
	lx->token.start = lx->token.end = (uint16_t)lx->bytes;
	if (lx->fault->error) {
		lex_stop(lx);
	} else if (lx->level) {
		unsigned top = lx->level - 1;
		lex_fail(lx, SLIP_OPEN, lx->open_at[top], "'%c' was never closed", lx->open[top]);
	} else {
		lx->token.type = TOK_END;
	}
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

__attribute__((noinline)) static void token_name(struct lexer *lx)
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
	const unsigned char *at = lx->source + lx->pos;
	if (*at == ':' && lx->field_level && lx->level == lx->field_level) {
		lx->token.type = TOK_SPEC;
		lx->pos++;
	} else if (*at == '.' && lex_classes[at[1]] == CLASS_DIGIT) {
		lex_number(lx);
	} else if (lex_classes[at[1]] != CLASS_OPERATOR) {
		lx->token.type = lex_singles[*at];
		lx->pos++;
	} else {
		lx->pos += lex_operator(at, &lx->token.type);
	}
}

/* Moves to the first character of the next token; false when there is none to make. */
__attribute__((noinline)) static bool skip_blanks(struct lexer *lx)
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

/* What is rare stays out of line, so that the frame of this function is small. */
void lex_next(struct lexer *lx)
{
	lx->last = lx->token.end;
	const unsigned char *at = lx->source + lx->pos;
	while (*at == ' ')
		at++;
	lx->pos = (unsigned)(at - lx->source);
	if (lex_classes[*at] == CLASS_OTHER && !skip_blanks(lx)) {
		token_end(lx);
		return;
	}
	unsigned char c = lx->source[lx->pos];
	lx->token.start = (uint16_t)lx->pos;
	switch ((enum lex_class)lex_classes[c]) {
	case CLASS_DIGIT:
		lex_number(lx);
		break;
	case CLASS_OPERATOR:
		token_operator(lx);
		break;
	case CLASS_OPEN:
		lx->token.type = lex_singles[c];
		lx->pos++;
		lex_open(lx, c, lx->token.start);
		break;
	case CLASS_CLOSE:
		lx->token.type = lex_singles[c];
		lx->pos++;
		lex_close(lx, c, lx->token.start);
		break;
	case CLASS_NAME:
		token_name(lx);
		break;
	case CLASS_QUOTE:
		lex_string(lx, lx->pos, false);
		break;
	case CLASS_OTHER:
		lex_fail(lx, SLIP_CHARACTER, lx->pos,
			c < ' ' || c == 0x7f ? "invalid character U+%04X"
					     : "invalid character '%c'",
			c);
		break;
	}
	lx->token.end = (uint16_t)lx->pos;
}

/*
 * parse_call: what follows a value in brackets: arguments, slices.
 *
 * Source: The Python Language Reference 3.13, "Calls", "Slicings".
 */
#include "calc/parse.h"

struct arguments {
	bool first;
	bool keywords; /* name=value or **mapping seen: no positional may follow */
	bool mapping;  /* **mapping seen: no *iterable may follow */
};

static void positional(struct parser *p, struct arguments *arguments, unsigned at)
{
	if (arguments->keywords)
		lex_fail(&p->lx, SLIP_OTHER, at, "a positional argument follows a keyword");
	if (!at_for(p))
		return;
	/* A generator needs no brackets of its own where it is alone. */
	parse_for_clauses(p);
	if (!arguments->first || peek(p) != TOK_RPAR)
		lex_fail(&p->lx, SLIP_OTHER, at,
			"a generator beside other arguments needs brackets");
}

static void argument(struct parser *p, struct arguments *arguments)
{
	unsigned at = p->lx.token.start;
	if (peek(p) == TOK_STAR) {
		if (arguments->mapping)
			(void)unexpected(p);
		advance(p);
		(void)parse_expression(p);
	} else if (accept(p, TOK_POWER)) {
		(void)parse_expression(p);
		arguments->keywords = arguments->mapping = true;
	} else {
		struct part part = parse_named(p);
		if ((part_shape(part) & SHAPE_NAME) && accept(p, TOK_EQUAL)) {
			(void)parse_expression(p);
			arguments->keywords = true;
		} else {
			positional(p, arguments, at);
		}
	}
	arguments->first = false;
}

struct part parse_call(struct parser *p, struct part callee)
{
	struct arguments arguments = {.first = true};
	enter(p);
	if (peek(p) == TOK_LPAR)
		advance(p);
	while (peek(p) != TOK_RPAR) {
		argument(p, &arguments);
		if (!accept(p, TOK_COMMA))
			break;
	}
	expect(p, TOK_RPAR);
	leave(p);
	return forbid(NODE_CALL, part_start(callee), part_start(callee));
}

/* One of a subscript's items: `*x`, `x`, `x := y` or a slice. */
static void slice(struct parser *p)
{
	if (accept(p, TOK_STAR)) {
		(void)parse_expression(p);
		return;
	}
	if (peek(p) != TOK_COLON) {
		struct part part = parse_expression(p);
		if ((part_shape(part) & SHAPE_NAME) && accept(p, TOK_WALRUS)) {
			(void)parse_expression(p);
			return;
		}
	}
	for (unsigned colons = 0; colons < 2 && accept(p, TOK_COLON); colons++) {
		uint8_t type = peek(p);
		if (type != TOK_COLON && type != TOK_COMMA && type != TOK_RSQB)
			(void)parse_expression(p);
	}
}

struct part parse_subscript(struct parser *p, struct part value)
{
	enter(p);
	if (peek(p) == TOK_LSQB)
		advance(p);
	do {
		slice(p);
	} while (accept(p, TOK_COMMA) && peek(p) != TOK_RSQB);
	expect(p, TOK_RSQB);
	leave(p);
	return part_make(NODE_SUBSCRIPT, part_start(value), part_start(value), SHAPE_TARGET);
}

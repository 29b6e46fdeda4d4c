/*
 * parse_atom: literals, names, brackets and what follows a value in brackets.
 *
 * Source: The Python Language Reference 3.13, "Atoms", "Primaries".
 */
#include "calc/parse.h"

/* The lexer has written the literal where it belongs: here it becomes a step. */
static struct part literal(struct parser *p)
{
	unsigned start = p->lx.token.start;
	struct calc_program *program = p->program;
	struct calc_step *step = &program->step[program->steps++];
	step->op = OP_LITERAL;
	step->at = (uint16_t)start;
	p->lx.literal = &program->literal[++program->literals];
	advance(p);
	return forbid(NODE_NONE, start, start);
}

static struct part star_named(struct parser *p)
{
	unsigned start = p->lx.token.start;
	if (!accept(p, TOK_STAR))
		return parse_named(p);
	struct part part = parse_operators(p, BIND_BITOR);
	return part_within(part, start, SHAPE_STAR | (part_shape(part) & SHAPE_TARGET));
}

/* Elements up to `closer`, which is passed over; whether each may stand behind `for`. */
static bool elements(struct parser *p, enum token_type closer, bool all)
{
	while (accept(p, TOK_COMMA) && peek(p) != closer)
		all = (part_shape(star_named(p)) & SHAPE_TARGET) && all;
	expect(p, closer);
	return all;
}

/* The targets of a `for`, in which `in` is no operator. */
static void targets(struct parser *p)
{
	do {
		if (peek(p) == TOK_IN)
			break;
		(void)accept(p, TOK_STAR);
		unsigned at = p->lx.token.start;
		if (!(part_shape(parse_primary(p)) & SHAPE_TARGET))
			lex_fail(&p->lx, SLIP_OTHER, at, "no target for a loop");
	} while (accept(p, TOK_COMMA));
}

void parse_for_clauses(struct parser *p)
{
	while (at_for(p)) {
		(void)accept(p, TOK_ASYNC);
		expect(p, TOK_FOR);
		if (peek(p) == TOK_IN)
			(void)unexpected(p);
		targets(p);
		expect(p, TOK_IN);
		(void)parse_operators(p, BIND_OR);
		while (accept(p, TOK_IF))
			(void)parse_operators(p, BIND_OR);
	}
}

struct part parse_yield(struct parser *p)
{
	unsigned start = p->lx.token.start;
	advance(p);
	if (accept(p, TOK_FROM)) {
		(void)parse_expression(p);
		return forbid(NODE_YIELD_FROM, start, start);
	}
	if (!at_end(p))
		(void)parse_star_expressions(p);
	return forbid(NODE_YIELD, start, start);
}

/* ( … ): a group, a tuple or a generator. */
static struct part parentheses(struct parser *p)
{
	unsigned start = p->lx.token.start;
	advance(p);
	if (accept(p, TOK_RPAR))
		return part_make(NODE_TUPLE, start, start, SHAPE_TARGET);
	bool yields = peek(p) == TOK_YIELD;
	struct part first = yields ? parse_yield(p) : star_named(p);
	bool star = part_shape(first) & SHAPE_STAR;
	if (at_for(p) && !star && !yields) {
		parse_for_clauses(p);
		expect(p, TOK_RPAR);
		return forbid(NODE_GENERATOR_EXP, start, start);
	}
	if (peek(p) == TOK_COMMA && !yields) {
		bool all = elements(p, TOK_RPAR, part_shape(first) & SHAPE_TARGET);
		return part_make(NODE_TUPLE, start, start, all ? SHAPE_TARGET : 0);
	}
	if (star)
		(void)unexpected(p);
	expect(p, TOK_RPAR);
	return part_within(first, start, part_shape(first) & SHAPE_TARGET);
}

static struct part square(struct parser *p)
{
	unsigned start = p->lx.token.start;
	advance(p);
	if (accept(p, TOK_RSQB))
		return part_make(NODE_LIST, start, start, SHAPE_TARGET);
	struct part first = star_named(p);
	if (at_for(p) && !(part_shape(first) & SHAPE_STAR)) {
		parse_for_clauses(p);
		expect(p, TOK_RSQB);
		return forbid(NODE_LIST_COMP, start, start);
	}
	bool all = elements(p, TOK_RSQB, part_shape(first) & SHAPE_TARGET);
	return part_make(NODE_LIST, start, start, all ? SHAPE_TARGET : 0);
}

/* A dictionary's `key: value` or `**mapping`. */
static void pair(struct parser *p)
{
	if (accept(p, TOK_POWER)) {
		(void)parse_operators(p, BIND_BITOR);
		return;
	}
	(void)parse_expression(p);
	expect(p, TOK_COLON);
	(void)parse_expression(p);
}

static struct part dict(struct parser *p, unsigned start)
{
	while (accept(p, TOK_COMMA) && peek(p) != TOK_RBRACE)
		pair(p);
	expect(p, TOK_RBRACE);
	return forbid(NODE_DICT, start, start);
}

static struct part curly(struct parser *p)
{
	unsigned start = p->lx.token.start;
	advance(p);
	if (peek(p) == TOK_RBRACE)
		return dict(p, start);
	if (peek(p) == TOK_POWER) {
		pair(p);
		return dict(p, start);
	}
	struct part first = star_named(p);
	bool plain = part_node(first) != NODE_NAMED_EXPR || part_at(first) != part_start(first);
	if (plain && !(part_shape(first) & SHAPE_STAR) && accept(p, TOK_COLON)) {
		(void)parse_expression(p);
		if (!at_for(p))
			return dict(p, start);
		parse_for_clauses(p);
		expect(p, TOK_RBRACE);
		return forbid(NODE_DICT_COMP, start, start);
	}
	if (at_for(p) && !(part_shape(first) & SHAPE_STAR)) {
		parse_for_clauses(p);
		expect(p, TOK_RBRACE);
		return forbid(NODE_SET_COMP, start, start);
	}
	(void)elements(p, TOK_RBRACE, false);
	return forbid(NODE_SET, start, start);
}

static struct part brackets(struct parser *p)
{
	switch (peek(p)) {
	case TOK_LPAR:
		return parentheses(p);
	case TOK_LSQB:
		return square(p);
	case TOK_LBRACE:
		return curly(p);
	default: /* nested too deeply */
		return unexpected(p);
	}
}

struct part parse_atom(struct parser *p)
{
	unsigned start = p->lx.token.start;
	struct part part;
	switch (peek(p)) {
	case TOK_NUMBER:
		return literal(p);
	case TOK_IMAGINARY:
	case TOK_CONSTANT:
		advance(p);
		return forbid(NODE_CONSTANT, start, start);
	case TOK_NAME:
		advance(p);
		return part_make(NODE_NAME, start, start, SHAPE_NAME | SHAPE_TARGET);
	case TOK_STRING:
	case TOK_FSTRING:
		return parse_strings(p);
	case TOK_LPAR:
	case TOK_LSQB:
	case TOK_LBRACE:
		enter(p);
		part = brackets(p);
		leave(p);
		return part;
	default:
		return unexpected(p);
	}
}

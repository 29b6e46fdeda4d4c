/*
 * parse_atom: literals, names, brackets and what follows a value in brackets.
 *
 * Source: The Python Language Reference 3.13, "Atoms", "Primaries".
 */
#include "calc/parse.h"

static struct part literal(struct parser *p)
{
	struct part part = forbid(NODE_NONE, p->lx.token.start, p->lx.token.start);
	struct calc_program *program = p->program;
	struct calc_step *step = &program->step[program->steps++];
	step->op = OP_LITERAL;
	step->at = part.start;
	program->literal[program->literals++] = p->lx.token.literal;
	advance(p);
	return part;
}

static struct part star_named(struct parser *p)
{
	unsigned start = p->lx.token.start;
	if (!accept(p, TOK_STAR))
		return parse_named(p);
	struct part part = parse_operators(p, BIND_BITOR);
	part.start = (uint16_t)start;
	part.shape = (uint8_t)(SHAPE_STAR | (part.shape & SHAPE_TARGET));
	return part;
}

/* Elements up to `closer`, which is passed over; whether each may stand behind `for`. */
static bool elements(struct parser *p, enum token_type closer, bool targets)
{
	while (accept(p, TOK_COMMA) && peek(p) != closer)
		targets = (star_named(p).shape & SHAPE_TARGET) && targets;
	expect(p, closer);
	return targets;
}

/* The targets of a `for`, in which `in` is no operator. */
static void targets(struct parser *p)
{
	do {
		if (peek(p) == TOK_IN)
			break;
		(void)accept(p, TOK_STAR);
		unsigned at = p->lx.token.start;
		if (!(parse_primary(p).shape & SHAPE_TARGET))
			lex_fail(&p->lx, SLIP_OTHER, at, "no target for a loop");
	} while (accept(p, TOK_COMMA));
}

static bool at_for(const struct parser *p)
{
	return peek(p) == TOK_FOR || peek(p) == TOK_ASYNC;
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
	uint8_t type = peek(p);
	if (type != TOK_RPAR && type != TOK_RBRACE && type != TOK_EQUAL && type != TOK_BANG &&
		type != TOK_SPEC)
		(void)parse_star_expressions(p);
	return forbid(NODE_YIELD, start, start);
}

/* ( … ): a group, a tuple or a generator. */
static struct part parentheses(struct parser *p)
{
	unsigned start = p->lx.token.start;
	advance(p);
	if (accept(p, TOK_RPAR)) {
		struct part empty = forbid(NODE_TUPLE, start, start);
		empty.shape = SHAPE_TARGET;
		return empty;
	}
	bool yields = peek(p) == TOK_YIELD;
	struct part first = yields ? parse_yield(p) : star_named(p);
	bool star = first.shape & SHAPE_STAR;
	if (at_for(p) && !star && !yields) {
		parse_for_clauses(p);
		expect(p, TOK_RPAR);
		return forbid(NODE_GENERATOR_EXP, start, start);
	}
	if (peek(p) == TOK_COMMA && !yields) {
		bool targets_only = elements(p, TOK_RPAR, first.shape & SHAPE_TARGET);
		struct part tuple = forbid(NODE_TUPLE, start, start);
		tuple.shape = targets_only ? SHAPE_TARGET : 0;
		return tuple;
	}
	if (star)
		(void)unexpected(p);
	expect(p, TOK_RPAR);
	first.start = (uint16_t)start;
	first.shape &= SHAPE_TARGET;
	return first;
}

static struct part square(struct parser *p)
{
	unsigned start = p->lx.token.start;
	struct part list = forbid(NODE_LIST, start, start);
	list.shape = SHAPE_TARGET;
	advance(p);
	if (accept(p, TOK_RSQB))
		return list;
	struct part first = star_named(p);
	if (at_for(p) && !(first.shape & SHAPE_STAR)) {
		parse_for_clauses(p);
		expect(p, TOK_RSQB);
		return forbid(NODE_LIST_COMP, start, start);
	}
	if (!elements(p, TOK_RSQB, first.shape & SHAPE_TARGET))
		list.shape = 0;
	return list;
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
	bool plain = first.node != NODE_NAMED_EXPR || first.at != first.start;
	if (plain && !(first.shape & SHAPE_STAR) && accept(p, TOK_COLON)) {
		(void)parse_expression(p);
		if (!at_for(p))
			return dict(p, start);
		parse_for_clauses(p);
		expect(p, TOK_RBRACE);
		return forbid(NODE_DICT_COMP, start, start);
	}
	if (at_for(p) && !(first.shape & SHAPE_STAR)) {
		parse_for_clauses(p);
		expect(p, TOK_RBRACE);
		return forbid(NODE_SET_COMP, start, start);
	}
	(void)elements(p, TOK_RBRACE, false);
	return forbid(NODE_SET, start, start);
}

struct part parse_atom(struct parser *p)
{
	unsigned start = p->lx.token.start;
	struct part part = forbid(NODE_CONSTANT, start, start);
	switch (peek(p)) {
	case TOK_NUMBER:
		return literal(p);
	case TOK_IMAGINARY:
	case TOK_CONSTANT:
		advance(p);
		return part;
	case TOK_NAME:
		advance(p);
		part.node = NODE_NAME;
		part.shape = SHAPE_NAME | SHAPE_TARGET;
		return part;
	case TOK_STRING:
	case TOK_FSTRING:
		return parse_strings(p);
	case TOK_LPAR:
	case TOK_LSQB:
	case TOK_LBRACE:
		enter(p);
		part = peek(p) == TOK_LPAR     ? parentheses(p)
		       : peek(p) == TOK_LSQB   ? square(p)
		       : peek(p) == TOK_LBRACE ? curly(p)
					       : part;
		leave(p);
		return part;
	default:
		return unexpected(p);
	}
}

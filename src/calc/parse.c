/*
 * parse: operators by their binding power (a Pratt parser), and the rungs above them.
 *
 * Recursion: one C frame per binding power at most lies between two levels of nesting, and
 * nesting is capped, so the stack is bounded whatever comes in.
 *
 * Source: The Python Language Reference 3.13, "Full Grammar specification".
 */
#include "calc/parse.h"

enum infix_kind { INFIX_NONE, INFIX_LEFT, INFIX_POWER, INFIX_COMPARE, INFIX_BOOL };

struct infix {
	uint8_t kind, bind;
	bool allowed;
	uint8_t op;
};

static const struct infix infixes[TOK_COUNT] = {
	[TOK_OR] = {INFIX_BOOL, BIND_OR, false, 0},
	[TOK_AND] = {INFIX_BOOL, BIND_AND, false, 0},
	[TOK_COMPARE] = {INFIX_COMPARE, BIND_COMPARE, false, 0},
	[TOK_IN] = {INFIX_COMPARE, BIND_COMPARE, false, 0},
	[TOK_IS] = {INFIX_COMPARE, BIND_COMPARE, false, 0},
	[TOK_NOT] = {INFIX_COMPARE, BIND_COMPARE, false, 0},
	[TOK_BAR] = {INFIX_LEFT, BIND_BITOR, false, 0},
	[TOK_CARET] = {INFIX_LEFT, BIND_BITXOR, false, 0},
	[TOK_AMPER] = {INFIX_LEFT, BIND_BITAND, false, 0},
	[TOK_SHIFT] = {INFIX_LEFT, BIND_SHIFT, false, 0},
	[TOK_PLUS] = {INFIX_LEFT, BIND_SUM, true, OP_ADD},
	[TOK_MINUS] = {INFIX_LEFT, BIND_SUM, true, OP_SUBTRACT},
	[TOK_STAR] = {INFIX_LEFT, BIND_TERM, true, OP_MULTIPLY},
	[TOK_SLASH] = {INFIX_LEFT, BIND_TERM, true, OP_DIVIDE},
	[TOK_PERCENT] = {INFIX_LEFT, BIND_TERM, true, OP_MODULO},
	[TOK_FLOORDIV] = {INFIX_LEFT, BIND_TERM, false, 0},
	[TOK_AT] = {INFIX_LEFT, BIND_TERM, false, 0},
	[TOK_POWER] = {INFIX_POWER, BIND_POWER, true, OP_POWER},
};

void enter(struct parser *p)
{
	if (p->depth++ < CALC_NESTING_MAX)
		return;
	fault_set(p->lx.fault, CALC_ERROR_LIMIT, p->lx.token.start, "nested more than %d deep",
		CALC_NESTING_MAX);
	lex_stop(&p->lx);
}

struct part unexpected(struct parser *p)
{
	unsigned at = p->lx.token.start;
	if (peek(p) == TOK_END)
		lex_fail(&p->lx, SLIP_TOKEN, at,
			at ? "the expression ends too early" : "no expression");
	else
		lex_fail(&p->lx, SLIP_TOKEN, at, "invalid syntax");
	return forbid(NODE_NONE, at, at);
}

void expect(struct parser *p, enum token_type type)
{
	if (!accept(p, type))
		(void)unexpected(p);
}

static void emit(struct parser *p, uint8_t op, unsigned at)
{
	struct calc_step *step = &p->program->step[p->program->steps++];
	step->op = op;
	step->at = (uint16_t)at;
}

struct part parse_primary(struct parser *p)
{
	struct part part = parse_atom(p);
	for (;;) {
		if (peek(p) == TOK_LPAR) {
			part = parse_call(p, part);
		} else if (peek(p) == TOK_LSQB) {
			part = parse_subscript(p, part);
		} else if (peek(p) == TOK_DOT) {
			advance(p);
			expect(p, TOK_NAME);
			part = part_make(
				NODE_ATTRIBUTE, part_start(part), part_start(part), SHAPE_TARGET);
		} else {
			return part;
		}
	}
}

/* `-x`, `+x`, `~x`, `not x`. */
static struct part parse_unary(struct parser *p, unsigned bind)
{
	unsigned at = p->lx.token.start;
	bool minus = peek(p) == TOK_MINUS;
	enter(p);
	advance(p);
	struct part operand = parse_operators(p, bind);
	leave(p);
	if (!minus)
		return forbid(NODE_UNARY_OP, at, at);
	emit(p, OP_NEGATE, at);
	return part_within(operand, at, 0);
}

static struct part parse_prefix(struct parser *p, unsigned bind)
{
	unsigned at = p->lx.token.start;
	switch (peek(p)) {
	case TOK_MINUS:
	case TOK_PLUS:
	case TOK_TILDE:
		return parse_unary(p, BIND_UNARY);
	case TOK_NOT:
		return bind > BIND_NOT ? unexpected(p) : parse_unary(p, BIND_NOT);
	case TOK_AWAIT:
		advance(p);
		(void)parse_primary(p);
		return forbid(NODE_AWAIT, at, at);
	default:
		return parse_primary(p);
	}
}

/* One comparison operator, `not in` and `is not` among them, and its right side. */
static struct part parse_comparison(struct parser *p, struct part left)
{
	uint8_t type = peek(p);
	advance(p);
	if (type == TOK_NOT)
		expect(p, TOK_IN);
	else if (type == TOK_IS)
		(void)accept(p, TOK_NOT);
	(void)parse_operators(p, BIND_BITOR);
	return forbid(NODE_COMPARE, part_start(left), part_start(left));
}

/* The right side of a BinOp whose operator is the current token, and the whole. */
static struct part parse_binary(struct parser *p, struct part left, const struct infix *infix)
{
	unsigned at = p->lx.token.start;
	struct part right;
	if (infix->kind == INFIX_POWER) {
		enter(p);
		advance(p);
		right = parse_operators(p, BIND_UNARY);
		leave(p);
	} else {
		advance(p);
		right = parse_operators(p, infix->bind + 1u);
	}
	if (!infix->allowed)
		return forbid(NODE_BIN_OP, part_start(left), at);
	emit(p, infix->op, at);
	return part_within(part_node(left) == NODE_NONE ? right : left, part_start(left), 0);
}

struct part parse_operators(struct parser *p, unsigned bind)
{
	struct part left = parse_prefix(p, bind);
	for (;;) {
		const struct infix *infix = &infixes[peek(p)];
		if (infix->kind == INFIX_NONE || infix->bind < bind)
			return left;
		if (infix->kind == INFIX_COMPARE) {
			left = parse_comparison(p, left);
		} else if (infix->kind == INFIX_BOOL) {
			advance(p);
			(void)parse_operators(p, infix->bind + 1u);
			left = forbid(NODE_BOOL_OP, part_start(left), part_start(left));
		} else {
			left = parse_binary(p, left, infix);
		}
	}
}

struct part parse_expression(struct parser *p)
{
	if (peek(p) == TOK_LAMBDA)
		return parse_lambda(p);
	struct part body = parse_operators(p, BIND_OR);
	if (!accept(p, TOK_IF))
		return body;
	(void)parse_operators(p, BIND_OR);
	expect(p, TOK_ELSE);
	enter(p);
	(void)parse_expression(p);
	leave(p);
	return forbid(NODE_IF_EXP, part_start(body), part_start(body));
}

struct part parse_named(struct parser *p)
{
	struct part part = parse_expression(p);
	if (!(part_shape(part) & SHAPE_NAME) || !accept(p, TOK_WALRUS))
		return part;
	(void)parse_expression(p);
	return forbid(NODE_NAMED_EXPR, part_start(part), part_start(part));
}

static struct part parse_star_expression(struct parser *p)
{
	if (!accept(p, TOK_STAR))
		return parse_expression(p);
	return parse_operators(p, BIND_BITOR);
}

struct part parse_star_expressions(struct parser *p)
{
	struct part first = parse_star_expression(p);
	bool tuple = false;
	while (accept(p, TOK_COMMA)) {
		tuple = true;
		if (at_end(p))
			break;
		(void)parse_star_expression(p);
	}
	return tuple ? forbid(NODE_TUPLE, part_start(first), part_start(first)) : first;
}

/* The top of `eval`: expressions with commas, but no stars. */
static struct part parse_top(struct parser *p)
{
	struct part first = parse_expression(p);
	bool tuple = false;
	while (accept(p, TOK_COMMA)) {
		tuple = true;
		if (peek(p) == TOK_END)
			break;
		(void)parse_expression(p);
	}
	return tuple ? forbid(NODE_TUPLE, part_start(first), part_start(first)) : first;
}

void parse_source(struct parser *p, struct calc_program *program, const char *source,
	unsigned bytes, struct calc_fault *fault)
{
	p->program = program;
	p->depth = 0;
	program->steps = program->literals = 0;
	lex_init(&p->lx, source, bytes, program->literal, fault);
	advance(p);
	struct part whole = parse_top(p);
	if (peek(p) != TOK_END)
		(void)unexpected(p);
	if (fault->error || part_node(whole) == NODE_NONE)
		return;
	fault->error = CALC_ERROR_FORBIDDEN;
	fault->node = part_node(whole);
	fault->at = part_at(whole);
}

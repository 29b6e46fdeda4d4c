/*
 * parse: Python's expression grammar, every form of it.
 *
 * parse_source() reads one expression; the parser needs no set-up. Where all of it is allowed,
 * `program` holds its steps; else the fault names the first forbidden node in pre-order, or what
 * Python would not parse either. A part of the expression is known by its struct part alone: no
 * tree is built.
 */
#ifndef BRIG_CALC_PARSE_H
#define BRIG_CALC_PARSE_H

#include "calc/lex.h"

/*
 * What has been parsed of a part, in one register: the byte at which its node begins (its own
 * brackets included), its first forbidden node in pre-order, where the caret stands for that one,
 * and its shape. A struct of small fields would be put together in memory, which costs more than
 * the parsing.
 */
struct part {
	uint64_t bits;
};

enum {
	SHAPE_NAME = 1,	  /* a bare name: may stand before := and, in a call, = */
	SHAPE_TARGET = 2, /* may stand behind `for` */
	SHAPE_STAR = 4,	  /* *x */
};

static inline struct part part_make(
	enum calc_node node, unsigned start, unsigned at, unsigned shape)
{
	return (struct part){
		start | (uint64_t)at << 16 | (uint64_t)node << 32 | (uint64_t)shape << 40};
}

static inline unsigned part_start(struct part part)
{
	return (uint16_t)part.bits;
}

static inline unsigned part_at(struct part part)
{
	return (uint16_t)(part.bits >> 16);
}

static inline enum calc_node part_node(struct part part)
{
	return (enum calc_node)(part.bits >> 32 & 0xff);
}

static inline unsigned part_shape(struct part part)
{
	return (unsigned)(part.bits >> 40);
}

/* The same node, beginning elsewhere and of another shape. */
static inline struct part part_within(struct part part, unsigned start, unsigned shape)
{
	return part_make(part_node(part), start, part_at(part), shape);
}

struct parser {
	struct lexer lx;
	struct calc_program *program;
	unsigned depth;
};

/* How tightly the operators bind; a higher one first. */
enum {
	BIND_OR = 1,
	BIND_AND,
	BIND_NOT,
	BIND_COMPARE,
	BIND_BITOR,
	BIND_BITXOR,
	BIND_BITAND,
	BIND_SHIFT,
	BIND_SUM,
	BIND_TERM,
	BIND_UNARY,
	BIND_POWER,
};

void parse_source(struct parser *p, struct calc_program *program, const char *source,
	unsigned bytes, struct calc_fault *fault);

/* parse.c: the rungs of the grammar, from the top. */
struct part parse_star_expressions(struct parser *p); /* an f-string's field, `yield` */
struct part parse_named(struct parser *p);	      /* with := */
struct part parse_expression(struct parser *p);
struct part parse_operators(struct parser *p, unsigned bind);
struct part parse_primary(struct parser *p);

/* parse_atom.c: from the current token on. */
struct part parse_atom(struct parser *p);
struct part parse_call(struct parser *p, struct part callee);
struct part parse_subscript(struct parser *p, struct part value);
struct part parse_yield(struct parser *p);
void parse_for_clauses(struct parser *p);

/* parse_text.c: strings in a row, f-strings among them. */
struct part parse_strings(struct parser *p);

/* parse_lambda.c */
struct part parse_lambda(struct parser *p);

static inline uint8_t peek(const struct parser *p)
{
	return p->lx.token.type;
}

static inline void advance(struct parser *p)
{
	lex_next(&p->lx);
}

/* A part whose own node is forbidden. */
static inline struct part forbid(enum calc_node node, unsigned start, unsigned at)
{
	return part_make(node, start, at, 0);
}

/* One level of nesting more, and less. Beyond the cap the parser stops as after any error. */
void enter(struct parser *p);
static inline void leave(struct parser *p)
{
	p->depth--;
}

/* A comprehension goes on here. */
static inline bool at_for(const struct parser *p)
{
	return peek(p) == TOK_FOR || peek(p) == TOK_ASYNC;
}

/* What may stand behind the last of several expressions, or behind a lone `yield`. */
static inline bool at_end(const struct parser *p)
{
	uint8_t type = peek(p);
	return type == TOK_END || type == TOK_RPAR || type == TOK_RBRACE || type == TOK_EQUAL ||
	       type == TOK_BANG || type == TOK_SPEC;
}

/* The current token fits nowhere here. */
struct part unexpected(struct parser *p);

/* Passes over the wanted token, or fails. */
void expect(struct parser *p, enum token_type type);
static inline bool accept(struct parser *p, enum token_type type)
{
	if (peek(p) != type)
		return false;
	advance(p);
	return true;
}

#endif

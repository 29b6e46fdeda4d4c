/*
 * parse_lambda: parameters and body.
 *
 * Source: The Python Language Reference 3.13, "Lambdas".
 */
#include "calc/parse.h"

struct params {
	bool any;      /* a plain parameter before any star */
	bool slash;    /* `/` seen */
	bool defaults; /* a default seen before any star */
	bool star;     /* `*` or `*args` seen */
	bool bare;     /* `*` still without a parameter behind it */
	bool last;     /* `**kwargs` seen: nothing may follow */
};

static void plain(struct parser *p, struct params *params)
{
	expect(p, TOK_NAME);
	bool has_default = accept(p, TOK_EQUAL);
	if (has_default)
		(void)parse_expression(p);
	if (params->star) {
		params->bare = false;
		return;
	}
	if (params->defaults && !has_default)
		lex_fail(&p->lx, SLIP_OTHER, p->lx.token.start,
			"a parameter without a default follows one with");
	params->defaults = has_default;
	params->any = true;
}

static void one_param(struct parser *p, struct params *params)
{
	if (params->last) {
		(void)unexpected(p);
	} else if (peek(p) == TOK_SLASH && params->any && !params->slash && !params->star) {
		advance(p);
		params->slash = true;
	} else if (peek(p) == TOK_STAR && !params->star) {
		advance(p);
		params->star = true;
		params->bare = !accept(p, TOK_NAME);
	} else if (peek(p) == TOK_POWER && !params->bare) {
		advance(p);
		expect(p, TOK_NAME);
		params->last = true;
	} else {
		plain(p, params);
	}
}

struct part parse_lambda(struct parser *p)
{
	unsigned start = p->lx.token.start;
	struct params params = {0};
	enter(p);
	advance(p);
	while (peek(p) != TOK_COLON) {
		one_param(p, &params);
		if (!accept(p, TOK_COMMA) && peek(p) != TOK_COLON) {
			(void)unexpected(p);
			break;
		}
	}
	if (params.bare)
		(void)unexpected(p);
	expect(p, TOK_COLON);
	(void)parse_expression(p);
	leave(p);
	return forbid(NODE_LAMBDA, start, start);
}

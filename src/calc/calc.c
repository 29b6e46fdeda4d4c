/*
 * calc: the door of this room. Text comes in, a result goes out; nothing else is touched.
 *
 * The danger is in the text: it is capped, checked as UTF-8 and copied behind a NUL before the
 * lexer sees it, and no part of it is evaluated before all of it has been judged.
 */
#include "calc/calc.h"

#include "base/utf8.h"
#include "calc/hint.h"
#include "calc/parse.h"
#include "calc/source.h"
#include "calc/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct calc {
	locale_t c_locale;
	struct parser parser;
	struct calc_fault fault;
	struct calc_program program;
	union calc_stack stack;
	/* The lexer looks up to two bytes ahead of a character it has seen. */
	char source[CALC_SOURCE_MAX + 4];
};

static const char node_names[NODE_COUNT][16] = {
	[NODE_ATTRIBUTE] = "Attribute",
	[NODE_AWAIT] = "Await",
	[NODE_BIN_OP] = "BinOp",
	[NODE_BOOL_OP] = "BoolOp",
	[NODE_CALL] = "Call",
	[NODE_COMPARE] = "Compare",
	[NODE_CONSTANT] = "Constant",
	[NODE_DICT] = "Dict",
	[NODE_DICT_COMP] = "DictComp",
	[NODE_GENERATOR_EXP] = "GeneratorExp",
	[NODE_IF_EXP] = "IfExp",
	[NODE_JOINED_STR] = "JoinedStr",
	[NODE_LAMBDA] = "Lambda",
	[NODE_LIST] = "List",
	[NODE_LIST_COMP] = "ListComp",
	[NODE_NAME] = "Name",
	[NODE_NAMED_EXPR] = "NamedExpr",
	[NODE_SET] = "Set",
	[NODE_SET_COMP] = "SetComp",
	[NODE_SUBSCRIPT] = "Subscript",
	[NODE_TUPLE] = "Tuple",
	[NODE_UNARY_OP] = "UnaryOp",
	[NODE_YIELD] = "Yield",
	[NODE_YIELD_FROM] = "YieldFrom",
};

struct calc *calc_new(void)
{
	struct calc *calc = malloc(sizeof(*calc));
	if (!calc)
		return NULL;
	/* The C locale is a constant of glibc: this neither reads a file nor allocates. */
	calc->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!calc->c_locale) {
		free(calc);
		return NULL;
	}
	return calc;
}

void calc_free(struct calc *calc)
{
	if (!calc)
		return;
	freelocale(calc->c_locale);
	free(calc);
}

/* Neither NUL nor anything beyond ASCII, eight bytes at a time. */
static bool is_plain(const char *text, size_t bytes)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
	uint64_t found = 0, word;
	for (; bytes >= sizeof(word); bytes -= sizeof(word), text += sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		found |= word | (word - ones);
	}
	for (; bytes; bytes--, text++)
		found |= (uint64_t)(unsigned char)*text | (uint64_t)(*text - 1);
	return !(found & tops);
}

/* Copies what is to be parsed into calc->source; its length, or 0 with the fault set. */
static unsigned take_source(
	struct calc *calc, const char *source, size_t bytes, struct calc_fault *fault)
{
	size_t bad;
	if (bytes > CALC_SOURCE_MAX) {
		fault_set(fault, CALC_ERROR_LIMIT, 0, "longer than %d bytes", CALC_SOURCE_MAX);
		return 0;
	}
	source_strip(&source, &bytes);
	memcpy(calc->source, source, bytes);
	memset(calc->source + bytes, 0, sizeof(calc->source) - CALC_SOURCE_MAX);
	if (is_plain(source, bytes))
		return (unsigned)bytes;
	const char *nul = memchr(source, 0, bytes);
	if (nul)
		fault_set(fault, CALC_ERROR_SYNTAX, (unsigned)(nul - source), "a NUL character");
	else if (!utf8_valid(source, bytes, &bad))
		fault_set(fault, CALC_ERROR_SYNTAX, (unsigned)bad, "not UTF-8");
	return (unsigned)bytes;
}

/* Characters before the byte `at`, plus one. */
static unsigned column_of(const char *source, unsigned at)
{
	unsigned column = 1;
	for (unsigned i = 0; i < at; i++)
		column += (source[i] & 0xc0) != 0x80;
	return column;
}

static void set_error(const struct calc *calc, const struct calc_fault *fault, unsigned bytes,
	struct calc_result *ret)
{
	bool refused = fault->error == CALC_ERROR_SYNTAX || fault->error == CALC_ERROR_FORBIDDEN ||
		       fault->error == CALC_ERROR_LIMIT;
	ret->status = refused ? CALC_REFUSED : CALC_FAULT;
	ret->error = fault->error;
	ret->column = column_of(calc->source, fault->at);
	if (fault->error == CALC_ERROR_FORBIDDEN) {
		ret->node = node_names[fault->node];
		(void)stpcpy(stpcpy(ret->message, "forbidden node: "), ret->node);
	} else {
		memcpy(ret->message, fault->message, sizeof(ret->message));
	}
	hint_write(fault, calc->source, bytes, ret->hint);
}

static void set_exact(struct calc *calc, struct calc_result *ret)
{
	enum exact_outcome outcome = exact_decimal(&calc->program, &calc->stack, ret->exact);
	if (outcome == EXACT_LARGE)
		outcome = exact_small(&calc->program, &calc->stack, ret->exact);
	if (outcome == EXACT_LARGE)
		outcome = exact_large(&calc->program, calc->source, &calc->stack, ret->exact);
	if (outcome == EXACT_DONE)
		ret->exact_differs = !same_decimal(ret->repr, ret->exact);
	else
		ret->exact[0] = '\0';
}

static void evaluate(
	struct calc *calc, const char *source, size_t bytes, bool exact, struct calc_result *ret)
{
	struct calc_fault *fault = &calc->fault;
	fault->error = CALC_ERROR_NONE;
	fault->node = NODE_NONE;
	fault->slip = SLIP_OTHER;
	fault->at = fault->last = 0;
	fault->message[0] = '\0';
	ret->status = CALC_VALUE;
	ret->value = 0;
	ret->exact_differs = false;
	ret->repr[0] = ret->exact[0] = ret->message[0] = ret->hint[0] = '\0';
	ret->error = CALC_ERROR_NONE;
	ret->node = NULL;
	ret->column = 0;
	unsigned length = take_source(calc, source, bytes, fault);
	if (!fault->error)
		parse_source(&calc->parser, &calc->program, calc->source, length, fault);
	if (!fault->error)
		ret->value = eval_double(
			&calc->program, calc->source, calc->c_locale, &calc->stack, fault);
	if (fault->error) {
		ret->value = 0;
		set_error(calc, fault, length, ret);
		return;
	}
	(void)repr_double(ret->value, ret->repr);
	if (exact)
		set_exact(calc, ret);
}

void calc_eval(struct calc *calc, const char *source, size_t bytes, struct calc_result *ret)
{
	evaluate(calc, source, bytes, true, ret);
}

void calc_eval_double(struct calc *calc, const char *source, size_t bytes, struct calc_result *ret)
{
	evaluate(calc, source, bytes, false, ret);
}

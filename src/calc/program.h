/*
 * program: what the parser hands to the evaluators.
 *
 * An expression of allowed nodes alone becomes a list of steps in the order in which a stack
 * machine takes them (operands, then their operator), which is also CPython's order of evaluation.
 * No evaluator walks a tree, so none recurses.
 */
#ifndef BRIG_CALC_PROGRAM_H
#define BRIG_CALC_PROGRAM_H

#include "calc/calc.h"

#include <stdint.h>

enum calc_op {
	OP_LITERAL,
	OP_NEGATE,
	OP_ADD,
	OP_SUBTRACT,
	OP_MULTIPLY,
	OP_DIVIDE,
	OP_MODULO,
	OP_POWER
};

/* The value is digits * 10**exponent where the base is 10, else digits; more where `cut`. */
struct calc_literal {
	uint64_t digits;
	int32_t exponent;
	int32_t written; /* what stands behind the e; saturates at ±CALC_EXPONENT_MAX */
	uint16_t start, end;
	uint8_t base;
	bool integer;
	bool cut; /* `digits` did not hold all of them: the source has the rest */
};

#define CALC_EXPONENT_MAX 10000000

struct calc_step {
	uint8_t op;
	uint16_t at; /* byte offset of the operator's sign, or of the literal */
};

struct calc_program {
	unsigned steps, literals;
	/* Each step has a byte of source that is its own, so neither can run over. */
	struct calc_step step[CALC_SOURCE_MAX];
	struct calc_literal literal[CALC_SOURCE_MAX + 1];
};

/* The nodes of Python's ast that can be the outermost forbidden one. */
enum calc_node {
	NODE_NONE, /* all allowed */
	NODE_ATTRIBUTE,
	NODE_AWAIT,
	NODE_BIN_OP,
	NODE_BOOL_OP,
	NODE_CALL,
	NODE_COMPARE,
	NODE_CONSTANT,
	NODE_DICT,
	NODE_DICT_COMP,
	NODE_GENERATOR_EXP,
	NODE_IF_EXP,
	NODE_JOINED_STR,
	NODE_LAMBDA,
	NODE_LIST,
	NODE_LIST_COMP,
	NODE_NAME,
	NODE_NAMED_EXPR,
	NODE_SET,
	NODE_SET_COMP,
	NODE_SUBSCRIPT,
	NODE_TUPLE,
	NODE_UNARY_OP,
	NODE_YIELD,
	NODE_YIELD_FROM,
	NODE_COUNT,
};

/* What kind of slip a SyntaxError is: the hint goes by it. */
enum calc_slip {
	SLIP_OTHER,
	SLIP_TOKEN, /* a token that fits nowhere */
	SLIP_LINE,  /* a second line */
	SLIP_OPEN,  /* a bracket that is never closed */
	SLIP_CLOSE, /* a closing one without its partner */
	SLIP_CHARACTER,
	SLIP_LITERAL,
	SLIP_STRING, /* one without an end */
};

/* The first error found. `at` and `last` are byte offsets in the stripped source. */
struct calc_fault {
	enum calc_error error;
	enum calc_node node;
	enum calc_slip slip;
	unsigned at;
	unsigned last; /* where the token before the one in error ended */
	char message[CALC_MESSAGE_SIZE];
};

/* Keeps `fault` as it is when it already holds an error. */
void fault_set(struct calc_fault *fault, enum calc_error error, unsigned at, const char *format,
	...) __attribute__((format(printf, 4, 5)));

#endif

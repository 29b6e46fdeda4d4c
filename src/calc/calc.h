/*
 * calc: arithmetic to the last bit, and nothing else.
 *
 *	struct calc *calc = calc_new();
 *	struct calc_result result;
 *	calc_eval(calc, "0.1 + 0.2", 9, &result);
 *	result.value == 0.30000000000000004, result.exact is "0.3"
 *	calc_free(calc);
 *
 * The grammar is Python's expression syntax, of which int and float literals, + - * / % **,
 * unary minus and parentheses are evaluated. Everything else is refused by the name Python's `ast`
 * module gives it, before anything is evaluated. Values are IEEE doubles as CPython computes and
 * prints them; beside them stands the same expression over the rationals.
 *
 * Threads: a struct calc belongs to one thread at a time; different ones are independent.
 * The floating-point environment must be the default one (round to nearest).
 *
 * Source: The Python Language Reference 3.13, "Expressions"; the grammar in its appendix.
 */
#ifndef BRIG_CALC_CALC_H
#define BRIG_CALC_CALC_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CALC_SOURCE_MAX 4096 /* bytes of source, blanks included */
#define CALC_NESTING_MAX 200 /* brackets, prefixes, `**` and bodies inside one another */
#define CALC_EXACT_MAX 1100  /* characters of an exact value; a longer one is left out */
#define CALC_EXACT_BITS 4096 /* bits a numerator or denominator may reach, by the bound */
#define CALC_SHOWN 80	     /* of them, in the line for a model */
#define CALC_REPR_SIZE 32
#define CALC_MESSAGE_SIZE 160
#define CALC_HINT_SIZE 160
#define CALC_TEXT_SIZE (CALC_REPR_SIZE + CALC_EXACT_MAX + 16)
#define CALC_JSON_SIZE (6 * (CALC_MESSAGE_SIZE + CALC_HINT_SIZE) + 2 * CALC_TEXT_SIZE)
#define CALC_REPORT_SIZE 2048

enum calc_status {
	CALC_VALUE,   /* value, repr and perhaps exact are set */
	CALC_FAULT,   /* a well-formed expression that has no value: division by zero, overflow */
	CALC_REFUSED, /* syntax, a forbidden node, a cap: nothing was evaluated */
};

enum calc_error {
	CALC_ERROR_NONE,
	CALC_ERROR_SYNTAX,	  /* "SyntaxError": Python does not parse it either */
	CALC_ERROR_FORBIDDEN,	  /* "ForbiddenNode": Python parses it, calc does not evaluate it */
	CALC_ERROR_LIMIT,	  /* "LimitError": longer or deeper than the caps above */
	CALC_ERROR_ZERO_DIVISION, /* "ZeroDivisionError" */
	CALC_ERROR_OVERFLOW,	  /* "OverflowError" */
	CALC_ERROR_COMPLEX,	  /* "ValueError": a negative base with a fractional exponent */
};

struct calc_result {
	enum calc_status status;
	double value;		   /* CALC_VALUE; may be infinite or not a number */
	bool exact_differs;	   /* `repr`, read as a decimal, is another number than `exact` */
	char repr[CALC_REPR_SIZE]; /* CALC_VALUE: as Python's repr() prints `value` */
	char exact[CALC_EXACT_MAX + 1]; /* "" where there is none; else integer, decimal or a/b */
	enum calc_error error;
	const char *node; /* CALC_ERROR_FORBIDDEN: "Call", "Name" …; else NULL */
	unsigned column;  /* of the error: 1-based, in characters of the stripped source */
	char message[CALC_MESSAGE_SIZE];
	char hint[CALC_HINT_SIZE]; /* "" where there is none */
};

struct calc;

/*
 * Makes an evaluator: one allocation of about 400 KiB, nearly all of it untouched until an
 * expression needs it. NULL when memory is out.
 */
struct calc *calc_new(void);

/* NULL-safe. */
void calc_free(struct calc *calc);

/*
 * Evaluates `bytes` of UTF-8 at `source` (borrowed, need not end in NUL; blanks around it are
 * stripped) into `ret`. Always fills `ret`; linear in `bytes`; needs 256 KiB of stack at the
 * deepest nesting. Allocates only inside GMP, and only where the exact value outgrows 128 bits:
 * at most a few hundred KiB, all freed before the return.
 */
void calc_eval(struct calc *calc, const char *source, size_t bytes, struct calc_result *ret);

/*
 * Evaluates in doubles alone, as calc_eval does otherwise: `exact` stays "".
 */
void calc_eval_double(struct calc *calc, const char *source, size_t bytes, struct calc_result *ret);

/* The error's name as a caller sees it: "SyntaxError"; "" for CALC_ERROR_NONE. */
const char *calc_error_name(enum calc_error error);

/*
 * Writes the line made for a model into `text`, at least CALC_TEXT_SIZE bytes: the value, and the
 * exact one where it differs ("0.30000000000000004 (exactly 0.3)"); or "error: …" with the column
 * and the hint. A value that is infinite or not a number is `inf`, `-inf` or `nan` alone. An exact
 * value of more than CALC_SHOWN characters is shown with an exponent, or by its beginning.
 * Returns the length.
 */
size_t calc_text(const struct calc_result *result, char *text);

/*
 * Writes the JSON object of one result into `json`, at least CALC_JSON_SIZE bytes, without a
 * newline: {"value", "text", "exact"?} or {"error": {"type", "message", "column", "hint"?}}.
 * `value` is absent where the double is infinite or not a number. Returns the length.
 */
size_t calc_json(const struct calc_result *result, char *json);

/*
 * Writes an error as it is shown on a terminal into `out`, at least CALC_REPORT_SIZE bytes: the
 * message, the part of `source` around it with a caret below, and the hint. What a terminal would
 * obey or not show is replaced. Returns the length; 0 where `result` is no error.
 */
size_t calc_report(const struct calc_result *result, const char *source, size_t bytes, char *out);

#ifdef __cplusplus
}
#endif

#endif

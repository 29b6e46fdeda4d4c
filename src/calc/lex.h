/*
 * lex: Python's tokens, one at a time.
 *
 * The lexer always stands behind the token it last made, so that the parser can take over in the
 * middle of an f-string. After an error it makes nothing but TOK_ERROR, which no rule accepts:
 * the parser runs out by itself.
 */
#ifndef BRIG_CALC_LEX_H
#define BRIG_CALC_LEX_H

#include "calc/program.h"

enum token_type {
	TOK_END,
	TOK_ERROR,
	TOK_NUMBER,    /* int or float */
	TOK_IMAGINARY, /* 1j */
	TOK_CONSTANT,  /* True, False, None, ... */
	TOK_NAME,
	TOK_STRING,
	TOK_FSTRING, /* an f-string begins; lex_fstring and lex_fstring_text read it */
	TOK_LPAR,
	TOK_RPAR,
	TOK_LSQB,
	TOK_RSQB,
	TOK_LBRACE,
	TOK_RBRACE,
	TOK_COLON,
	TOK_SPEC, /* the colon before an f-string's format */
	TOK_COMMA,
	TOK_DOT,
	TOK_EQUAL,
	TOK_WALRUS,
	TOK_BANG,
	TOK_PLUS,
	TOK_MINUS,
	TOK_STAR,
	TOK_SLASH,
	TOK_PERCENT,
	TOK_POWER,
	TOK_FLOORDIV,
	TOK_AT,
	TOK_SHIFT,
	TOK_AMPER,
	TOK_BAR,
	TOK_CARET,
	TOK_TILDE,
	TOK_COMPARE, /* < > <= >= == != */
	TOK_AND,
	TOK_ASYNC,
	TOK_AWAIT,
	TOK_ELSE,
	TOK_FOR,
	TOK_FROM,
	TOK_IF,
	TOK_IN,
	TOK_IS,
	TOK_LAMBDA,
	TOK_NOT,
	TOK_OR,
	TOK_YIELD,
	TOK_OTHER, /* a token of Python that no expression holds */
	TOK_COUNT,
};

/* What a byte may begin. */
enum lex_class {
	CLASS_OTHER,	/* blanks, lines' ends, comments, the source's end, what begins no token */
	CLASS_OPEN,	/* a bracket */
	CLASS_CLOSE,	/* its partner */
	CLASS_OPERATOR, /* may be the first of several */
	CLASS_DIGIT,
	CLASS_NAME,
	CLASS_QUOTE,
};

extern const uint8_t lex_classes[256];

/* The token that a bracket, or an operator's character alone, is. */
extern const uint8_t lex_singles[128];

struct token {
	uint8_t type;
	bool bytes; /* TOK_STRING: has a b prefix */
	uint16_t start, end;
};

struct lexer {
	const unsigned char *source; /* ends in NUL, holds no other */
	unsigned bytes;
	unsigned pos;
	struct token token;
	unsigned last;		      /* end of the token before */
	struct calc_literal *literal; /* where the next number's digits go */
	struct calc_fault *fault;
	unsigned level;	      /* open brackets, and fields of f-strings */
	unsigned field_level; /* `level` inside the innermost field of an f-string, or 0 */
	unsigned char open[CALC_NESTING_MAX];
	uint16_t open_at[CALC_NESTING_MAX];
};

/* Where a piece of an f-string's text ended. */
enum fstring_stop { FSTRING_END, FSTRING_FIELD, FSTRING_SPEC_END, FSTRING_BROKEN };

struct fstring {
	unsigned start;
	unsigned char quote;
	unsigned quotes; /* 1 or 3 */
	bool raw;
};

void lex_init(struct lexer *lx, const char *source, unsigned bytes, struct calc_literal *literal,
	struct calc_fault *fault);

/* Makes the next token in lx->token. */
void lex_next(struct lexer *lx);

/* From here on the lexer makes nothing but TOK_ERROR; the fault is set. */
void lex_stop(struct lexer *lx);

/* Records an error at byte `at` and stops. */
void lex_fail(struct lexer *lx, enum calc_slip slip, unsigned at, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The token of a name of that many bytes: a keyword's or TOK_NAME. */
uint8_t lex_name_type(const unsigned char *name, unsigned bytes);

/* The longest operator at `at`: its token, its length. */
unsigned lex_operator(const unsigned char *at, uint8_t *ret_type);

/* At a digit, or a point and a digit: makes the number's token. */
void lex_number(struct lexer *lx);

/* The current token, which begins at lx->token.start, is a string whose quote stands at `quote`. */
void lex_string(struct lexer *lx, unsigned quote, bool is_bytes);

/* The current token is TOK_FSTRING: moves behind its opening quote. */
struct fstring lex_fstring(struct lexer *lx);

/*
 * Reads an f-string's text from lx->pos: to its closing quote (passed over), or to a field's brace
 * (passed over; the field is then open). `in_spec`: the text is a format, which also ends before
 * the closing brace of its field or a line's end.
 */
enum fstring_stop lex_fstring_text(struct lexer *lx, const struct fstring *fs, bool in_spec);

/* Opens and closes a bracket; both may fail. */
void lex_open(struct lexer *lx, unsigned char bracket, unsigned at);
void lex_close(struct lexer *lx, unsigned char bracket, unsigned at);

/* Whether `point`, at least 0x80, may start or go on with an identifier. */
bool xid_start(unsigned point);
bool xid_continue(unsigned point);

#endif

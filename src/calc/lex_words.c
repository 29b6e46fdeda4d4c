/* lex_words: what a byte begins, which token a word is, and which an operator's characters are. */
#include "calc/lex.h"

#include <string.h>

const uint8_t lex_classes[256] = {
	['('] = CLASS_OPEN,
	[')'] = CLASS_CLOSE,
	['['] = CLASS_OPEN,
	[']'] = CLASS_CLOSE,
	['{'] = CLASS_OPEN,
	['}'] = CLASS_CLOSE,
	['!'] = CLASS_OPERATOR,
	['%'] = CLASS_OPERATOR,
	['&'] = CLASS_OPERATOR,
	['*'] = CLASS_OPERATOR,
	['+'] = CLASS_OPERATOR,
	[','] = CLASS_OPERATOR,
	['-'] = CLASS_OPERATOR,
	['.'] = CLASS_OPERATOR,
	['/'] = CLASS_OPERATOR,
	[':'] = CLASS_OPERATOR,
	[';'] = CLASS_OPERATOR,
	['<'] = CLASS_OPERATOR,
	['='] = CLASS_OPERATOR,
	['>'] = CLASS_OPERATOR,
	['@'] = CLASS_OPERATOR,
	['^'] = CLASS_OPERATOR,
	['|'] = CLASS_OPERATOR,
	['~'] = CLASS_OPERATOR,
	['0' ... '9'] = CLASS_DIGIT,
	['A' ... 'Z'] = CLASS_NAME,
	['a' ... 'z'] = CLASS_NAME,
	['_'] = CLASS_NAME,
	[0x80 ... 0xff] = CLASS_NAME,
	['"'] = CLASS_QUOTE,
	['\''] = CLASS_QUOTE,
};

static const struct {
	char text[9];
	uint8_t type;
} keywords[] = {
	{"False", TOK_CONSTANT},
	{"None", TOK_CONSTANT},
	{"True", TOK_CONSTANT},
	{"and", TOK_AND},
	{"as", TOK_OTHER},
	{"assert", TOK_OTHER},
	{"async", TOK_ASYNC},
	{"await", TOK_AWAIT},
	{"break", TOK_OTHER},
	{"class", TOK_OTHER},
	{"continue", TOK_OTHER},
	{"def", TOK_OTHER},
	{"del", TOK_OTHER},
	{"elif", TOK_OTHER},
	{"else", TOK_ELSE},
	{"except", TOK_OTHER},
	{"finally", TOK_OTHER},
	{"for", TOK_FOR},
	{"from", TOK_FROM},
	{"global", TOK_OTHER},
	{"if", TOK_IF},
	{"import", TOK_OTHER},
	{"in", TOK_IN},
	{"is", TOK_IS},
	{"lambda", TOK_LAMBDA},
	{"nonlocal", TOK_OTHER},
	{"not", TOK_NOT},
	{"or", TOK_OR},
	{"pass", TOK_OTHER},
	{"raise", TOK_OTHER},
	{"return", TOK_OTHER},
	{"try", TOK_OTHER},
	{"while", TOK_OTHER},
	{"with", TOK_OTHER},
	{"yield", TOK_YIELD},
};

uint8_t lex_name_type(const unsigned char *name, unsigned bytes)
{
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
		if (strlen(keywords[i].text) == bytes && !memcmp(keywords[i].text, name, bytes))
			return keywords[i].type;
	}
	return TOK_NAME;
}

const uint8_t lex_singles[128] = {
	['('] = TOK_LPAR,
	[')'] = TOK_RPAR,
	['['] = TOK_LSQB,
	[']'] = TOK_RSQB,
	['{'] = TOK_LBRACE,
	['}'] = TOK_RBRACE,
	[','] = TOK_COMMA,
	['.'] = TOK_DOT,
	[':'] = TOK_COLON,
	[';'] = TOK_OTHER,
	['='] = TOK_EQUAL,
	['!'] = TOK_BANG,
	['+'] = TOK_PLUS,
	['-'] = TOK_MINUS,
	['*'] = TOK_STAR,
	['/'] = TOK_SLASH,
	['@'] = TOK_AT,
	['%'] = TOK_PERCENT,
	['&'] = TOK_AMPER,
	['|'] = TOK_BAR,
	['^'] = TOK_CARET,
	['~'] = TOK_TILDE,
	['<'] = TOK_COMPARE,
	['>'] = TOK_COMPARE,
};

/* `<>` and the assignments are tokens that no expression holds. */
unsigned lex_operator(const unsigned char *at, uint8_t *ret_type)
{
	unsigned char c = at[0], c2 = at[1];
	if (c2 == c && (c == '*' || c == '/' || c == '<' || c == '>')) {
		*ret_type = c == '*' ? TOK_POWER : c == '/' ? TOK_FLOORDIV : TOK_SHIFT;
		if (at[2] != '=')
			return 2;
		*ret_type = TOK_OTHER;
		return 3;
	}
	if (c2 == '=' && (c == '<' || c == '>' || c == '=' || c == '!')) {
		*ret_type = TOK_COMPARE;
		return 2;
	}
	if (c == ':' && c2 == '=') {
		*ret_type = TOK_WALRUS;
		return 2;
	}
	bool assigns = c2 == '=' && strchr("+-*/%@&|^", c);
	if (assigns || (c == '-' && c2 == '>') || (c == '<' && c2 == '>')) {
		*ret_type = TOK_OTHER;
		return 2;
	}
	if (c == '.' && c2 == '.' && at[2] == '.') {
		*ret_type = TOK_CONSTANT;
		return 3;
	}
	*ret_type = lex_singles[c];
	return 1;
}

/* lex_words: which token a word is, and which an operator's characters are. */
#include "calc/lex.h"

#include <string.h>

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

/* The longest first; `<>` and the assignments are tokens that no expression holds. */
unsigned lex_operator(const unsigned char *at, uint8_t *ret_type)
{
	static const uint8_t single[128] = {
		['('] = TOK_LPAR,
		[')'] = TOK_RPAR,
		['['] = TOK_LSQB,
		[']'] = TOK_RSQB,
		['{'] = TOK_LBRACE,
		['}'] = TOK_RBRACE,
		[':'] = TOK_COLON,
		[','] = TOK_COMMA,
		['.'] = TOK_DOT,
		['='] = TOK_EQUAL,
		['!'] = TOK_BANG,
		['+'] = TOK_PLUS,
		['-'] = TOK_MINUS,
		['*'] = TOK_STAR,
		['/'] = TOK_SLASH,
		['%'] = TOK_PERCENT,
		['@'] = TOK_AT,
		['&'] = TOK_AMPER,
		['|'] = TOK_BAR,
		['^'] = TOK_CARET,
		['~'] = TOK_TILDE,
		['<'] = TOK_COMPARE,
		['>'] = TOK_COMPARE,
		[';'] = TOK_OTHER,
	};
	unsigned char c = at[0], c2 = at[1];
	*ret_type = c < 128 ? single[c] : 0;
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
	bool assigns = c2 == '=' && c && strchr("+-*/%@&|^", c);
	if (assigns || (c == '-' && c2 == '>') || (c == '<' && c2 == '>')) {
		*ret_type = TOK_OTHER;
		return 2;
	}
	if (c == '.' && c2 == '.' && at[2] == '.') {
		*ret_type = TOK_CONSTANT;
		return 3;
	}
	return *ret_type ? 1 : 0;
}

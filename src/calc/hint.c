/*
 * hint: what people and models write where Python has another sign, or calculate has nothing.
 *
 * Only errors come here, so it may look at the source as it likes; it never changes the verdict.
 */
#include "calc/hint.h"

#include "calc/hint_words.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
}

static size_t name_length(const char *at)
{
	size_t length = 0;
	while (is_letter(at[length]) || is_digit(at[length]))
		length++;
	return length;
}

/* A number or a bracket, and then a bracket: 2(3), (1 + 2)(3 + 4). */
static bool is_value_called(const char *at)
{
	unsigned level = 0;
	do {
		level += *at == '(';
		level -= *at == ')' && level;
		at++;
	} while (*at && (level || is_digit(*at) || *at == '.' || *at == '_'));
	while (*at == ' ')
		at++;
	return *at == '(';
}

static const char *call_hint(const char *at)
{
	if (!is_letter(*at))
		return is_value_called(at) ? "for multiplication write *: 2*(3 + 4)"
					   : "calculate has no functions; " SANDBOX;
	size_t length = name_length(at);
	while (at[length] == '.') {
		at += length + 1;
		length = name_length(at);
	}
	const char *hint = hint_function(at, length);
	return hint ? hint : "calculate has no functions; " SANDBOX;
}

/* Copies the first number with groups of three (1,234,567) without its separators. */
static bool ungroup(const char *source, char separator, char *number, size_t size)
{
	for (const char *at = source; *at; at++) {
		size_t length = 0, groups = 0;
		if (!is_digit(*at) || (at > source && (is_digit(at[-1]) || at[-1] == '.')))
			continue;
		const char *next = at;
		for (; is_digit(*next) && length + 4 < size; next++)
			number[length++] = *next;
		bool head = length <= 3;
		while (head && *next == separator && is_digit(next[1]) && is_digit(next[2]) &&
			is_digit(next[3]) && !is_digit(next[4]) && length + 4 < size) {
			memcpy(number + length, next + 1, 3);
			length += 3;
			next += 4;
			groups++;
		}
		number[length] = '\0';
		if (groups)
			return true;
	}
	return false;
}

static void separators(const char *source, char separator, const char *otherwise, char *hint)
{
	char number[64];
	if (ungroup(source, separator, number, sizeof(number)))
		(void)snprintf(
			hint, CALC_HINT_SIZE, "write numbers without separators: %s", number);
	else
		(void)snprintf(hint, CALC_HINT_SIZE, "%s", otherwise);
}

static const char *operator_hint(const char *at)
{
	switch (*at) {
	case '^':
		return "for powers write **: 2**10 (in Python ^ is exclusive or)";
	case '/':
		return "there is no floor division; write / or " SANDBOX;
	case '<':
		return "for x << n write x * 2**n";
	case '>':
		return "for x >> n write x / 2**n";
	default:
		return "calculate has no bit or matrix operators; " SANDBOX;
	}
}

static const char *constant_hint(const char *at)
{
	if (*at == '"' || *at == '\'' || (is_letter(*at) && !strchr("TFN", *at)))
		return "numbers only: leave out the quotes";
	if (*at == 'T' || *at == 'F')
		return "numbers only: write 1 or 0";
	if (is_digit(*at) || (*at == '.' && is_digit(at[1])))
		return "no complex numbers; " SANDBOX;
	return "numbers only";
}

static const char *node_hint(enum calc_node node, const char *at)
{
	const char *hint;
	switch ((int)node) {
	case NODE_BIN_OP:
		return operator_hint(at);
	case NODE_CALL:
		return call_hint(at);
	case NODE_CONSTANT:
		return constant_hint(at);
	case NODE_NAME:
		hint = hint_name(at, name_length(at));
		return hint ? hint : "calculate has no names: write the number, or " SANDBOX;
	case NODE_UNARY_OP:
		return *at == '+' ? "leave out the plus sign before a number"
				  : "of signs before a number there is only minus; " SANDBOX;
	case NODE_LIST:
	case NODE_SET:
		return "for grouping write ( ); for lists and sets " SANDBOX;
	case NODE_COMPARE:
		/* what is 2+2 */
		return strstr(at, " is ") && is_letter(*at)
			       ? "write the arithmetic alone, without words: 2 + 2"
			       : NO_TRUTH;
	case NODE_BOOL_OP:
		return NO_TRUTH;
	default:
		return "calculate has numbers, + - * / % ** and ( ); for more " SANDBOX;
	}
}

#define PER_CENT "% is the remainder; for per cent divide by 100: 20/100"

/* A % stands before the error, or before the word `of` that does: 50%, 20% of 50. */
static bool after_per_cent(const char *source, unsigned last)
{
	if (last >= 3 && !strncmp(source + last - 2, "of", 2)) {
		for (last -= 2; last && source[last - 1] == ' '; last--)
			;
	}
	return last && source[last - 1] == '%';
}

/* Inside a literal, at what cannot be part of it. */
static const char *literal_hint(const char *source, const char *at)
{
	if (!is_letter(*at) || at == source || !is_digit(at[-1]))
		return NULL;
	if (*at == 'e' || *at == 'E') {
		bool sign = at[1] == '+' || at[1] == '-';
		if (is_digit(at[1 + sign]))
			return "a number has one exponent: 1e3; to multiply write *";
		if (!is_letter(at[1]))
			return "an exponent needs digits: 1e3";
	}
	size_t length = name_length(at);
	bool word = length > 1 && at[1] != '_' && !is_digit(at[1]) && !hint_name(at, length);
	if (*at == '_')
		return NULL;
	return word ? hint_word(at, length) : "for multiplication write *: 2*x";
}

/* A name or bracket right behind a value. */
static const char *adjacent_hint(const char *source, const char *at, unsigned last)
{
	static const char *const keywords[] = {"else", "for", "async", "not", "from", "as"};
	size_t length = name_length(at);
	if ((!is_letter(*at) && *at != '(') || !last)
		return NULL;
	for (size_t i = 0; i < COUNT(keywords); i++) {
		if (strlen(keywords[i]) == length && !memcmp(keywords[i], at, length))
			return NULL;
	}
	if (!is_digit(source[last - 1]) && source[last - 1] != ')')
		return NULL;
	if ((*at == 'x' || *at == 'X') && length == 1)
		return "for multiplication write *";
	if (*at != '(' && !hint_name(at, length))
		return hint_word(at, length);
	return "two values side by side: write an operator between them, * to multiply";
}

static const char *token_hint(const struct calc_fault *fault, const char *source, char *hint)
{
	const char *at = source + fault->at;
	bool after_digit = fault->last && is_digit(source[fault->last - 1]);
	if (after_per_cent(source, fault->last))
		return PER_CENT;
	if (after_digit && (is_digit(*at) || *at == '.' || *at == '\'')) {
		char separator = *at;
		if (is_digit(separator))
			separator = ' ';
		separators(source, separator,
			"two numbers side by side: write an operator between them", hint);
		return NULL;
	}
	const char *found = hint_symbol(at);
	return found ? found : adjacent_hint(source, at, fault->last);
}

/* Either the hint, or NULL and perhaps one written to `hint`. */
static const char *syntax_hint(const struct calc_fault *fault, const char *source, char *hint)
{
	const char *at = source + fault->at;
	const char *found = NULL;
	switch (fault->slip) {
	case SLIP_TOKEN:
		found = token_hint(fault, source, hint);
		break;
	case SLIP_LINE:
		found = "one expression at a time; brackets may go on over lines";
		break;
	case SLIP_OPEN:
		found = "add the bracket that closes it";
		break;
	case SLIP_CLOSE:
		found = "each bracket needs its partner";
		break;
	case SLIP_CHARACTER:
		found = hint_symbol(at);
		break;
	case SLIP_LITERAL:
		found = literal_hint(source, at);
		break;
	case SLIP_STRING:
		if (*at == '\'' && fault->at && is_digit(at[-1]))
			separators(source, '\'', "numbers only: leave out the quotes", hint);
		break;
	case SLIP_OTHER:
		break;
	}
	return found;
}

/* ** (1/3), at the operator. */
static bool is_odd_root(const char *at)
{
	at += strspn(at, "* (");
	if (strncmp(at, "1/", 2) != 0)
		return false;
	size_t digits = strspn(at + 2, "0123456789");
	return digits && (at[1 + digits] - '0') % 2 && at[2 + digits] == ')';
}

/* () */
static bool is_empty(const char *at)
{
	at += *at == '(';
	while (*at == ' ')
		at++;
	return *at == ')';
}

void hint_write(const struct calc_fault *fault, const char *source, unsigned bytes, char *hint)
{
	const char *found = NULL;
	hint[0] = '\0';
	switch (fault->error) {
	case CALC_ERROR_SYNTAX:
		found = bytes ? syntax_hint(fault, source, hint) : NULL;
		break;
	case CALC_ERROR_FORBIDDEN:
		if (fault->node == NODE_TUPLE && is_empty(source + fault->at))
			found = "write an expression between the brackets";
		else if (fault->node == NODE_TUPLE)
			separators(source, ',',
				"one value at a time; before decimals write a point", hint);
		else
			found = node_hint(fault->node, source + fault->at);
		break;
	case CALC_ERROR_LIMIT:
		found = "split the expression, or " SANDBOX;
		break;
	case CALC_ERROR_OVERFLOW:
		found = "a double ends near 1.8e308; for integers of any size " SANDBOX;
		break;
	case CALC_ERROR_COMPLEX:
		found = is_odd_root(source + fault->at)
				? "for an odd root of a negative number write -(8**(1/3))"
				: SANDBOX " with complex numbers";
		break;
	case CALC_ERROR_NONE:
	case CALC_ERROR_ZERO_DIVISION:
		break;
	}
	if (found)
		(void)snprintf(hint, CALC_HINT_SIZE, "%s", found);
}

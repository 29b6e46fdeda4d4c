/* hint_words: the tables. */
#include "calc/hint_words.h"

#include <stdint.h>
#include <string.h>

#define PLAIN_DIGITS "write the plain digits 0 to 9"
#define INVISIBLE "an invisible character stands here: take it out"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct word {
	const char *text, *hint;
};

/* The hint of the first entry whose text stands at `at`, or NULL. */
static const char *prefix_hint(const struct word *words, size_t count, const char *at)
{
	for (size_t i = 0; i < count; i++) {
		if (!strncmp(at, words[i].text, strlen(words[i].text)))
			return words[i].hint;
	}
	return NULL;
}

static const char *word_hint(const struct word *words, size_t count, const char *at, size_t bytes)
{
	for (size_t i = 0; i < count; i++) {
		if (strlen(words[i].text) == bytes && !memcmp(at, words[i].text, bytes))
			return words[i].hint;
	}
	return NULL;
}

static const struct word symbols[] = {
	{"×", "for multiplication write *"},
	{"·", "for multiplication write *"},
	{"⋅", "for multiplication write *"},
	{"∙", "for multiplication write *"},
	{"•", "for multiplication write *"},
	{"∗", "for multiplication write *"},
	{"✕", "for multiplication write *"},
	{"✖", "for multiplication write *"},
	{"＊", "for multiplication write *"},
	{"÷", "for division write /"},
	{"∕", "for division write /"},
	{"⁄", "for division write /"},
	{"／", "for division write /"},
	{"−", "for minus write the plain hyphen -"},
	{"–", "for minus write the plain hyphen -"},
	{"—", "for minus write the plain hyphen -"},
	{"‐", "for minus write the plain hyphen -"},
	{"‑", "for minus write the plain hyphen -"},
	{"－", "for minus write the plain hyphen -"},
	{"＋", "for plus write the plain +"},
	{"√", "for the square root of x write x**0.5"},
	{"∛", "for the cube root of x write x**(1/3)"},
	{"²", "for a square write x**2"},
	{"³", "for a cube write x**3"},
	{"½", "write 1/2"},
	{"¼", "write 1/4"},
	{"¾", "write 3/4"},
	{"∞", "there is no infinity to write; " SANDBOX},
	{"％", "per cent is division by 100: 20/100"},
	{"‰", "per mille is division by 1000"},
	{"€", "leave out the currency sign"},
	{"£", "leave out the currency sign"},
	{"¥", "leave out the currency sign"},
	{"₹", "leave out the currency sign"},
	{"$", "leave out the currency sign"},
	{"°", "leave out the unit"},
	{"（", "write the plain brackets ( )"},
	{"）", "write the plain brackets ( )"},
	{"，", "write numbers without separators, and a point before decimals"},
	{"’", "write numbers without separators"},
	{"“", "numbers only: leave out the quotes"},
	{"”", "numbers only: leave out the quotes"},
	{"\u00a0", "an invisible character stands here: write a plain blank"},
	{"\u2009", "an invisible character stands here: write a plain blank"},
	{"\u202f", "an invisible character stands here: write a plain blank"},
	{"\u200b", "an invisible character stands here: take it out"},
	{"\ufeff", "an invisible character stands here: take it out"},
	{"０", PLAIN_DIGITS},
	{"１", PLAIN_DIGITS},
	{"２", PLAIN_DIGITS},
	{"３", PLAIN_DIGITS},
	{"４", PLAIN_DIGITS},
	{"５", PLAIN_DIGITS},
	{"６", PLAIN_DIGITS},
	{"７", PLAIN_DIGITS},
	{"８", PLAIN_DIGITS},
	{"９", PLAIN_DIGITS},
	{"&", NO_TRUTH},
	{"|", NO_TRUTH},
	{"?", "leave out the question mark"},
	{"!", "factorials are no part of calculate; " SANDBOX},
	{"=", "write the side to be computed alone, without ="},
};

static const struct word names[] = {
	{"pi", "write the number: 3.141592653589793"},
	{"π", "write the number: 3.141592653589793"},
	{"Pi", "write the number: 3.141592653589793"},
	{"PI", "write the number: 3.141592653589793"},
	{"tau", "write the number: 6.283185307179586"},
	{"τ", "write the number: 6.283185307179586"},
	{"e", "write the number: 2.718281828459045"},
};

static const struct word functions[] = {
	{"sqrt", "for the square root of x write x**0.5"},
	{"cbrt", "for the cube root of x write x**(1/3)"},
	{"pow", "for a power write x**y"},
	{"factorial", "calculate has no functions; " SANDBOX " with math.factorial"},
	{"percent", "per cent is division by 100: 20/100"},
};

static const struct word operators[] = {
	{"plus", "words are not operators: for plus write +"},
	{"minus", "words are not operators: for minus write -"},
	{"times", "words are not operators: for times write *"},
	{"multiplied", "words are not operators: for multiplication write *"},
	{"divided", "words are not operators: for division write /"},
	{"over", "words are not operators: for division write /"},
	{"mod", "words are not operators: for the remainder write %"},
	{"modulo", "words are not operators: for the remainder write %"},
	{"percent", "per cent is division by 100: 20/100"},
	{"squared", "for a square write x**2"},
	{"cubed", "for a cube write x**3"},
	{"hundred", "words are not numbers: for a hundred write 100"},
	{"thousand", "words are not numbers: for a thousand write 1000"},
	{"million", "words are not numbers: for a million write 1000000"},
	{"billion", "words are not numbers: for a billion write 1000000000"},
};

/* Where the ten digits of other scripts begin (Unicode 16, category Nd). */
static const uint32_t digits[] = {0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6,
	0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946,
	0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0,
	0xaa50, 0xabf0, 0xff10};

/* Controls of direction and joining, which reorder or hide what is shown. */
static const struct {
	uint32_t first, last;
} invisible[] = {{0xad, 0xad}, {0x61c, 0x61c}, {0x200b, 0x200f}, {0x202a, 0x202e}, {0x2060, 0x206f},
	{0xfeff, 0xfeff}};

static uint32_t first_character(const char *at)
{
	const unsigned char *bytes = (const unsigned char *)at;
	if (bytes[0] >= 0xc2 && bytes[0] < 0xe0 && bytes[1])
		return (bytes[0] & 0x1fu) << 6 | (bytes[1] & 0x3fu);
	if (bytes[0] >= 0xe0 && bytes[0] < 0xf0 && bytes[1] && bytes[2])
		return (bytes[0] & 0xfu) << 12 | (bytes[1] & 0x3fu) << 6 | (bytes[2] & 0x3fu);
	return bytes[0];
}

const char *hint_symbol(const char *at)
{
	const char *hint = prefix_hint(symbols, COUNT(symbols), at);
	uint32_t character = first_character(at);
	for (size_t i = 0; !hint && i < COUNT(digits); i++)
		if (character >= digits[i] && character < digits[i] + 10)
			hint = PLAIN_DIGITS;
	for (size_t i = 0; !hint && i < COUNT(invisible); i++)
		if (character >= invisible[i].first && character <= invisible[i].last)
			hint = INVISIBLE;
	return hint;
}

const char *hint_word(const char *at, size_t bytes)
{
	const char *hint = word_hint(operators, COUNT(operators), at, bytes);
	return hint ? hint : "units and words are not numbers: write digits and + - * / % ** alone";
}

const char *hint_name(const char *at, size_t bytes)
{
	return word_hint(names, COUNT(names), at, bytes);
}

const char *hint_function(const char *at, size_t bytes)
{
	return word_hint(functions, COUNT(functions), at, bytes);
}

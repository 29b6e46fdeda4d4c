/* text: a result as a line, and as JSON. */
#include "calc/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *calc_error_name(enum calc_error error)
{
	static const char *const names[] = {
		[CALC_ERROR_NONE] = "",
		[CALC_ERROR_SYNTAX] = "SyntaxError",
		[CALC_ERROR_FORBIDDEN] = "ForbiddenNode",
		[CALC_ERROR_LIMIT] = "LimitError",
		[CALC_ERROR_ZERO_DIVISION] = "ZeroDivisionError",
		[CALC_ERROR_OVERFLOW] = "OverflowError",
		[CALC_ERROR_COMPLEX] = "ValueError",
	};
	return names[error];
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Whether two decimals have the same digits from the first to the last that is not 0. */
static bool same_digits(const char *left, const char *right)
{
	left += strspn(left, "-0.");
	right += strspn(right, "-0.");
	for (; is_digit(*left) && *left == *right; left++, right++) {
		left += left[1] == '.';
		right += right[1] == '.';
	}
	if (is_digit(*left) && is_digit(*right))
		return false;
	return !is_digit(left[strspn(left, "0.")]) && !is_digit(right[strspn(right, "0.")]);
}

/* The power of ten of the first digit that is not 0. */
static long exponent_of(const char *text)
{
	const char *first = text + strspn(text, "-0."), *point = text + strcspn(text, ".e");
	const char *written = strchr(text, 'e');
	long exponent = first < point ? point - first - 1 : point - first;
	return exponent + (written ? strtol(written + 1, NULL, 10) : 0);
}

bool same_decimal(const char *repr, const char *exact)
{
	/* Nearly always one is the other, or the other without its ".0". */
	size_t length = strlen(exact);
	if (!strncmp(repr, exact, length) && (!repr[length] || !strcmp(repr + length, ".0")))
		return true;
	/* Neither has zeros to spare, so without an exponent they differ as texts do. */
	if (!strchr(repr, 'e'))
		return !strcmp(repr, "-0.0") && !strcmp(exact, "0");
	return !strchr(exact, '/') && same_digits(repr, exact) &&
	       (*repr == '-') == (*exact == '-') && exponent_of(repr) == exponent_of(exact);
}

static size_t error_text(const struct calc_result *result, char *text)
{
	bool forbidden = result->error == CALC_ERROR_FORBIDDEN;
	int length = snprintf(text, CALC_TEXT_SIZE, "error: %s%s%s (column %u)%s%s",
		forbidden ? "" : calc_error_name(result->error), forbidden ? "" : ": ",
		result->message, result->column, result->hint[0] ? "; " : "", result->hint);
	return (size_t)length;
}

#define DIGITS_SHOWN 40

/* 1.25e-400 where the digits are few, else the first ones; how many there are in all. */
static char *long_decimal(char *at, const char *exact)
{
	const char *first = exact + strspn(exact, "-0."), *last = first, *digit;
	unsigned count = 0, used = 0;
	for (digit = first; *digit; digit++) {
		count += is_digit(*digit);
		if (is_digit(*digit) && *digit != '0') {
			last = digit;
			used = count;
		}
	}
	at = stpcpy(at, *exact == '-' ? "-" : "");
	for (unsigned shown = 0; shown < DIGITS_SHOWN && first <= last; first++) {
		if (!is_digit(*first))
			continue;
		if (shown++ == 1)
			*at++ = '.';
		*at++ = *first;
	}
	at = stpcpy(at, used > DIGITS_SHOWN ? "…" : "");
	at += sprintf(at, "e%+ld", exponent_of(exact));
	return used > DIGITS_SHOWN ? at + sprintf(at, ", %u digits", used) : at;
}

static char *exact_text(char *at, const char *exact)
{
	const char *slash = strchr(exact, '/');
	size_t length = strlen(exact);
	if (length <= CALC_SHOWN)
		return stpcpy(at, exact);
	long exponent = exponent_of(exact);
	if (!slash && exponent >= -4 && exponent < DIGITS_SHOWN / 2)
		return at + sprintf(at, "%.*s…, %zu digits", DIGITS_SHOWN, exact,
				    strspn(exact + strcspn(exact, ".") + 1, "0123456789") +
					    strspn(exact + (*exact == '-'), "0123456789"));
	if (!slash)
		return long_decimal(at, exact);
	return at + sprintf(at, "a fraction of %zu and %zu digits",
			    (size_t)(slash - exact) - (*exact == '-'), strlen(slash + 1));
}

size_t calc_text(const struct calc_result *result, char *text)
{
	if (result->status != CALC_VALUE)
		return error_text(result, text);
	char *at = stpcpy(text, result->repr);
	if (result->exact[0] && result->exact_differs && isfinite(result->value))
		at = stpcpy(exact_text(stpcpy(at, " (exactly "), result->exact), ")");
	return (size_t)(at - text);
}

static char *json_string(char *at, const char *text)
{
	static const char hex[] = "0123456789abcdef";
	*at++ = '"';
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		if (c == '"' || c == '\\') {
			*at++ = '\\';
			*at++ = (char)c;
		} else if (c < 0x20 || c == 0x7f) {
			at = stpcpy(at, "\\u00");
			*at++ = hex[c >> 4];
			*at++ = hex[c & 15];
		} else {
			*at++ = (char)c;
		}
	}
	*at++ = '"';
	*at = '\0';
	return at;
}

static size_t error_json(const struct calc_result *result, char *json)
{
	char *at = stpcpy(json, "{\"error\": {\"type\": ");
	at = json_string(at, calc_error_name(result->error));
	at = json_string(stpcpy(at, ", \"message\": "), result->message);
	at = stpcpy(at, ", \"column\": ");
	at += write_digits(result->column, at);
	if (result->hint[0])
		at = json_string(stpcpy(at, ", \"hint\": "), result->hint);
	else
		*at = '\0';
	return (size_t)(stpcpy(at, "}}") - json);
}

size_t calc_json(const struct calc_result *result, char *json)
{
	if (result->status != CALC_VALUE)
		return error_json(result, json);
	char text[CALC_TEXT_SIZE];
	(void)calc_text(result, text);
	char *at = stpcpy(json, "{");
	if (isfinite(result->value))
		at = stpcpy(stpcpy(stpcpy(at, "\"value\": "), result->repr), ", ");
	at = json_string(stpcpy(at, "\"text\": "), text);
	if (result->exact[0])
		at = json_string(stpcpy(at, ", \"exact\": "), result->exact);
	return (size_t)(stpcpy(at, "}") - json);
}

/* text: a result as a line, and as JSON. */
#include "calc/value.h"

#include <math.h>
#include <stdio.h>
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

#define COMPARED 24 /* more digits than a double's repr has */

/* 0.digits * 10**exponent, the first digit and the last not 0; no digits for zero. */
struct plain {
	bool negative, more; /* more: some digit beyond those kept is not 0 */
	size_t count;
	long exponent;
	char digits[COMPARED];
};

static void plain_digit(struct plain *plain, char digit, bool fraction)
{
	if (!plain->count && digit == '0') {
		plain->exponent -= fraction;
		return;
	}
	plain->exponent += !fraction;
	if (plain->count < COMPARED)
		plain->digits[plain->count++] = digit;
	else
		plain->more = plain->more || digit != '0';
}

static struct plain plain_of(const char *text)
{
	struct plain plain = {.negative = *text == '-'};
	bool fraction = false;
	for (text += plain.negative; *text && *text != 'e'; text++) {
		if (*text == '.')
			fraction = true;
		else
			plain_digit(&plain, *text, fraction);
	}
	if (*text == 'e') {
		bool negative = *++text == '-';
		long written = 0;
		for (text++; *text; text++)
			written = written * 10 + (*text - '0');
		plain.exponent += negative ? -written : written;
	}
	while (plain.count && plain.digits[plain.count - 1] == '0')
		plain.count--;
	return plain;
}

/* Whether the first digits that count already tell one from the other. */
static bool digits_part(const char *left, const char *right)
{
	left += strspn(left, "-0.");
	right += strspn(right, "-0.");
	for (;; left++, right++) {
		left += *left == '.';
		right += *right == '.';
		if (*left != *right)
			return *left >= '0' && *left <= '9' && *right >= '0' && *right <= '9';
		if (!*left)
			return false;
	}
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
	if (strchr(exact, '/') || digits_part(repr, exact))
		return false;
	struct plain a = plain_of(repr), b = plain_of(exact);
	return !a.more && !b.more && a.negative == b.negative && a.exponent == b.exponent &&
	       a.count == b.count && !memcmp(a.digits, b.digits, a.count);
}

static size_t error_text(const struct calc_result *result, char *text)
{
	bool forbidden = result->error == CALC_ERROR_FORBIDDEN;
	int length = snprintf(text, CALC_TEXT_SIZE, "error: %s%s%s (column %u)%s%s",
		forbidden ? "" : calc_error_name(result->error), forbidden ? "" : ": ",
		result->message, result->column, result->hint[0] ? "; " : "", result->hint);
	return (size_t)length;
}

size_t calc_text(const struct calc_result *result, char *text)
{
	if (result->status != CALC_VALUE)
		return error_text(result, text);
	char *at = stpcpy(text, result->repr);
	if (result->exact[0] && result->exact_differs && isfinite(result->value))
		at = stpcpy(stpcpy(stpcpy(at, " (exactly "), result->exact), ")");
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

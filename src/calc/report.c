/* report: an error as it is shown to a person, with the place marked. */
#include "calc/calc.h"

#include "base/utf8.h"
#include "calc/source.h"

#include <stdio.h>
#include <string.h>

#define WINDOW 76	 /* characters of the line that are shown */
#define WINDOW_BEFORE 48 /* of them before the caret, at most */

/* Two columns wide on a terminal: the caret's line then pads with the wide blank. */
static bool is_wide(unsigned point)
{
	return (point >= 0x1100 && point <= 0x115f) || (point >= 0x2e80 && point <= 0xa4cf) ||
	       (point >= 0xac00 && point <= 0xd7a3) || (point >= 0xf900 && point <= 0xfaff) ||
	       (point >= 0xfe30 && point <= 0xfe6f) || (point >= 0xff01 && point <= 0xff60) ||
	       (point >= 0xffe0 && point <= 0xffe6) || (point >= 0x1f300 && point <= 0x1faff) ||
	       (point >= 0x20000 && point <= 0x3fffd);
}

struct line {
	const unsigned char *start, *end, *caret;
};

static bool is_line_end(unsigned char c)
{
	return c == '\n' || c == '\r';
}

/* Behind the character at `at`; a byte that is part of none counts as one. */
static const unsigned char *next(const unsigned char *at, const unsigned char *end)
{
	size_t length = utf8_length(at, (size_t)(end - at));
	return at + (length ? length : 1);
}

/* The line of the stripped source on which the character of that column stands. */
static struct line line_of(const char *source, size_t bytes, unsigned column)
{
	source_strip(&source, &bytes);
	const unsigned char *first = (const unsigned char *)source;
	const unsigned char *end = first + bytes, *at = first;
	for (unsigned i = 1; i < column && at < end; i++)
		at = next(at, end);
	struct line line = {.start = at, .end = at, .caret = at};
	while (line.start > first && !is_line_end(line.start[-1]))
		line.start--;
	while (line.end < end && !is_line_end(*line.end))
		line.end++;
	return line;
}

/* Cuts a long line to a window around the caret; whether something went at either end. */
static void cut(struct line *line, bool *ret_before, bool *ret_after)
{
	unsigned before = 0, shown = 0;
	for (const unsigned char *at = line->start; at < line->caret; at = next(at, line->end))
		before++;
	*ret_before = before > WINDOW_BEFORE;
	for (; before > WINDOW_BEFORE; before--)
		line->start = next(line->start, line->end);
	const unsigned char *end = line->start;
	for (; end < line->end && shown < WINDOW; shown++)
		end = next(end, line->end);
	*ret_after = end < line->end;
	line->end = end;
}

static char *write_line(struct line line, char *out)
{
	bool before, after;
	cut(&line, &before, &after);
	char *at = stpcpy(out, before ? "  …" : "  ");
	char marks[4 * WINDOW + 16];
	char *mark = stpcpy(marks, before ? "   " : "  ");
	for (const unsigned char *c = line.start; c < line.end;) {
		size_t length = utf8_length(c, (size_t)(line.end - c));
		unsigned point = length ? utf8_decode(c, length) : 0;
		bool shown = is_shown(point);
		if (c < line.caret)
			mark = stpcpy(mark, shown && is_wide(point) ? "\u3000" : " ");
		if (shown) {
			memcpy(at, c, length);
			at += length;
		} else {
			*at++ = point == '\t' ? ' ' : '?';
		}
		c += length ? length : 1;
	}
	at = stpcpy(at, after ? "…\n" : "\n");
	return stpcpy(stpcpy(stpcpy(at, marks), "^"), "\n");
}

size_t calc_report(const struct calc_result *result, const char *source, size_t bytes, char *out)
{
	if (result->status == CALC_VALUE)
		return 0;
	char *at = stpcpy(out, "error: ");
	if (result->error != CALC_ERROR_FORBIDDEN)
		at = stpcpy(stpcpy(at, calc_error_name(result->error)), ": ");
	at = stpcpy(stpcpy(at, result->message), "\n");
	if (bytes <= CALC_SOURCE_MAX)
		at = write_line(line_of(source, bytes, result->column), at);
	if (result->hint[0])
		at = stpcpy(stpcpy(stpcpy(at, "hint: "), result->hint), "\n");
	return (size_t)(at - out);
}

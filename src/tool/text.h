/*
 * text: how bytes from strangers and figures become text that a model or a terminal can be shown.
 */
#ifndef BRIG_TOOL_TEXT_H
#define BRIG_TOOL_TEXT_H

#include "base/buf.h"
#include "base/span.h"

#include <stdint.h>

/* Room for any text_bytes, text_count or text_ms. */
#define TEXT_FIGURE_BYTES 40u

/* "512 MiB", "1.5 KiB", "17 bytes". Returns `out`. */
const char *text_bytes(uint64_t bytes, char out[TEXT_FIGURE_BYTES]);

/* "1,234,567". Returns `out`. */
const char *text_count(uint64_t count, char out[TEXT_FIGURE_BYTES]);

/* "30 s", "1.5 s", "250 ms". Returns `out`. */
const char *text_ms(uint64_t ms, char out[TEXT_FIGURE_BYTES]);

#define TEXT_TIME_BYTES 32u

/* "2026-11-30T10:22:11.250Z" for milliseconds since 1970. Returns `out`. */
const char *text_time(int64_t ms, char out[TEXT_TIME_BYTES]);

/*
 * Appends `data` as one line: control characters, line breaks and broken UTF-8 become \xHH (or \n,
 * \t, \r), at most `max_bytes` of the result, "…" where it was cut. 0 or what buf_add says.
 */
int text_add_line(struct buf *out, struct span data, size_t max_bytes) MUST_CHECK;

/*
 * The same for a terminal: marks that turn a line around, and the line breaks of Unicode, become
 * \uHHHH too, so that a stranger's name or message cannot pass for another.
 * *Source:* UAX #9, 2; CVE-2021-42574.
 */
int text_add_terminal_line(struct buf *out, struct span data, size_t max_bytes) MUST_CHECK;

/*
 * Appends at most `max_bytes` of UTF-8 text, and where it is longer its head and tail (3:1) around
 * a line that says how much is left out and, with `where` (may be NULL), where all of it is.
 */
int text_add_cut(struct buf *out, struct span text, size_t max_bytes, const char *where) MUST_CHECK;

/* How many bytes at the end are the start of a character that is not complete. */
size_t text_unfinished(struct span text);

/*
 * What may be sent to a terminal: as text_add_terminal_line, but line breaks and tabs stay, and
 * bytes that are no UTF-8. `*pending` (0 at the start) stands for bytes that the next chunk decides
 * on.
 */
int text_add_terminal(struct buf *out, struct span data, unsigned char *pending) MUST_CHECK;

#endif

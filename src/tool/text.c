/* text: cutting, escaping and counting for readers. */
#include "tool/text.h"

#include "base/utf8.h"
#include "wire/limits.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

/* Room for the line that stands where a cut was made. */
#define MARKER_BYTES 160u

const char *text_bytes(uint64_t bytes, char out[TEXT_FIGURE_BYTES])
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	unsigned unit = 0;
	uint64_t tenths = bytes > UINT64_MAX / 10 ? UINT64_MAX : bytes * 10;

	while (unit + 1 < sizeof(units) / sizeof(units[0]) && tenths >= 10240) {
		/* The last place is rounded down, so that "its limit" is never shown as passed. */
		tenths /= 1024;
		unit++;
	}
	if (tenths % 10 && unit)
		(void)snprintf(out, TEXT_FIGURE_BYTES, "%" PRIu64 ".%" PRIu64 " %s", tenths / 10,
			tenths % 10, units[unit]);
	else
		(void)snprintf(out, TEXT_FIGURE_BYTES, "%" PRIu64 " %s", tenths / 10,
			bytes == 1 ? "byte" : units[unit]);
	return out;
}

const char *text_count(uint64_t count, char out[TEXT_FIGURE_BYTES])
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, count);
	size_t at = 0;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[i];
	}
	out[at] = 0;
	return out;
}

const char *text_ms(uint64_t ms, char out[TEXT_FIGURE_BYTES])
{
	if (ms < 1000)
		(void)snprintf(out, TEXT_FIGURE_BYTES, "%" PRIu64 " ms", ms);
	else if (ms % 1000 / 100)
		(void)snprintf(out, TEXT_FIGURE_BYTES, "%" PRIu64 ".%" PRIu64 " s", ms / 1000,
			ms % 1000 / 100);
	else
		(void)snprintf(out, TEXT_FIGURE_BYTES, "%" PRIu64 " s", ms / 1000);
	return out;
}

/* Whether it turns or breaks the line that it stands in, for the eye alone: Bidi_Control of
 * Unicode, and its line and paragraph separators. */
static bool is_turning(unsigned code)
{
	return code == 0x61c || code == 0x200e || code == 0x200f ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/* How a character of several bytes that a terminal must not get is written there. */
static bool hidden_form(const unsigned char *at, size_t length, bool turning, char escaped[8])
{
	bool c1 = length == 2 && at[0] == 0xc2 && at[1] < 0xa0;
	if (c1)
		(void)snprintf(escaped, 8, "\\x%02x", at[1]);
	else if (turning && length > 1 && is_turning(utf8_decode(at, length)))
		(void)snprintf(escaped, 8, "\\u%04x", utf8_decode(at, length) & 0xffff);
	else
		return false;
	return true;
}

/* How one character is shown on a line: itself, or an escape in `escaped`. */
static struct span line_form(const unsigned char *at, size_t length, bool turning, char escaped[8])
{
	if (length == 1 && (*at == '\n' || *at == '\t' || *at == '\r'))
		(void)snprintf(escaped, 8, "\\%c", *at == '\n' ? 'n' : *at == '\t' ? 't' : 'r');
	else if (length == 0 || (length == 1 && (*at < 0x20 || *at == 0x7f)))
		(void)snprintf(escaped, 8, "\\x%02x", *at);
	else if (!hidden_form(at, length, turning, escaped))
		return span_of(at, length);
	return span_text(escaped);
}

const char *text_time(int64_t ms, char out[TEXT_TIME_BYTES])
{
	struct tm parts;
	time_t seconds = (time_t)(ms / 1000);
	out[0] = 0;
	if (gmtime_r(&seconds, &parts)) {
		size_t used = strftime(out, TEXT_TIME_BYTES, "%Y-%m-%dT%H:%M:%S", &parts);
		(void)snprintf(out + used, TEXT_TIME_BYTES - used, ".%03uZ", (unsigned)(ms % 1000));
	}
	return out;
}

static int add_line(struct buf *out, struct span data, size_t max_bytes, bool turning)
{
	static const char dots[] = "…";
	size_t start = out->len, safe = out->len;

	for (size_t i = 0; i < data.len;) {
		size_t length = utf8_length(data.data + i, data.len - i);
		char escaped[8];
		struct span form = line_form(data.data + i, length, turning, escaped);
		i += length ? length : 1;
		if (out->len - start + form.len > max_bytes) {
			out->len = safe;
			return buf_add_text(out, dots);
		}
		int rc = buf_add(out, form.data, form.len);
		if (rc < 0)
			return rc;
		/* Where to cut back to, so that the dots still fit. */
		if (out->len - start + sizeof(dots) - 1 <= max_bytes)
			safe = out->len;
	}
	return 0;
}

int text_add_line(struct buf *out, struct span data, size_t max_bytes)
{
	return add_line(out, data, max_bytes, false);
}

int text_add_terminal_line(struct buf *out, struct span data, size_t max_bytes)
{
	return add_line(out, data, max_bytes, true);
}

int text_add_cut(struct buf *out, struct span text, size_t max_bytes, const char *where)
{
	if (text.len <= max_bytes)
		return buf_add(out, text.data, text.len);
	size_t room = max_bytes > MARKER_BYTES ? max_bytes - MARKER_BYTES : 0;
	size_t head = utf8_cut_head(text.data, room - room / 4);
	size_t from = text.len - room / 4;
	from += utf8_cut_tail(text.data + from, text.len - from);

	char count[TEXT_FIGURE_BYTES];
	int rc = buf_add(out, text.data, head);
	if (!rc)
		rc = buf_printf(out, "\n… [%s bytes left out%s%s] …\n",
			text_count(from - head, count), where ? "; all of it is in " : "",
			where ? where : "");
	return rc ? rc : buf_add(out, text.data + from, text.len - from);
}

static bool harmless(unsigned char byte)
{
	return byte == '\n' || byte == '\t' || byte == '\r' || (byte >= 0x20 && byte != 0x7f);
}

/* The bytes that wait for the next one, of which `pending` is the last. */
static size_t waiting(unsigned char pending, unsigned char bytes[3])
{
	size_t count = 0;
	if (pending == 0x80 || pending == 0x81)
		bytes[count++] = 0xe2;
	if (pending)
		bytes[count++] = pending;
	return count;
}

/* Whether `byte`, behind those that wait, may be within a character that a terminal must not get.
 */
static bool waits(unsigned char pending, unsigned char byte)
{
	if (pending == 0xe2)
		return byte == 0x80 || byte == 0x81;
	return !pending && (byte == 0xc2 || byte == 0xd8 || byte == 0xe2);
}

/* Ends the wait: what waited is written as it is, or with `byte` as an escape, which `used` it. */
static int settle(struct buf *out, unsigned char *pending, unsigned char byte, bool *used)
{
	unsigned char bytes[3];
	char escaped[8];
	size_t count = waiting(*pending, bytes);
	*pending = 0;
	bytes[count] = byte;
	*used = utf8_length(bytes, count + 1) == count + 1 &&
		hidden_form(bytes, count + 1, true, escaped);
	return *used ? buf_add_text(out, escaped) : buf_add(out, bytes, count);
}

int text_add_terminal(struct buf *out, struct span data, unsigned char *pending)
{
	size_t start = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < data.len; i++) {
		unsigned char byte = data.data[i];
		bool used = false, more = waits(*pending, byte);
		if (*pending && !more) {
			rc = settle(out, pending, byte, &used);
			start = used ? i + 1 : i;
			more = !used && waits(0, byte);
		}
		if (rc || used || (harmless(byte) && !more))
			continue;
		rc = buf_add(out, data.data + start, i - start);
		start = i + 1;
		if (more)
			*pending = byte;
		else if (!rc)
			rc = buf_printf(out, "\\x%02x", byte);
	}
	return rc ? rc : buf_add(out, data.data + start, data.len - start);
}

size_t text_unfinished(struct span text)
{
	for (size_t back = 1; back <= 3 && back <= text.len; back++) {
		unsigned char c = text.data[text.len - back];
		size_t needs = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 0;
		if ((c & 0xc0) == 0x80)
			continue;
		return needs > back ? back : 0;
	}
	return 0;
}

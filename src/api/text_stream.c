/* text_stream: what may be shown now, and what has to wait for its other half. */
#include "api/text_stream.h"

#include "base/utf8.h"

/* How many bytes at the end are the start of a character that is not complete. */
static size_t unfinished(const unsigned char *data, size_t bytes)
{
	for (size_t back = 1; back <= 3 && back <= bytes; back++) {
		unsigned char c = data[bytes - back];
		size_t needs = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 0;
		if ((c & 0xc0) == 0x80)
			continue;
		return needs > back ? back : 0;
	}
	return 0;
}

static json_t *escaped(struct span bytes)
{
	cleanup_buf struct buf text = {0};
	buf_init(&text, 4 * bytes.len + 16);
	if (!bytes.len || utf8_escape(&text, bytes.data, bytes.len) < 0)
		return NULL;
	return json_from_text(span_of(text.data, text.len));
}

json_t *text_stream_take(struct text_stream *stream, bool is_stderr, struct span piece)
{
	cleanup_buf struct buf whole = {0};
	unsigned char *held = stream->held[is_stderr];
	size_t *held_bytes = &stream->held_bytes[is_stderr];
	buf_init(&whole, piece.len + sizeof(stream->held[0]));
	if (buf_add(&whole, held, *held_bytes) < 0 || buf_add(&whole, piece.data, piece.len) < 0)
		return NULL;
	*held_bytes = unfinished(whole.data, whole.len);
	whole.len -= *held_bytes;
	memcpy(held, whole.data + whole.len, *held_bytes);
	return escaped(span_of(whole.data, whole.len));
}

json_t *text_stream_rest(struct text_stream *stream, bool is_stderr)
{
	size_t bytes = stream->held_bytes[is_stderr];
	stream->held_bytes[is_stderr] = 0;
	return escaped(span_of(stream->held[is_stderr], bytes));
}

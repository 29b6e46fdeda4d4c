/* text_stream: what may be shown now, and what has to wait for its other half. */
#include "api/text_stream.h"

#include "base/utf8.h"
#include "tool/text.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

static json_t *escaped(struct span bytes)
{
	cleanup_buf struct buf text = {0};
	buf_init(&text, 4 * bytes.len + 16);
	if (!bytes.len || utf8_escape(&text, bytes.data, bytes.len) < 0)
		return NULL;
	return json_from_text(span_of(text.data, text.len));
}

static json_t *base64_of(struct span bytes)
{
	size_t room = sodium_base64_encoded_len(bytes.len, sodium_base64_VARIANT_ORIGINAL);
	char *text = malloc(room);
	json_t *value = NULL;
	if (text)
		value = json_string(sodium_bin2base64(
			text, room, bytes.data, bytes.len, sodium_base64_VARIANT_ORIGINAL));
	free(text);
	return value;
}

static json_t *object_of(struct span bytes)
{
	json_t *text = escaped(bytes);
	json_t *object = text ? json_object() : NULL;
	struct span shown = json_text(text);
	bool exact = shown.len == bytes.len && memcmp(shown.data, bytes.data, bytes.len) == 0;
	if (!object || json_put(object, "text", text) < 0 ||
		(!exact && json_put(object, "base64", base64_of(bytes)) < 0)) {
		json_decref(object);
		return NULL;
	}
	return object;
}

static json_t *take(struct text_stream *stream, bool is_stderr, struct span piece,
	json_t *(*make)(struct span bytes))
{
	cleanup_buf struct buf whole = {0};
	unsigned char *held = stream->held[is_stderr];
	size_t *held_bytes = &stream->held_bytes[is_stderr];
	buf_init(&whole, piece.len + sizeof(stream->held[0]));
	if (buf_add(&whole, held, *held_bytes) < 0 || buf_add(&whole, piece.data, piece.len) < 0)
		return NULL;
	*held_bytes = text_unfinished(span_of(whole.data, whole.len));
	whole.len -= *held_bytes;
	memcpy(held, whole.data + whole.len, *held_bytes);
	return make(span_of(whole.data, whole.len));
}

static json_t *rest(struct text_stream *stream, bool is_stderr, json_t *(*make)(struct span bytes))
{
	size_t bytes = stream->held_bytes[is_stderr];
	stream->held_bytes[is_stderr] = 0;
	return make(span_of(stream->held[is_stderr], bytes));
}

json_t *text_stream_take(struct text_stream *stream, bool is_stderr, struct span piece)
{
	return take(stream, is_stderr, piece, escaped);
}

json_t *text_stream_rest(struct text_stream *stream, bool is_stderr)
{
	return rest(stream, is_stderr, escaped);
}

json_t *text_stream_take_object(struct text_stream *stream, bool is_stderr, struct span piece)
{
	return take(stream, is_stderr, piece, object_of);
}

json_t *text_stream_rest_object(struct text_stream *stream, bool is_stderr)
{
	return rest(stream, is_stderr, object_of);
}

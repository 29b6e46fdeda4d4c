/*
 * text_stream: a job's two output streams as text, piece by piece: bytes that are no UTF-8 become
 * \xHH, and a character that is split over two reads stays whole.
 */
#ifndef BRIG_API_TEXT_STREAM_H
#define BRIG_API_TEXT_STREAM_H

#include "tool/json.h"

#include <stdbool.h>

struct text_stream {
	unsigned char held[2][4]; /* of stdout and stderr: the start of a character */
	size_t held_bytes[2];
};

/* The piece as a JSON string; NULL where it holds no whole character, or memory is out. */
json_t *text_stream_take(struct text_stream *stream, bool is_stderr, struct span piece);

/* What is left at the end, likewise. */
json_t *text_stream_rest(struct text_stream *stream, bool is_stderr);

/* The same as objects: {"text"}, with "base64" beside it where the text is not the very bytes. */
json_t *text_stream_take_object(struct text_stream *stream, bool is_stderr, struct span piece);
json_t *text_stream_rest_object(struct text_stream *stream, bool is_stderr);

#endif

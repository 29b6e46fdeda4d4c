/* cell_stream: frames put together again. */
#include "tool/cell_stream.h"

#include <errno.h>

/* What one read may bring beyond the end of the largest frame. */
#define AHEAD_BYTES (128 * KIB)

void cell_stream_init(struct cell_stream *stream)
{
	*stream = (struct cell_stream){0};
	buf_init(&stream->bytes, RESULT_FRAME_BYTES_MAX + WIRE_HEADER_BYTES + AHEAD_BYTES);
	job_result_init(&stream->result);
}

void cell_stream_done(struct cell_stream *stream)
{
	for (size_t i = 0; i < stream->fd_count; i++)
		fd_close(&stream->fds[i]);
	stream->fd_count = 0;
	buf_done(&stream->bytes);
	job_result_done(&stream->result);
}

int cell_stream_feed(struct cell_stream *stream, struct span data, const int *fds, size_t fd_count)
{
	int rc = 0;
	for (size_t i = 0; i < fd_count; i++) {
		int fd = fds[i];
		if (stream->fd_count < FD_MESSAGE_MAX) {
			stream->fds[stream->fd_count++] = fd;
		} else {
			fd_close(&fd);
			rc = -EMSGSIZE;
		}
	}
	buf_drop(&stream->bytes, stream->used);
	stream->used = 0;
	if (rc < 0)
		return rc;
	rc = buf_add(&stream->bytes, data.data, data.len);
	return rc == -ENOSPC ? -EMSGSIZE : rc;
}

/* The frame's own descriptors are the first that came; what is left belongs to later frames. */
static int take_result(struct cell_stream *stream, const struct wire_frame *frame)
{
	if (frame->fds > stream->fd_count)
		return -EBADMSG;
	size_t left = stream->fd_count - frame->fds;
	int rc = job_result_decode(frame->fields, stream->fds, frame->fds, &stream->result);
	memmove(stream->fds, stream->fds + frame->fds, left * sizeof(stream->fds[0]));
	stream->fd_count = left;
	stream->over = true;
	return rc ? rc : 1;
}

int cell_stream_next(struct cell_stream *stream, struct cell_event *ret_event)
{
	struct wire_frame frame;
	int rc = wire_peek(stream->bytes.data + stream->used, stream->bytes.len - stream->used,
		RESULT_FRAME_BYTES_MAX, &frame);
	if (rc <= 0)
		return rc;
	if (stream->over)
		return -EBADMSG;
	stream->used += frame.bytes;
	if (frame.type == CHANNEL_RESULT) {
		*ret_event = (struct cell_event){.type = CELL_EVENT_RESULT};
		return take_result(stream, &frame);
	}
	if ((frame.type != CHANNEL_STDOUT && frame.type != CHANNEL_STDERR) || frame.fds)
		return -EBADMSG;
	struct wire_field field;
	rc = wire_next(&frame.fields, &field);
	if (rc <= 0 || field.tag != CHANNEL_TAG_DATA)
		return -EBADMSG;
	*ret_event = (struct cell_event){
		.type = frame.type == CHANNEL_STDOUT ? CELL_EVENT_STDOUT : CELL_EVENT_STDERR,
		.data = field.value,
	};
	return 1;
}

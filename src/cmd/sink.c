/* sink: writing to somebody who may be a terminal, or gone. */
#include "cmd/sink.h"

#include "base/fd.h"
#include "tool/text.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#define PIECE_BYTES (16u * 1024u)

void sink_init(struct sink *sink, int fd)
{
	*sink = (struct sink){.fd = fd, .terminal = isatty(fd) == 1, .last = '\n'};
}

/* Standard output may have been handed over non-blocking; then this waits by itself. */
static int write_patiently(int fd, struct span data)
{
	while (data.len) {
		ssize_t wrote = write(fd, data.data, data.len);
		if (wrote < 0 && errno == EAGAIN) {
			struct pollfd wait = {.fd = fd, .events = POLLOUT};
			(void)poll(&wait, 1, -1);
			continue;
		}
		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			return -errno;
		data = span_of(data.data + wrote, data.len - (size_t)wrote);
	}
	return 0;
}

static int put(struct sink *sink, struct span data)
{
	if (sink->closed || data.len == 0)
		return 0;
	int rc = write_patiently(sink->fd, data);
	sink->last = data.data[data.len - 1];
	if (rc == -EPIPE) {
		sink->closed = true;
		return 0;
	}
	return rc;
}

static int put_escaped(struct sink *sink, struct span data, unsigned char *pending)
{
	int rc = 0;
	while (!rc && data.len) {
		cleanup_buf struct buf text = {0};
		size_t piece = data.len < PIECE_BYTES ? data.len : PIECE_BYTES;
		buf_init(&text, 4 * PIECE_BYTES + 8);
		rc = text_add_terminal(&text, span_of(data.data, piece), pending);
		if (!rc)
			rc = put(sink, span_of(text.data, text.len));
		data = span_of(data.data + piece, data.len - piece);
	}
	return rc;
}

int sink_write(struct sink *sink, struct span data)
{
	return sink->terminal ? put_escaped(sink, data, &sink->pending) : put(sink, data);
}

int sink_tell(struct sink *sink, struct span text)
{
	unsigned char pending = 0;
	return put_escaped(sink, text, &pending);
}

int sink_end_line(struct sink *sink)
{
	return sink->last == '\n' ? 0 : put(sink, span_of("\n", 1));
}

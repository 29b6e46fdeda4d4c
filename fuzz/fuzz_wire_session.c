/*
 * fuzz_wire_session: the fields of a CHANNEL_SESSION frame from anybody, and those of its answer.
 * The first byte says how many descriptors came (its low bits) and which of the two it is. What is
 * accepted must come out of encoding and decoding as it went in.
 */
#include "base/fd.h"
#include "wire/job.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static size_t open_fds(size_t count, int *fds)
{
	static int null_fd = -1;
	if (null_fd < 0)
		null_fd = memfd_create("fuzz", MFD_CLOEXEC);
	for (size_t i = 0; i < count; i++)
		fds[i] = fcntl(null_fd, F_DUPFD_CLOEXEC, 0);
	return count;
}

static struct wire_frame peek(const struct buf *out)
{
	struct wire_frame frame;
	require(wire_peek(out->data, out->len, SESSION_FRAME_BYTES_MAX, &frame) == 1);
	return frame;
}

static void same_requests(const struct session_request *a, const struct session_request *b)
{
	require(a->verb == b->verb && strcmp(a->id, b->id) == 0);
	require(strcmp(a->path, b->path) == 0 && strcmp(a->target, b->target) == 0);
	require(a->depth == b->depth && a->bytes == b->bytes && (a->fd < 0) == (b->fd < 0));
	require(a->idle_ms == b->idle_ms && a->life_ms == b->life_ms);
	require(a->memory_bytes == b->memory_bytes);
	if (a->verb >= SESSION_WRITE)
		require(session_path_check(a->path, strlen(a->path),
				a->verb == SESSION_LIST || a->verb == SESSION_STAT, NULL) == 0);
}

static void try_request(struct span fields, int *fds, size_t count)
{
	struct session_request request, again;
	struct buf out;
	struct err err;
	int fd;

	session_request_init(&request);
	session_request_init(&again);
	buf_init(&out, SESSION_FRAME_BYTES_MAX + WIRE_HEADER_BYTES);
	if (session_request_decode(fields, fds, count, &request, &err) == 0) {
		require(session_request_encode(&request, &out, &fd) == 0);
		struct wire_frame frame = peek(&out);
		count = open_fds(frame.fds, fds);
		require(session_request_decode(frame.fields, fds, count, &again, &err) == 0);
		same_requests(&request, &again);
	}
	buf_done(&out);
	session_request_done(&request);
	session_request_done(&again);
}

/* Once more is the same to the byte. */
static void try_answer(struct span fields, int *fds, size_t count)
{
	struct session_answer answer, again;
	struct buf once, twice;
	int fd;

	session_answer_init(&answer);
	session_answer_init(&again);
	buf_init(&once, SESSION_FRAME_BYTES_MAX + WIRE_HEADER_BYTES);
	buf_init(&twice, SESSION_FRAME_BYTES_MAX + WIRE_HEADER_BYTES);
	if (session_answer_decode(fields, fds, count, &answer) == 0 &&
		session_answer_encode(&answer, &once, &fd) == 0) {
		struct wire_frame frame = peek(&once);
		count = open_fds(frame.fds, fds);
		require(session_answer_decode(frame.fields, fds, count, &again) == 0);
		require(session_answer_encode(&again, &twice, &fd) == 0);
		require(once.len == twice.len && memcmp(once.data, twice.data, once.len) == 0);
	}
	buf_done(&once);
	buf_done(&twice);
	session_answer_done(&answer);
	session_answer_done(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	int fds[4];
	if (bytes < 1)
		return 0;
	size_t count = open_fds(data[0] % 4, fds);
	struct span fields = span_of(data + 1, bytes - 1);
	if (data[0] & 0x80)
		try_answer(fields, fds, count);
	else
		try_request(fields, fds, count);
	return 0;
}

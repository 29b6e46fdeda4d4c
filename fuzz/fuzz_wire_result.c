/*
 * fuzz_wire_result: the fields of a CHANNEL_RESULT frame, and everything that is made of a result.
 * The first byte says how many descriptors came with it.
 */
#include "base/fd.h"
#include "base/utf8.h"
#include "tool/result_json.h"
#include "wire/job.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static size_t open_fds(size_t count, int *fds)
{
	static const unsigned char png[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\2\0\0\0\2\x08\2\0\0"
					   "\0\xfd\xd4\x9as";
	static int png_fd = -1;
	if (png_fd < 0) {
		png_fd = memfd_create("fuzz", MFD_CLOEXEC);
		require(write(png_fd, png, sizeof(png) - 1) == (ssize_t)sizeof(png) - 1);
	}
	for (size_t i = 0; i < count; i++)
		fds[i] = fcntl(png_fd, F_DUPFD_CLOEXEC, 0);
	return count;
}

/* Encoding and decoding once more gives the same frame. */
static void carry(const struct job_result *result)
{
	struct buf once, twice;
	struct wire_frame frame;
	struct job_result again;
	int fds[FD_MESSAGE_MAX];
	size_t count;

	buf_init(&once, RESULT_FRAME_BYTES_MAX + WIRE_HEADER_BYTES);
	buf_init(&twice, RESULT_FRAME_BYTES_MAX + WIRE_HEADER_BYTES);
	job_result_init(&again);
	require(job_result_encode(result, &once, fds, &count) == 0);
	require(wire_peek(once.data, once.len, RESULT_FRAME_BYTES_MAX, &frame) == 1);
	count = open_fds(count, fds);
	require(job_result_decode(frame.fields, fds, count, &again) == 0);
	require(job_result_encode(&again, &twice, fds, &count) == 0);
	require(once.len == twice.len && memcmp(once.data, twice.data, once.len) == 0);
	job_result_done(&again);
	buf_done(&once);
	buf_done(&twice);
}

/* A reply that is whole, within its cap, and reads back. */
static void show(const struct job_result *result)
{
	struct view view;
	json_t *object;
	struct buf line;

	require(view_init(&view, result, "j", "f") == 0);
	if (result_json(&view, &result_urls_none, &object) == 0) {
		struct span text = json_text(json_object_get(object, "text"));
		buf_init(&line, RESULT_JSON_BYTES_MAX);
		require(json_write(object, &line) == 0);
		require(text.len > 0 && utf8_valid(text.data, text.len, NULL));
		buf_done(&line);
		json_decref(object);
	}
	view_done(&view);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct job_result result;
	int fds[FD_MESSAGE_MAX];

	if (bytes < 1)
		return 0;
	size_t count = open_fds(data[0] % 5, fds);
	job_result_init(&result);
	if (job_result_decode(span_of(data + 1, bytes - 1), fds, count, &result) == 0) {
		carry(&result);
		show(&result);
	}
	job_result_done(&result);
	return 0;
}

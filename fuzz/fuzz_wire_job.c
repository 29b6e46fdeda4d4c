/*
 * fuzz_wire_job: a CHANNEL_JOB frame from anybody. The first byte says how many descriptors came
 * with it. What is accepted must come out of encoding and decoding as it went in.
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

static void same(const struct job_spec *a, const struct job_spec *b)
{
	require(strcmp(a->id, b->id) == 0 && a->code.len == b->code.len);
	require(a->code.len == 0 || memcmp(a->code.data, b->code.data, a->code.len) == 0);
	require(memcmp(&a->limits, &b->limits, sizeof(a->limits)) == 0);
	require(a->input_count == b->input_count && a->input_count <= LIMIT_INPUTS);
	for (uint32_t i = 0; i < a->input_count; i++) {
		require(strcmp(a->inputs[i].name, b->inputs[i].name) == 0);
		require(a->inputs[i].bytes == b->inputs[i].bytes);
		require(job_input_name_check(a->inputs[i].name, strlen(a->inputs[i].name), NULL) ==
			0);
	}
	require(a->stream == b->stream && a->receipt == b->receipt);
	require(a->session.use == b->session.use);
	if (a->session.use == SESSION_NONE)
		return;
	require(strcmp(a->session.id, b->session.id) == 0 && a->session.id[0]);
	require(strcmp(a->session.context, b->session.context) == 0);
	require(a->session.idle_ms == b->session.idle_ms);
	require(a->session.life_ms == b->session.life_ms);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct job_spec spec, again;
	struct buf out;
	struct wire_frame frame;
	int fds[LIMIT_INPUTS + 1], sent[LIMIT_INPUTS + 1];
	struct err err;
	size_t count;

	if (bytes < 1)
		return 0;
	count = open_fds(data[0] % 5, fds);
	job_spec_init(&spec);
	job_spec_init(&again);
	buf_init(&out, JOB_FRAME_BYTES_MAX + WIRE_HEADER_BYTES);
	if (job_spec_decode(span_of(data + 1, bytes - 1), fds, count, &spec, &err) == 0) {
		require(job_spec_encode(&spec, &out, sent, &count) == 0);
		require(wire_peek(out.data, out.len, JOB_FRAME_BYTES_MAX, &frame) == 1);
		count = open_fds(count, fds);
		require(job_spec_decode(frame.fields, fds, count, &again, &err) == 0);
		same(&spec, &again);
	}
	buf_done(&out);
	job_spec_done(&spec);
	job_spec_done(&again);
	return 0;
}

/*
 * fake_service: the service's end of a channel, played by a child process from a script.
 *
 *	static void play(struct fake *fake) { … fake_say(fake, CHANNEL_STDOUT, "hi\n"); … }
 *	pid = fake_start(play, &channel_fd);	… the code under test uses channel_fd …
 *	fake_end(pid, &channel_fd);
 */
#ifndef BRIG_TESTS_UNIT_FAKE_SERVICE_H
#define BRIG_TESTS_UNIT_FAKE_SERVICE_H

#include "sample_result.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

struct fake {
	int fd;
	struct job_spec spec; /* what the client sent */
	struct buf in;
};

static inline void fake_require(bool holds)
{
	if (!holds)
		_exit(99);
}

/* Waits until the client's job has come. */
static inline void fake_take_job(struct fake *fake)
{
	int fds[FD_MESSAGE_MAX];
	size_t fd_count = 0;
	struct wire_frame frame;
	struct err err;

	buf_init(&fake->in, 2 * JOB_FRAME_BYTES_MAX);
	for (int rc = 0; rc == 0;) {
		int got_fds[FD_MESSAGE_MAX];
		size_t room = FD_MESSAGE_MAX;
		unsigned char *at = buf_reserve(&fake->in, 65536);
		fake_require(at != NULL);
		ssize_t got = fd_receive(fake->fd, at, 65536, got_fds, &room);
		fake_require(got > 0);
		memcpy(fds + fd_count, got_fds, room * sizeof(int));
		fd_count += room;
		fake->in.len += (size_t)got;
		rc = wire_peek(fake->in.data, fake->in.len, JOB_FRAME_BYTES_MAX, &frame);
		fake_require(rc >= 0);
	}
	fake_require(frame.type == CHANNEL_JOB && frame.fds == fd_count);
	job_spec_init(&fake->spec);
	fake_require(job_spec_decode(frame.fields, fds, fd_count, &fake->spec, &err) == 0);
	buf_drop(&fake->in, frame.bytes);
}

/* Waits for CHANNEL_CANCEL. */
static inline void fake_take_cancel(struct fake *fake)
{
	struct wire_frame frame;
	while (fake->in.len < WIRE_HEADER_BYTES) {
		unsigned char *at = buf_reserve(&fake->in, 100);
		fake_require(at != NULL);
		ssize_t got = read(fake->fd, at, 100);
		fake_require(got > 0);
		fake->in.len += (size_t)got;
	}
	fake_require(wire_peek(fake->in.data, fake->in.len, 100, &frame) == 1);
	fake_require(frame.type == CHANNEL_CANCEL);
}

static inline void fake_send(struct fake *fake, const struct buf *out, const int *fds, size_t count)
{
	size_t sent = 0;
	while (sent < out->len) {
		ssize_t n = fd_send(fake->fd, out->data + sent, out->len - sent, fds, count);
		fake_require(n > 0);
		count = 0;
		sent += (size_t)n;
	}
}

static inline void fake_say(
	struct fake *fake, enum channel_type type, const void *data, size_t bytes)
{
	struct buf out;
	size_t mark;
	buf_init(&out, bytes + 64);
	fake_require(wire_begin(&out, (uint16_t)type, &mark) == 0);
	fake_require(wire_add(&out, CHANNEL_TAG_DATA, data, bytes) == 0);
	fake_require(wire_end(&out, mark, 0) == 0);
	fake_send(fake, &out, NULL, 0);
	buf_done(&out);
}

static inline void fake_print(struct fake *fake, const char *text)
{
	fake_say(fake, CHANNEL_STDOUT, text, strlen(text));
}

static inline void fake_answer(struct fake *fake, const struct job_result *result)
{
	struct buf out;
	int fds[FD_MESSAGE_MAX];
	size_t count;
	buf_init(&out, RESULT_FRAME_BYTES_MAX + WIRE_HEADER_BYTES);
	fake_require(job_result_encode(result, &out, fds, &count) == 0);
	fake_send(fake, &out, fds, count);
	buf_done(&out);
}

static inline void fake_answer_outcome(struct fake *fake, enum outcome outcome, int exit_code)
{
	struct job_result result;
	sample_begin(&result, outcome);
	result.exit_code = exit_code;
	fake_answer(fake, &result);
	job_result_done(&result);
}

static inline pid_t fake_start(void (*play)(struct fake *fake), int *ret_channel_fd)
{
	int fds[2];
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	(void)fflush(NULL);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct fake fake = {.fd = fds[1]};
		(void)close(fds[0]);
		fake_take_job(&fake);
		play(&fake);
		_exit(0);
	}
	(void)close(fds[1]);
	*ret_channel_fd = fds[0];
	return pid;
}

/* Closes the channel and sees that the service played its part to the end. */
static inline void fake_end(pid_t pid, int *channel_fd)
{
	int status;
	fd_close(channel_fd);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

#endif

/*
 * channel: one client, one job. A client that goes away cancels; a client that reads slowly holds
 * back its own job's output and nobody else's.
 */
#include "service/service.h"

#include "base/fd.h"
#include "service/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_BYTES (64u * 1024u)
#define STREAM_HIGH_BYTES (1u << 20) /* the job's output waits beyond this */
#define STREAM_CAP_BYTES (8u << 20)
#define REQUEST_LIMIT_SECONDS 30
#define SPARE_CHANNELS_MAX 16u /* of the descriptors that are not for callers, to say so */
#define SPARE_LIMIT_SECONDS 5

struct channel {
	struct service *service;
	int fd;
	struct event *read, *write, *limit;
	struct buf in;
	int fds[LIMIT_INPUTS + 1];
	size_t fd_count;
	bool too_many; /* descriptors in all: those that came with it were closed */
	bool spare;    /* its own is one of the last: it is there to be told so */
	struct job *job;
	struct errand *errand; /* or a request about a session */
	bool answered;
	bool paused;
	struct buf stream; /* output on its way */
	struct buf result; /* the last frame, after the stream */
	size_t result_sent;
	int result_fds[FD_MESSAGE_MAX];
	size_t result_fd_count;
};

static void close_fds(int *fds, size_t *count)
{
	while (*count)
		fd_close(&fds[--*count]);
}

static void channel_free(struct channel *channel)
{
	if (channel->read)
		event_free(channel->read);
	if (channel->write)
		event_free(channel->write);
	if (channel->limit)
		event_free(channel->limit);
	close_fds(channel->fds, &channel->fd_count);
	close_fds(channel->result_fds, &channel->result_fd_count);
	buf_done(&channel->in);
	buf_done(&channel->stream);
	buf_done(&channel->result);
	fd_close(&channel->fd);
	if (channel->spare)
		channel->service->spare_channels--;
	free(channel);
}

/* A session outlives its call: what is being prepared or stopped ends in order, and only the first
 * call, before it has begun, takes its cell along. */
static void cancel_in_cell(struct job *job)
{
	struct cell *cell = job->cell;
	struct err none = {0};

	if (cell->state == CELL_RUNNING) {
		end_job(cell, END_CANCELLED);
		return;
	}
	if (cell->session && cell->state == CELL_FREEZING)
		return;
	job->facts.cause = END_CANCELLED;
	if (!cell->session || job->spec.session.use == SESSION_NEW)
		cell_fail(cell, &none);
}

/* The client is gone or has been answered. */
static void channel_close(struct channel *channel)
{
	struct job *job = channel->job;

	if (channel->errand)
		errand_free(channel->errand);
	if (job) {
		job->channel = NULL;
		if (job->cell) {
			cancel_in_cell(job);
		} else {
			dispatch_forget(channel->service, job);
			job_free(job);
		}
	}
	channel_free(channel);
}

static void cancel(struct channel *channel)
{
	struct job *job = channel->job;
	if (!job || channel->answered)
		return;
	if (job->cell) {
		cancel_in_cell(job);
	} else {
		job->facts.cause = END_CANCELLED;
		dispatch_forget(channel->service, job);
		end_answer_without_cell(job);
	}
}

static int too_many(struct err *err)
{
	return err_set(err, -EMFILE, "service",
		"its callers' files take all descriptors that it may have open: raise its limit "
		"(ulimit -Hn), or have fewer jobs wait");
}

static int take_job(struct channel *channel, struct span fields)
{
	struct err err = {0};
	struct job *job = job_new(channel->service, channel);

	if (!job)
		return -ENOMEM;
	int rc = job_spec_decode(fields, channel->fds, channel->fd_count, &job->spec, &err);
	if (channel->too_many)
		rc = too_many(&err);
	channel->fd_count = 0;
	channel->job = job;
	event_free(channel->limit);
	channel->limit = NULL;
	if (rc < 0) {
		job->fault = err;
		job->facts.cause = END_FAULT;
		end_answer_without_cell(job);
	} else if (job->spec.session.use != SESSION_NONE) {
		session_take_job(channel->service, job);
	} else {
		dispatch_enqueue(channel->service, job);
	}
	return 0;
}

static int take_request(struct channel *channel, struct span fields)
{
	struct errand *errand = errand_new(channel->service, channel);
	if (!errand)
		return -ENOMEM;
	channel->errand = errand;
	event_free(channel->limit);
	channel->limit = NULL;
	if (channel->too_many) {
		(void)too_many(&errand->answer.err);
		errand_answer(errand);
		return 0;
	}
	size_t fd_count = channel->fd_count;
	channel->fd_count = 0;
	session_take_errand(channel->service, errand, fields, channel->fds, fd_count);
	return 0;
}

/* false once the channel is no more. */
static bool take_frames(struct channel *channel)
{
	struct wire_frame frame;
	int rc;

	while ((rc = wire_peek(channel->in.data, channel->in.len, JOB_FRAME_BYTES_MAX, &frame)) >
		0) {
		bool fresh = !channel->job && !channel->errand && !channel->answered;
		if (frame.type == CHANNEL_JOB && fresh)
			rc = take_job(channel, frame.fields);
		else if (frame.type == CHANNEL_SESSION && fresh)
			rc = take_request(channel, frame.fields);
		else if (frame.type == CHANNEL_CANCEL)
			cancel(channel);
		else if (!channel->answered)
			rc = -EPROTO;
		if (rc < 0)
			break;
		buf_drop(&channel->in, frame.bytes);
	}
	if (rc < 0) {
		channel_close(channel);
		return false;
	}
	return true;
}

/* The last ones are not for callers: without them no limit could be kept and no cell be judged. */
static void keep_fds(struct channel *channel, int *fds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		channel->too_many |= fds[i] > channel->service->callers_fd_max;
	if (channel->too_many)
		close_fds(fds, &count);
	memcpy(channel->fds + channel->fd_count, fds, count * sizeof(fds[0]));
	channel->fd_count += count;
}

static void on_readable(evutil_socket_t fd, short what, void *context)
{
	struct channel *channel = context;
	int fds[FD_MESSAGE_MAX];
	size_t count = sizeof(channel->fds) / sizeof(channel->fds[0]) - channel->fd_count;
	(void)what;

	unsigned char *room = buf_reserve(&channel->in, READ_BYTES);
	if (!room) {
		channel_close(channel);
		return;
	}
	ssize_t got = fd_receive(fd, room, READ_BYTES, fds, &count);
	if (got == -EAGAIN)
		return;
	if (got <= 0) {
		channel_close(channel);
		return;
	}
	keep_fds(channel, fds, count);
	channel->in.len += (size_t)got;
	(void)take_frames(channel);
}

static void on_writable(evutil_socket_t fd, short what, void *context);

static void on_request_limit(evutil_socket_t fd, short what, void *context)
{
	(void)fd;
	(void)what;
	channel_close(context);
}

void channel_open(struct service *service, int fd)
{
	const bool spare = fd > service->callers_fd_max;
	const struct timeval limit = {
		.tv_sec = spare ? SPARE_LIMIT_SECONDS : REQUEST_LIMIT_SECONDS};
	struct channel *channel = NULL;

	if (!spare || service->spare_channels < SPARE_CHANNELS_MAX)
		channel = calloc(1, sizeof(*channel));
	if (!channel || fd_set_nonblock(fd, true) < 0) {
		(void)close(fd);
		free(channel);
		return;
	}
	channel->service = service;
	channel->fd = fd;
	channel->spare = channel->too_many = spare;
	service->spare_channels += spare;
	buf_init(&channel->in, JOB_FRAME_BYTES_MAX + READ_BYTES + WIRE_HEADER_BYTES);
	buf_init(&channel->stream, STREAM_CAP_BYTES);
	buf_init(&channel->result, RESULT_FRAME_BYTES_MAX + WIRE_HEADER_BYTES);
	channel->read = event_new(service->base, fd, EV_READ | EV_PERSIST, on_readable, channel);
	channel->limit = event_new(service->base, -1, 0, on_request_limit, channel);
	channel->write = event_new(service->base, fd, EV_WRITE, on_writable, channel);
	if (!channel->read || !channel->write || !channel->limit ||
		event_add(channel->read, NULL) < 0 || event_add(channel->limit, &limit) < 0)
		channel_free(channel);
}

static void pause_output(struct channel *channel, bool pause)
{
	if (channel->paused == pause)
		return;
	channel->paused = pause;
	if (channel->job && channel->job->cell && channel->job->cell->state == CELL_RUNNING)
		run_pause_output(channel->job->cell, pause);
}

/* 1 more to send, 0 all sent, -errno. */
static int send_stream(struct channel *channel)
{
	if (!channel->stream.len)
		return 0;
	ssize_t sent = fd_send(channel->fd, channel->stream.data, channel->stream.len, NULL, 0);
	if (sent == -EAGAIN)
		return 1;
	if (sent < 0)
		return (int)sent;
	buf_drop(&channel->stream, (size_t)sent);
	if (channel->stream.len < STREAM_HIGH_BYTES / 2)
		pause_output(channel, false);
	return channel->stream.len > 0;
}

static int send_result(struct channel *channel)
{
	size_t left = channel->result.len - channel->result_sent;
	if (!left)
		return 0;
	ssize_t sent = fd_send(channel->fd, channel->result.data + channel->result_sent, left,
		channel->result_fds, channel->result_fd_count);
	if (sent == -EAGAIN)
		return 1;
	if (sent < 0)
		return (int)sent;
	close_fds(channel->result_fds, &channel->result_fd_count);
	channel->result_sent += (size_t)sent;
	return channel->result_sent < channel->result.len;
}

static void on_writable(evutil_socket_t fd, short what, void *context)
{
	struct channel *channel = context;
	(void)fd;
	(void)what;

	int more = send_stream(channel);
	if (!more)
		more = send_result(channel);
	if (more < 0 || (!more && channel->answered)) {
		channel_close(channel);
		return;
	}
	if (more && event_add(channel->write, NULL) < 0)
		channel_close(channel);
}

/* Sending happens from the loop only: whoever has something to send still holds the channel. */
static void send_soon(struct channel *channel)
{
	event_active(channel->write, EV_WRITE, 0);
}

void channel_stream(struct channel *channel, enum channel_type type, const void *data, size_t bytes)
{
	const size_t before = channel->stream.len;
	size_t mark;
	if (!bytes || channel->answered)
		return;
	int rc = wire_begin(&channel->stream, (uint16_t)type, &mark);
	if (!rc)
		rc = wire_add(&channel->stream, CHANNEL_TAG_DATA, data, bytes);
	if (!rc)
		rc = wire_end(&channel->stream, mark, 0);
	if (rc < 0) {
		/* Beyond the cap: the last words of a job that is being stopped, while its client
		 * is slow. The result has them; half a frame would spoil that too. */
		channel->stream.len = before;
		return;
	}
	if (channel->stream.len > STREAM_HIGH_BYTES)
		pause_output(channel, true);
	send_soon(channel);
}

/* Keeps copies of the descriptors; without them there is no frame, and the channel just ends. */
static void take_answer(struct channel *channel, int rc, const int *fds, size_t count)
{
	channel->answered = true;
	for (size_t i = 0; !rc && i < count; i++) {
		channel->result_fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 0);
		if (channel->result_fds[i] < 0)
			rc = -errno;
		else
			channel->result_fd_count++;
	}
	if (rc < 0)
		buf_drop(&channel->result, channel->result.len);
}

void channel_answer(struct channel *channel, const struct job_result *result)
{
	int fds[FD_MESSAGE_MAX];
	size_t count = 0;
	int rc = job_result_encode(result, &channel->result, fds, &count);
	take_answer(channel, rc, fds, count);
}

void channel_answer_errand(struct channel *channel, const struct session_answer *answer)
{
	int fd = -1;
	int rc = session_answer_encode(answer, &channel->result, &fd);
	take_answer(channel, rc, &fd, fd >= 0 ? 1 : 0);
	channel->errand = NULL;
	send_soon(channel);
}

void channel_forget_job(struct channel *channel)
{
	channel->job = NULL;
	/* At once where the socket takes it; closing, and what is left, is for the loop. */
	int more = send_stream(channel);
	if (!more)
		more = send_result(channel);
	if (more <= 0 || event_add(channel->write, NULL) < 0)
		send_soon(channel);
}

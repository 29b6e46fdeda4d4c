/* call_channel: the job over its channel to the interpreter service. */
#include "api/call_parts.h"
#include "api/log.h"
#include "base/clock.h"
#include "base/fd.h"

#include <errno.h>

#define RECEIVE_BYTES (64u * 1024u)
#define RETRY_US 20000
#define RETRY_LIMIT_MS 10000u

static void give_up(struct call *call, const struct err *err)
{
	call->channel_lost = true;
	call_end_without_cell(call, OUTCOME_INTERNAL, err);
}

static void lose(struct call *call, int rc)
{
	struct err err;
	(void)err_sys(&err, rc, "channel", "the interpreter service went away during a job");
	give_up(call, &err);
}

static void on_silence(evutil_socket_t fd, short what, void *context)
{
	struct call *call = context;
	struct err err;
	(void)fd;
	(void)what;
	(void)err_set(&err, -ETIMEDOUT, "channel",
		"the interpreter service said nothing of a job for %llu s, beyond all its limits: "
		"it is stuck, or stopped",
		(unsigned long long)call->patience_ms / 1000);
	give_up(call, &err);
}

/* The service's own clocks end a job; this is for a service that does not. */
static void wait_for_sign(struct call *call, uint64_t patience_ms)
{
	patience_ms += dispatcher_grace_ms(call->dispatcher);
	const struct timeval limit = {.tv_sec = (time_t)(patience_ms / 1000),
		.tv_usec = (suseconds_t)(patience_ms % 1000) * 1000};
	call->patience_ms = patience_ms;
	/* While the client takes no output, the silence is its own. */
	if (call->silence && !call->paused)
		(void)event_add(call->silence, &limit);
}

/* true where all is sent or the socket takes no more; false where the call is over. */
static bool send_some(struct call *call)
{
	while (call->sent < call->sending.len) {
		ssize_t sent = fd_send(call->fd, call->sending.data + call->sent,
			call->sending.len - call->sent, call->send_fds, call->send_fd_count);
		if (sent == -EAGAIN) {
			(void)event_add(call->write, NULL);
			return true;
		}
		if (sent == -EPIPE || sent == -ECONNRESET) {
			/* A service that closed early may have said why: the reader sees. */
			call->sent = call->sending.len;
			return true;
		}
		if (sent < 0) {
			lose(call, (int)sent);
			return false;
		}
		/* The descriptors went with the first byte. */
		call->send_fd_count = 0;
		call->sent += (size_t)sent;
	}
	return true;
}

static void on_writable(evutil_socket_t fd, short what, void *context)
{
	(void)fd;
	(void)what;
	(void)send_some(context);
}

/* true while more is to be read. */
static bool take_events(struct call *call)
{
	struct cell_event event;
	int rc;
	while ((rc = cell_stream_next(&call->stream, &event)) > 0) {
		if (event.type == CELL_EVENT_RESULT) {
			call->result = call->stream.result;
			job_result_init(&call->stream.result);
			call_close_channel(call);
			call_on_result(call);
			return false;
		}
		call->dispatcher->metrics.streamed_bytes += event.data.len;
		if (!call->left && !call->withdrawn && call->sink.output)
			call->sink.output(
				call->sink.user, event.type == CELL_EVENT_STDERR, event.data);
	}
	if (rc < 0)
		lose(call, rc);
	return rc == 0;
}

static void on_readable(evutil_socket_t fd, short what, void *context)
{
	struct call *call = context;
	static unsigned char piece[RECEIVE_BYTES];
	int fds[FD_MESSAGE_MAX];
	size_t fd_count = FD_MESSAGE_MAX;
	(void)what;

	ssize_t got = fd_receive(fd, piece, sizeof(piece), fds, &fd_count);
	if (got == -EAGAIN)
		return;
	wait_for_sign(call, call->spec.limits.wall_ms);
	int rc = got < 0 ? (int)got
			 : cell_stream_feed(
				   &call->stream, span_of(piece, (size_t)got), fds, fd_count);
	if (rc < 0 || (take_events(call) && got == 0 && (rc = -ECONNRESET)))
		lose(call, rc);
}

void call_close_channel(struct call *call)
{
	if (call->read)
		event_free(call->read);
	if (call->write)
		event_free(call->write);
	if (call->retry)
		event_free(call->retry);
	if (call->silence)
		event_free(call->silence);
	call->read = call->write = call->retry = call->silence = NULL;
	fd_close(&call->fd);
	buf_done(&call->sending);
	cell_stream_done(&call->stream);
}

static int start_job(struct call *call)
{
	struct event_base *base = call->dispatcher->base;
	int rc = job_spec_encode(&call->spec, &call->sending, call->send_fds, &call->send_fd_count);
	if (rc < 0)
		return rc;
	call->read = event_new(base, call->fd, EV_READ | EV_PERSIST, on_readable, call);
	call->write = event_new(base, call->fd, EV_WRITE, on_writable, call);
	call->silence = event_new(base, -1, 0, on_silence, call);
	if (!call->read || !call->write || !call->silence ||
		(!call->paused && event_add(call->read, NULL) < 0))
		return -ENOMEM;
	wait_for_sign(call, call->spec.limits.wall_ms + call_walls_ms(call->dispatcher));
	return 0;
}

static void on_retry(evutil_socket_t fd, short what, void *context)
{
	(void)fd;
	(void)what;
	call_open(context);
}

/* The service is being started again: that takes a moment, not a refusal. */
static void try_later(struct call *call)
{
	const struct timeval soon = {.tv_usec = RETRY_US};
	uint64_t now_ms = clock_now_ms();
	if (!call->retry_until_ms)
		call->retry_until_ms = now_ms + RETRY_LIMIT_MS;
	if (!call->retry)
		call->retry = event_new(call->dispatcher->base, -1, 0, on_retry, call);
	if (now_ms < call->retry_until_ms && call->retry && event_add(call->retry, &soon) == 0)
		return;
	call->retry_after_s = 1;
	call_refuse(call, 503,
		links_why(&call->dispatcher->links)
			? "the interpreter service cannot be started; the operator finds the "
			  "cause at /readyz and in the server's log"
			: "the interpreter service is not there; try again");
}

void call_open(struct call *call)
{
	struct dispatcher *dispatcher = call->dispatcher;
	call->state = CALL_OPENING;
	int status = call_session_opening(call);
	if (status) {
		call_refuse(call, status, call->detail);
		return;
	}
	int rc = links_channel(&dispatcher->links, call_session_image(call), &call->fd);
	if (rc == -EAGAIN || rc == -ENOENT) {
		try_later(call);
		return;
	}
	if (!rc) {
		call_session_opened(call);
		rc = start_job(call);
	}
	if (rc < 0) {
		lose(call, rc);
		return;
	}
	call->opened_us = clock_now_us();
	metrics_stage(&dispatcher->metrics, STAGE_QUEUE, call->opened_us - call->accepted_us);
	call->state = CALL_RUNNING;
	call->record->state = RECORD_RUNNING;
	(void)send_some(call);
}

void call_send_cancel(struct call *call)
{
	size_t mark;
	int rc = wire_begin(&call->sending, CHANNEL_CANCEL, &mark);
	if (!rc)
		rc = wire_end(&call->sending, mark, 0);
	if (rc < 0) {
		lose(call, rc);
		return;
	}
	wait_for_sign(call, 0);
	(void)send_some(call);
}

void call_pause(struct call *call, bool pause)
{
	if (call->paused == pause)
		return;
	call->paused = pause;
	if (call->state != CALL_RUNNING || !call->read)
		return;
	if (pause) {
		(void)event_del(call->read);
		(void)event_del(call->silence);
	} else {
		(void)event_add(call->read, NULL);
		wait_for_sign(call, call->spec.limits.wall_ms);
	}
}

/* cell_client: a poll loop around cell_stream. */
#include "tool/cell_client.h"

#include "tool/cell_stream.h"

#include <errno.h>
#include <poll.h>

#define RECEIVE_BYTES (64u * 1024u)

struct call {
	const struct cell_client *client;
	int channel_fd;
	struct buf sending; /* what of the request is still to be sent */
	size_t sent;
	int fds[LIMIT_INPUTS + 1];
	size_t fd_count;
	bool cancelled;
	struct cell_stream stream;
};

static int send_some(struct call *call)
{
	ssize_t sent = fd_send(call->channel_fd, call->sending.data + call->sent,
		call->sending.len - call->sent, call->fds, call->fd_count);
	if (sent == -EAGAIN)
		return 0;
	if (sent == -EPIPE || sent == -ECONNRESET) {
		/* A service that closed early may have said why: go on reading. */
		call->sent = call->sending.len;
		return 0;
	}
	if (sent < 0)
		return (int)sent;
	/* The descriptors went with the first byte. */
	call->fd_count = 0;
	call->sent += (size_t)sent;
	return 0;
}

static int receive_some(struct call *call)
{
	unsigned char piece[RECEIVE_BYTES];
	int fds[FD_MESSAGE_MAX];
	size_t fd_count = FD_MESSAGE_MAX;
	ssize_t got = fd_receive(call->channel_fd, piece, sizeof(piece), fds, &fd_count);
	if (got == -EAGAIN)
		return 0;
	if (got < 0)
		return (int)got;
	int rc = cell_stream_feed(&call->stream, span_of(piece, (size_t)got), fds, fd_count);
	return rc ? rc : got == 0 ? -ECONNRESET : 0;
}

/* 1 once the result is there. */
static int handle_events(struct call *call)
{
	struct cell_event event;
	int rc;
	while ((rc = cell_stream_next(&call->stream, &event)) > 0) {
		if (event.type == CELL_EVENT_RESULT)
			return 1;
		if (!call->client->output)
			continue;
		rc = call->client->output(
			call->client->user, event.type == CELL_EVENT_STDERR, event.data);
		if (rc < 0)
			return rc;
	}
	return rc;
}

static int handle_interrupts(struct call *call)
{
	int count = call->client->interrupts ? *call->client->interrupts : 0;
	size_t mark;
	if (count > 1)
		return -EINTR;
	if (count == 0 || call->cancelled)
		return 0;
	call->cancelled = true;
	int rc = wire_begin(&call->sending, CHANNEL_CANCEL, &mark);
	return rc ? rc : wire_end(&call->sending, mark, 0);
}

static int step(struct call *call)
{
	int rc = handle_interrupts(call);
	if (rc < 0)
		return rc;
	bool pending = call->sent < call->sending.len;
	struct pollfd wait = {
		.fd = call->channel_fd,
		.events = (short)(POLLIN | (pending ? POLLOUT : 0)),
	};
	if (ppoll(&wait, 1, NULL, call->client->wait_mask) < 0)
		return errno == EINTR ? 0 : -errno;
	if (wait.revents & POLLOUT)
		rc = send_some(call);
	if (!rc && wait.revents & (POLLIN | POLLHUP | POLLERR))
		rc = receive_some(call);
	if (rc < 0 && rc != -ECONNRESET)
		return rc;
	/* What came before the connection broke still counts. */
	int got = handle_events(call);
	return got ? got : rc;
}

static int explain(int rc, struct err *err)
{
	switch (rc) {
	case -EINTR:
		return err_set(err, rc, "channel", "given up before the job's result came");
	case -ECONNRESET:
		return err_set(err, rc, "channel",
			"the interpreter service went away before the job's result came; run it "
			"again");
	case -EBADMSG:
	case -EMSGSIZE:
		return err_set(err, rc, "channel",
			"the interpreter service answered with something else than a result; "
			"brig and brig-service must be of one version");
	default:
		return err_sys(err, rc, "channel", "cannot speak with the interpreter service");
	}
}

static int run(struct call *call, const struct job_spec *spec)
{
	int rc = job_spec_encode(spec, &call->sending, call->fds, &call->fd_count);
	if (!rc)
		rc = fd_set_nonblock(call->channel_fd, true);
	while (!rc)
		rc = step(call);
	return rc < 0 ? rc : 0;
}

int cell_client_run(const struct cell_client *client, int channel_fd, const struct job_spec *spec,
	struct job_result *ret_result, struct err *err)
{
	struct call call = {.client = client, .channel_fd = channel_fd};
	buf_init(&call.sending, JOB_FRAME_BYTES_MAX + 2 * WIRE_HEADER_BYTES);
	cell_stream_init(&call.stream);
	int rc = run(&call, spec);
	if (!rc) {
		job_result_done(ret_result);
		*ret_result = call.stream.result;
		job_result_init(&call.stream.result);
	}
	cell_stream_done(&call.stream);
	buf_done(&call.sending);
	return rc ? explain(rc, err) : 0;
}

/* session_ask: one frame there, one frame back. */
#include "api/session_ask.h"

#include "api/call.h"
#include "api/log.h"
#include "api/session_audit.h"
#include "base/fd.h"
#include "wire/job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define RECEIVE_BYTES (64u * 1024u)
#define FDS_MAX 2u

struct session_ask {
	TAILQ_ENTRY(session_ask) link;
	struct dispatcher *dispatcher;
	char id[SESSION_ID_BYTES];
	session_answered *answered;
	void *user;
	int fd;
	struct event *read, *write, *silence;
	struct session_request request; /* its descriptor is sent along */
	struct buf sending, receiving;
	size_t sent;
	int send_fd;
	int fds[FDS_MAX];
	size_t fd_count;
};

static void ask_free(struct session_ask *ask)
{
	TAILQ_REMOVE(&ask->dispatcher->asks, ask, link);
	if (ask->read)
		event_free(ask->read);
	if (ask->write)
		event_free(ask->write);
	if (ask->silence)
		event_free(ask->silence);
	while (ask->fd_count)
		fd_close(&ask->fds[--ask->fd_count]);
	session_request_done(&ask->request);
	buf_done(&ask->sending);
	buf_done(&ask->receiving);
	fd_close(&ask->fd);
	free(ask);
}

/* Notes what the answer tells, hands it on, and ends. */
static void finish(struct session_ask *ask, struct session_answer *answer)
{
	struct sessions *sessions = &ask->dispatcher->sessions;
	struct session *session = sessions_by_id(sessions, span_text(ask->id));
	session_answered *answered = ask->answered;
	void *user = ask->user;
	if (session && answer->err.code == -ESRCH)
		sessions_lose(sessions, session, answer->status.lost_why);
	else if (session)
		sessions_heard(sessions, session, &answer->status);
	ask_free(ask);
	if (answered)
		answered(user, answer);
}

static void lose(struct session_ask *ask, int rc)
{
	struct session_answer answer;
	session_answer_init(&answer);
	(void)err_sys(&answer.err, -ECONNRESET, "session", "the interpreter service went away");
	if (rc == -EMSGSIZE || rc == -EBADMSG)
		log_fault("fault", &answer.err);
	finish(ask, &answer);
}

static void on_silence(evutil_socket_t fd, short what, void *context)
{
	struct session_answer answer;
	(void)fd;
	(void)what;
	session_answer_init(&answer);
	(void)err_set(&answer.err, -ECONNRESET, "session",
		"the interpreter service does not answer; try again");
	log_fault("fault", &answer.err);
	finish(context, &answer);
}

/* true where all is sent or the socket takes no more; false where it is over. */
static bool send_some(struct session_ask *ask)
{
	while (ask->sent < ask->sending.len) {
		ssize_t sent = fd_send(ask->fd, ask->sending.data + ask->sent,
			ask->sending.len - ask->sent, &ask->send_fd, ask->send_fd >= 0);
		if (sent == -EAGAIN) {
			(void)event_add(ask->write, NULL);
			return true;
		}
		if (sent < 0) {
			lose(ask, (int)sent);
			return false;
		}
		ask->send_fd = -1;
		ask->sent += (size_t)sent;
	}
	return true;
}

static void on_writable(evutil_socket_t fd, short what, void *context)
{
	(void)fd;
	(void)what;
	(void)send_some(context);
}

/* 1 answered, 0 more has to come, -errno. */
static int take_answer(struct session_ask *ask)
{
	struct wire_frame frame;
	struct session_answer answer;
	int rc =
		wire_peek(ask->receiving.data, ask->receiving.len, SESSION_FRAME_BYTES_MAX, &frame);
	if (rc <= 0)
		return rc;
	if (frame.type != CHANNEL_SESSION_DONE || frame.fds > ask->fd_count)
		return -EBADMSG;
	session_answer_init(&answer);
	size_t count = ask->fd_count;
	ask->fd_count = 0;
	rc = session_answer_decode(frame.fields, ask->fds, count, &answer);
	if (rc < 0)
		return rc;
	if (answer.err.code == -EMFILE)
		log_fault("fault", &answer.err);
	finish(ask, &answer);
	session_answer_done(&answer);
	return 1;
}

static void on_readable(evutil_socket_t fd, short what, void *context)
{
	struct session_ask *ask = context;
	size_t count = FDS_MAX - ask->fd_count;
	(void)what;
	unsigned char *room = buf_reserve(&ask->receiving, RECEIVE_BYTES);
	ssize_t got = room ? fd_receive(fd, room, RECEIVE_BYTES, ask->fds + ask->fd_count, &count)
			   : -ENOMEM;
	if (got == -EAGAIN)
		return;
	if (got <= 0) {
		lose(ask, got ? (int)got : -ECONNRESET);
		return;
	}
	ask->fd_count += count;
	ask->receiving.len += (size_t)got;
	int rc = take_answer(ask);
	if (rc < 0)
		lose(ask, rc);
}

static int open_channel(struct session_ask *ask, const char *image)
{
	struct event_base *base = ask->dispatcher->base;
	int rc = links_channel(&ask->dispatcher->links, image, &ask->fd);
	if (!rc)
		rc = session_request_encode(&ask->request, &ask->sending, &ask->send_fd);
	if (rc < 0)
		return rc;
	ask->read = event_new(base, ask->fd, EV_READ | EV_PERSIST, on_readable, ask);
	ask->write = event_new(base, ask->fd, EV_WRITE, on_writable, ask);
	ask->silence = event_new(base, -1, 0, on_silence, ask);
	/* It may stand in line behind its session's calls. */
	uint64_t patience_ms =
		dispatcher_grace_ms(ask->dispatcher) + call_walls_ms(ask->dispatcher);
	const struct timeval limit = {.tv_sec = (time_t)(patience_ms / 1000),
		.tv_usec = (suseconds_t)(patience_ms % 1000) * 1000};
	/* Sent from the loop, so that nothing ends before whoever asked has the ask. */
	bool ready = ask->read && ask->write && ask->silence && event_add(ask->read, NULL) == 0 &&
		     event_add(ask->write, NULL) == 0 && event_add(ask->silence, &limit) == 0;
	return ready ? 0 : -ENOMEM;
}

struct session_ask *session_ask(struct dispatcher *dispatcher, struct session *session,
	struct session_request *request, session_answered *answered, void *user)
{
	struct session_ask *ask = calloc(1, sizeof(*ask));
	if (!ask) {
		session_request_done(request);
		return NULL;
	}
	ask->dispatcher = dispatcher;
	ask->answered = answered;
	ask->user = user;
	ask->fd = ask->send_fd = -1;
	ask->request = *request;
	session_request_init(request);
	memcpy(ask->id, session->id, sizeof(ask->id));
	memcpy(ask->request.id, session->id, sizeof(ask->request.id));
	ask->request.memory_bytes = session_limits_now(dispatcher, session).memory_bytes;
	buf_init(&ask->sending, SESSION_FRAME_BYTES_MAX);
	buf_init(&ask->receiving, SESSION_FRAME_BYTES_MAX + WIRE_HEADER_BYTES + RECEIVE_BYTES);
	TAILQ_INSERT_TAIL(&dispatcher->asks, ask, link);
	if (open_channel(ask, session->image) == 0)
		return ask;
	ask_free(ask);
	return NULL;
}

void session_ask_leave(struct session_ask *ask)
{
	ask->answered = NULL;
}

static void ask_to_close(struct dispatcher *dispatcher, struct session *session)
{
	struct session_request request;
	session_request_init(&request);
	request.verb = SESSION_CLOSE;
	/* A service that is not there has no cells either. */
	if (!session->lost)
		(void)session_ask(dispatcher, session, &request, NULL, NULL);
}

void session_end(struct dispatcher *dispatcher, struct session *session)
{
	ask_to_close(dispatcher, session);
	sessions_drop(&dispatcher->sessions, session);
}

void session_abandon(struct dispatcher *dispatcher, struct session *session, const char *why)
{
	ask_to_close(dispatcher, session);
	sessions_lose(&dispatcher->sessions, session, why);
}

static void withdraw(struct dispatcher *dispatcher, struct session *session)
{
	const struct who_made made = session_made(session);
	const char *why = who_gone_why(dispatcher->config, &made);
	/* A log that cannot be written has said so; the session goes all the same. */
	(void)!session_audit_withdrawn(dispatcher, session, why);
	session_abandon(dispatcher, session, why);
}

void session_hold(struct dispatcher *dispatcher, struct session *session)
{
	const struct role *role = config_role(dispatcher->config, session->role);
	struct session_request request;
	session_request_init(&request);
	request.verb = SESSION_EXTEND;
	if (!role || !session->heard || session->lost ||
		!sessions_tighten(session, role, &request.idle_ms, &request.life_ms))
		return;
	(void)session_ask(dispatcher, session, &request, NULL, NULL);
}

void session_reload_all(struct dispatcher *dispatcher)
{
	struct session *next;
	for (struct session *at = TAILQ_FIRST(&dispatcher->sessions.open); at; at = next) {
		const struct who_made made = session_made(at);
		struct who who;
		next = TAILQ_NEXT(at, link);
		if (who_again(dispatcher->config, &made, NULL, "", &who))
			session_hold(dispatcher, at);
		else
			withdraw(dispatcher, at);
		who_done(&who);
	}
}

struct job_limits session_limits_now(
	const struct dispatcher *dispatcher, const struct session *session)
{
	const struct role *role = config_role(dispatcher->config, session->role);
	struct job_limits limits = session->limits;
	if (role)
		role_tighten(role, &limits);
	return limits;
}

void session_ask_free_all(struct dispatcher *dispatcher)
{
	struct session_ask *next;
	for (struct session_ask *at = TAILQ_FIRST(&dispatcher->asks); at; at = next) {
		next = TAILQ_NEXT(at, link);
		ask_free(at);
	}
}

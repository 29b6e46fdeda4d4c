/*
 * session_line: calls and requests of one session stand in one line and are served one after
 * another. Closing, looking, and asking how it is, do not wait. What changes files stands in line
 * for a moment, in which most calls end, and is then told to come again.
 */
#include "service/session.h"

#include "base/clock.h"
#include "base/fd.h"

#include <errno.h>
#include <stdlib.h>

#define PATIENCE_SECONDS 2

/* From the loop only: whoever is answered may still be in the middle of a frame. */
static void move_soon(struct session *session)
{
	event_active(session->next, EV_TIMEOUT, 0);
}

static void join_line(struct session *session, struct turn *turn)
{
	turn->session = session;
	turn->waits = true;
	TAILQ_INSERT_TAIL(&session->line, turn, line);
	move_soon(session);
}

static void on_impatient(evutil_socket_t fd, short what, void *context)
{
	struct errand *errand = context;
	struct session *session = errand->turn.session;
	(void)fd;
	(void)what;
	if (!errand->turn.waits)
		return;
	(void)err_set(&errand->answer.err, -EAGAIN, "session",
		"a call is running in this session: its files are changed between calls; try again "
		"when it is over");
	session_status(session, &errand->answer.status);
	errand_answer(errand);
}

static void join_with_patience(struct session *session, struct errand *errand)
{
	const struct timeval limit = {.tv_sec = PATIENCE_SECONDS};
	errand->patience = event_new(session->service->base, -1, 0, on_impatient, errand);
	if (errand->patience && event_add(errand->patience, &limit) == 0) {
		join_line(session, &errand->turn);
		return;
	}
	(void)err_set(&errand->answer.err, -ENOMEM, "session", "the service has no memory for it");
	errand_answer(errand);
}

static bool only_looks(enum session_verb verb)
{
	return verb == SESSION_READ || verb == SESSION_LIST || verb == SESSION_STAT;
}

void session_leave_line(struct turn *turn)
{
	struct session *session = turn->session;
	if (!session)
		return;
	turn->session = NULL;
	if (turn->waits) {
		TAILQ_REMOVE(&session->line, turn, line);
		turn->waits = false;
		return;
	}
	session->now = NULL;
	/* Its first call went without ever having a cell. */
	if (!session->cell)
		session_end(session, session->closing ? session->why : FIRST_CALL_CANCELLED);
}

void session_served(struct session *session)
{
	session->now = NULL;
	session->idle_end_us = clock_now_us() + session->idle_ms * 1000;
	if (!TAILQ_EMPTY(&session->line))
		move_soon(session);
	session_expire_soon(session); /* may be the session's end */
}

void session_on_next(evutil_socket_t fd, short what, void *context)
{
	struct session *session = context;
	struct turn *turn = TAILQ_FIRST(&session->line);
	(void)fd;
	(void)what;

	if (!turn || session->now)
		return;
	if (session_is_over(session)) {
		session_stop(session, SESSION_WHY_OVER);
		return;
	}
	TAILQ_REMOVE(&session->line, turn, line);
	turn->waits = false;
	session->now = turn;
	(void)event_del(session->clock);
	if (turn->job) {
		session_call(session, turn->job);
		return;
	}
	(void)event_del(turn->errand->patience);
	int rc = session_files(turn->errand);
	if (rc != -EINPROGRESS)
		session_file_done(turn->errand, rc);
}

/* A call that ends before it came to its turn leaves the session as it is; the first one of all
 * takes it along. */
void session_fill_uncalled(struct job *job)
{
	const struct session *session = job->turn.session;
	if (job->status.state != SESSION_ALONE)
		return;
	session_status(session, &job->status);
	if (session->cell)
		return;
	job->status = (struct session_status){.state = SESSION_LOST};
	(void)snprintf(job->status.lost_why, sizeof(job->status.lost_why), "%s",
		session->closing ? session->why : FIRST_CALL_CANCELLED);
}

/* To a turn that is in no line. */
void turn_refuse(struct service *service, struct turn *turn, const char *id, const char *why)
{
	struct session_status status;
	struct err err;

	session_gone_words(service, id, &status, &err);
	if (why)
		(void)snprintf(status.lost_why, sizeof(status.lost_why), "%s", why);
	if (turn->job) {
		turn->job->status = status;
		turn->job->fault = err;
		turn->job->facts.cause = END_FAULT;
		end_answer_without_cell(turn->job);
	} else {
		turn->errand->answer.status = status;
		turn->errand->answer.err = err;
		errand_answer(turn->errand);
	}
}

void session_take_job(struct service *service, struct job *job)
{
	const struct job_session *wanted = &job->spec.session;
	struct session *session = session_find(service, wanted->id);

	job->turn.job = job;
	if (wanted->use == SESSION_NEW) {
		if (session_begin(service, job, &job->fault) == 0) {
			dispatch_enqueue(service, job);
			return;
		}
		job->facts.cause = END_FAULT;
		end_answer_without_cell(job);
	} else if (!session || session->closing) {
		turn_refuse(service, &job->turn, wanted->id, NULL);
	} else {
		job->queued_us = clock_now_us();
		join_line(session, &job->turn);
	}
}

static void answer_state(struct errand *errand, struct session *session)
{
	uint64_t room = 0;
	session_status(session, &errand->answer.status);
	/* Before it has a cell nobody knows, and the write itself will see. */
	if (!session->cell || session->cell->work_fd < 0)
		room = LIMIT_WORK_BYTES_MAX;
	else if (session_room(session, errand->request.memory_bytes, &room) < 0)
		room = LIMIT_WORK_BYTES_MAX;
	errand->answer.room_bytes = room;
}

/* Takes the descriptors. */
void session_take_errand(struct service *service, struct errand *errand, struct span fields,
	int *fds, size_t fd_count)
{
	struct session_request *request = &errand->request;
	int rc = session_request_decode(fields, fds, fd_count, request, &errand->answer.err);
	struct session *session = session_find(service, request->id);

	if (rc < 0) {
		errand_answer(errand);
		return;
	}
	if (!session || session->closing) {
		turn_refuse(service, &errand->turn, request->id, NULL);
		return;
	}
	switch (request->verb) {
	case SESSION_CLOSE:
		session_stop(session, "it was closed");
		errand->answer.status =
			(struct session_status){.state = SESSION_LOST, .lost_why = "it was closed"};
		errand_answer(errand);
		return;
	case SESSION_EXTEND:
		session_extend(session, request->idle_ms, request->life_ms);
		__attribute__((fallthrough));
	case SESSION_STATE:
		/* A clock that has no memory may just have ended it. */
		session = session_find(service, request->id);
		if (session)
			answer_state(errand, session);
		errand_answer(errand);
		return;
	case SESSION_WRITE:
	case SESSION_READ:
	case SESSION_LIST:
	case SESSION_STAT:
	case SESSION_REMOVE:
	case SESSION_MKDIR:
	case SESSION_MOVE:
		break;
	}
	if (session->now && only_looks(request->verb) && session->cell &&
		session->cell->work_fd >= 0) {
		session_look(errand, session);
		errand_answer(errand);
		return;
	}
	join_with_patience(session, errand);
}

struct errand *errand_new(struct service *service, struct channel *channel)
{
	struct errand *errand = calloc(1, sizeof(*errand));
	if (!errand)
		return NULL;
	errand->turn.errand = errand;
	errand->service = service;
	errand->channel = channel;
	errand->file_fd = errand->folder_fd = -1;
	session_request_init(&errand->request);
	session_answer_init(&errand->answer);
	return errand;
}

void errand_free(struct errand *errand)
{
	struct session *session = errand->turn.session;
	bool served = session && session->now == &errand->turn;

	if (errand->step)
		event_free(errand->step);
	if (errand->patience)
		event_free(errand->patience);
	session_write_drop(errand);
	session_request_done(&errand->request);
	session_answer_done(&errand->answer);
	if (served) {
		errand->turn.session = NULL;
		session_served(session);
	} else {
		session_leave_line(&errand->turn);
	}
	free(errand);
}

void errand_answer(struct errand *errand)
{
	if (errand->channel)
		channel_answer_errand(errand->channel, &errand->answer);
	errand->channel = NULL;
	errand_free(errand);
}

/*
 * session: birth, clocks and end. What a session's ids are worth is the client's affair; here an id
 * names a cell, and nothing else.
 */
#include "service/session.h"

#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct session *session_find(struct service *service, const char *id)
{
	struct session *session;
	TAILQ_FOREACH(session, &service->sessions, entry)
	if (strcmp(session->id, id) == 0)
		return session;
	return NULL;
}

/* What still takes the place of a session that is no more: words for those who ask. */
void session_gone_words(
	struct service *service, const char *id, struct session_status *status, struct err *err)
{
	*status = (struct session_status){.state = SESSION_LOST};
	for (size_t i = 0; i < SESSIONS_GONE; i++)
		if (strcmp(service->gone[i].id, id) == 0)
			memcpy(status->lost_why, service->gone[i].why, sizeof(status->lost_why));
	(void)err_set(err, -ESRCH, "session", "no such session%s%s; begin a new one",
		status->lost_why[0] ? ": " : "", status->lost_why);
}

static void bury(const struct session *session, const char *why)
{
	struct service *service = session->service;
	size_t i = service->gone_next++ % SESSIONS_GONE;
	memcpy(service->gone[i].id, session->id, sizeof(service->gone[i].id));
	(void)snprintf(service->gone[i].why, sizeof(service->gone[i].why), "%s", why);
}

static uint64_t left_ms(uint64_t end_us)
{
	uint64_t now_us = clock_now_us();
	return end_us > now_us ? (end_us - now_us + 999) / 1000 : 0;
}

void session_status(const struct session *session, struct session_status *status)
{
	*status = (struct session_status){
		.state = SESSION_ALIVE,
		.idle_left_ms = session->now ? session->idle_ms : left_ms(session->idle_end_us),
		.life_left_ms = left_ms(session->life_end_us),
	};
}

static void on_clock(evutil_socket_t fd, short what, void *context)
{
	struct session *session = context;
	(void)fd;
	(void)what;
	/* What is served is not broken off: it has limits of its own, and the line looks again. */
	if (session->now)
		return;
	session_stop(
		session, session_is_over(session) ? SESSION_WHY_OVER : "it was idle for too long");
}

bool session_is_over(const struct session *session)
{
	return clock_now_us() >= session->life_end_us;
}

/* Sets the clock for whichever end comes first. */
void session_expire_soon(struct session *session)
{
	uint64_t end_us = session->idle_end_us < session->life_end_us ? session->idle_end_us
								      : session->life_end_us;
	uint64_t after_ms = left_ms(end_us);
	const struct timeval after = {.tv_sec = (time_t)(after_ms / 1000),
		.tv_usec = (suseconds_t)(after_ms % 1000 * 1000)};
	if (event_add(session->clock, &after) < 0)
		session_stop(session, "the service had no memory for its clock");
}

int session_cut_wall(struct session *session)
{
	struct job *job = session->now ? session->now->job : NULL;
	uint64_t left = left_ms(session->life_end_us);
	if (!job || job->interrupted || job->facts.cause != END_NONE)
		return 0;
	bool runs = job->call && session->cell->state == CELL_RUNNING;
	uint64_t passed = runs ? (clock_now_us() - job->started_us) / 1000 : 0;
	uint64_t most = passed + left ? passed + left : 1;
	job->life_cut = most < job->wall_asked_ms;
	job->spec.limits.wall_ms = job->life_cut ? (uint32_t)most : job->wall_asked_ms;
	return runs ? run_watch_wall(session->cell) : 0;
}

void session_extend(struct session *session, uint64_t idle_ms, uint64_t life_ms)
{
	uint64_t now_us = clock_now_us();
	if (idle_ms)
		session->idle_ms = idle_ms;
	if (life_ms)
		session->life_end_us = now_us + life_ms * 1000;
	session->idle_end_us = now_us + session->idle_ms * 1000;
	if (!session->now)
		session_expire_soon(session);
	else if (session_cut_wall(session) < 0)
		session_stop(session, "the service had no memory for its clock");
}

static void free_session(struct session *session)
{
	if (session->clock)
		event_free(session->clock);
	if (session->next)
		event_free(session->next);
	free(session->inputs);
	free(session->seen.entries);
	free(session);
}

static uint32_t sessions_of(const struct service *service, const char *role)
{
	const struct session *session;
	uint32_t count = 0;
	TAILQ_FOREACH(session, &service->sessions, entry)
	count += strcmp(session->role_name, role) == 0;
	return count;
}

/* Three quarters of the slots at most, and where there are several roles one less than a role's
 * share of them: lone jobs always find some. */
static int may_begin(const struct service *service, const struct job_spec *spec, struct err *err)
{
	const char *id = spec->session.id;
	uint32_t most = service->cell_count - (service->cell_count + 3) / 4;
	bool shared = service->role_count > 1 && most > 1;
	if (service->tree.dirs[CGROUP_UNIFIED] < 0 && service->tree.dirs[CGROUP_FREEZER] < 0)
		return err_set(err, -ENOTSUP, "session",
			"this host gives no way to freeze a cell (cgroup v2, or v1's freezer), "
			"which sessions need; run the code without one");
	if (session_find((struct service *)(uintptr_t)service, id))
		return err_set(err, -EEXIST, "session", "there is a session of this id");
	if (service->session_count >= most ||
		(shared && sessions_of(service, spec->role) >= most - 1))
		return err_set(err, -EAGAIN, "session",
			"as many sessions as fit are open (%u); close one or try later",
			service->session_count);
	if (!pool_spare_bytes(service))
		return err_set(err, -EAGAIN, "session",
			"this machine has no memory left for another session; close one or try "
			"later");
	return 0;
}

int session_begin(struct service *service, struct job *job, struct err *err)
{
	const struct job_session *wanted = &job->spec.session;
	int rc = may_begin(service, &job->spec, err);
	if (rc < 0)
		return rc;
	struct session *session = calloc(1, sizeof(*session));
	if (!session)
		return err_sys(err, -ENOMEM, "session", "making a session");
	session->clock = event_new(service->base, -1, 0, on_clock, session);
	session->next = event_new(service->base, -1, 0, session_on_next, session);
	if (!session->clock || !session->next) {
		free_session(session);
		return err_sys(err, -ENOMEM, "session", "making a session");
	}
	session->service = service;
	memcpy(session->id, wanted->id, sizeof(session->id));
	memcpy(session->role_name, job->spec.role, sizeof(session->role_name));
	TAILQ_INIT(&session->line);
	session->idle_ms = wanted->idle_ms;
	session->life_end_us = clock_now_us() + wanted->life_ms * 1000;
	session->limits = job->spec.limits;
	session->now = &job->turn;
	job->turn = (struct turn){.session = session, .job = job};
	TAILQ_INSERT_TAIL(&service->sessions, session, entry);
	service->session_count++;
	return 0;
}

/* The slot is the session's now: it counts in the role's share as long as the session lives. */
void session_own(struct session *session, struct cell *cell)
{
	struct job *job = cell->job;
	session->cell = cell;
	cell->session = session;
	session->role = job->role;
	session->counted = job->counted;
	job->counted = false;
}

static void answer_line(struct session *session, const char *why)
{
	struct turn *turn;
	while ((turn = TAILQ_FIRST(&session->line))) {
		session_leave_line(turn);
		turn_refuse(session->service, turn, session->id, why);
	}
}

/* Ends the session and answers who waits for it. Its cell is the caller's to take down. */
void session_end(struct session *session, const char *why)
{
	struct service *service = session->service;

	TAILQ_REMOVE(&service->sessions, session, entry);
	service->session_count--;
	if (session->counted)
		service->roles[session->role].active--;
	if (session->cell)
		session->cell->session = NULL;
	session->cell = NULL;
	bury(session, why);
	if (session->now) {
		struct turn *turn = session->now;
		session->now = NULL;
		turn->session = NULL;
		if (turn->errand)
			turn_refuse(service, turn, session->id, why);
	}
	answer_line(session, why);
	free_session(session);
}

/* The same whatever it is doing: a call that runs is cancelled, its answer says that the session is
 * lost. */
void session_stop(struct session *session, const char *why)
{
	struct cell *cell = session->cell;
	struct job *job = session->now ? session->now->job : NULL;
	struct err none = {0};

	if (session->closing)
		return;
	if (job)
		(void)snprintf(session->why, sizeof(session->why), "%s", why);
	session->closing = job != NULL;
	if (!job) {
		session_end(session, why);
		if (cell && cell->state == CELL_SESSION_IDLE)
			cell_kill(cell);
	} else if (!cell) { /* it waits for its first cell: with its job it goes */
		job->facts.cause = END_CANCELLED;
		dispatch_forget(session->service, job);
		end_answer_without_cell(job);
	} else if (cell->state == CELL_RUNNING) {
		end_job(cell, END_CANCELLED);
	} else if (cell->state != CELL_FREEZING) {
		job->facts.cause = END_CANCELLED;
		cell_fail(cell, &none);
	}
}

void session_end_all(struct service *service, const char *why)
{
	struct session *session;
	/* Ending one may end others: from the start each time. */
	do {
		TAILQ_FOREACH(session, &service->sessions, entry)
		/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): what is freed is off the list */
		if (!session->closing)
			break;
		if (session)
			session_stop(session, why);
	} while (session);
}

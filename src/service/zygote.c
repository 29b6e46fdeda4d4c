/*
 * zygote: the warm interpreters. One for each level, and for each role that is to have its own;
 * started when first needed, asked to fork a runner for each cell, replaced when worn out or dead.
 */
#include "service/service.h"

#include "base/clock.h"
#include "base/fd.h"
#include "wire/mutant.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define RETRY_US 5000000u
#define SLOW_START_US 5000000u
#define START_LIMIT_SECONDS 60 /* the warmest imports take a second or two, twenty without KVM */

static void on_message(evutil_socket_t fd, short what, void *context);

static struct warm *forking(const struct zygote *zygote)
{
	const struct warm *first = &zygote->warm[0], *second = &zygote->warm[1];
	const struct warm *found = first->state == WARM_READY	 ? first
				   : second->state == WARM_READY ? second
								 : NULL;
	return (struct warm *)(uintptr_t)found;
}

static bool starting(const struct zygote *zygote)
{
	return zygote->warm[0].state == WARM_STARTING || zygote->warm[1].state == WARM_STARTING;
}

bool zygote_is_awaited(const struct zygote *zygote)
{
	uint64_t now_us = clock_now_us();
	for (size_t i = 0; i < 2; i++)
		if (zygote->warm[i].state == WARM_STARTING &&
			(!forking(zygote) || now_us - zygote->warm[i].born_us > SLOW_START_US))
			return true;
	return false;
}

bool zygote_ready(const struct zygote *zygote)
{
	return forking(zygote) != NULL;
}

/* After so many failures jobs are told, for a while; then it is tried once more. */
static bool given_up(const struct zygote *zygote)
{
	return zygote->failures >= ZYGOTE_FAILURES_MAX &&
	       clock_now_us() - zygote->failed_us < RETRY_US;
}

bool zygote_failed(const struct zygote *zygote)
{
	return !forking(zygote) && !starting(zygote) && given_up(zygote);
}

static bool idle(const struct service *service, const struct zygote *zygote)
{
	if (starting(zygote))
		return false;
	for (uint32_t i = 0; i < service->cell_count; i++)
		if (service->cells[i].zygote == zygote && service->cells[i].state != CELL_FREE)
			return false;
	return true;
}

static void end_warm(struct warm *warm);

/* A place for a role's own zygote: a new one, or that of the role not heard of for longest. */
static struct zygote *place_for_role(struct service *service)
{
	struct zygote *oldest = NULL;
	if (service->zygote_count < ZYGOTES_MAX)
		return &service->zygotes[service->zygote_count++];
	for (size_t i = service->level_count; i < ZYGOTES_MAX; i++) {
		struct zygote *zygote = &service->zygotes[i];
		if (idle(service, zygote) && (!oldest || zygote->used_us < oldest->used_us))
			oldest = zygote;
	}
	for (size_t i = 0; oldest && i < 2; i++)
		if (oldest->warm[i].state != WARM_OFF)
			end_warm(&oldest->warm[i]);
	bool gone =
		oldest && oldest->warm[0].state == WARM_OFF && oldest->warm[1].state == WARM_OFF;
	return gone ? oldest : NULL;
}

struct zygote *zygote_for(struct service *service, const struct job *job)
{
	const struct job_spec *spec = &job->spec;
	struct zygote *level = job->level;
	if (!spec->isolate)
		return level;
	for (size_t i = service->level_count; i < service->zygote_count; i++)
		if (service->zygotes[i].warmth == level->warmth &&
			strcmp(service->zygotes[i].role, spec->role) == 0)
			return &service->zygotes[i];
	struct zygote *own = place_for_role(service);
	if (!own)
		return NULL; /* all are busy: the job waits */
	*own = *level;
	memset(&own->fault, 0, sizeof(own->fault));
	own->failures = own->park_target = own->park_floor = 0;
	for (size_t i = 0; i < 2; i++)
		own->warm[i] = (struct warm){.zygote = own, .pidfd = -1, .control_fd = -1};
	(void)snprintf(own->role, sizeof(own->role), "%s", spec->role);
	return own;
}

/* The cells that wait for it will wait in vain. */
static void fail_cells(struct warm *warm)
{
	struct service *service = warm->zygote->service;
	for (uint32_t i = 0; i < service->cell_count; i++) {
		struct cell *cell = &service->cells[i];
		if (cell->warm != warm || !cell->answer_due)
			continue;
		cell->answer_due = false;
		cell->orphan = true;
		if (cell->state == CELL_DYING)
			cell_kill(cell); /* it waited for the answer alone */
		else
			cell_fail(cell, &warm->zygote->fault);
	}
}

static void drop_limit(struct warm *warm)
{
	if (warm->limit)
		event_free(warm->limit);
	warm->limit = NULL;
}

static void end_warm(struct warm *warm)
{
	drop_limit(warm);
	if (warm->read)
		event_free(warm->read);
	warm->read = NULL;
	fd_close(&warm->control_fd);
	if (warm->pidfd < 0) {
		warm->state = WARM_OFF;
		return;
	}
	warm->state = WARM_ENDING;
	(void)syscall(SYS_pidfd_send_signal, warm->pidfd, SIGKILL, NULL, 0);
}

static void lose(struct warm *warm)
{
	struct zygote *zygote = warm->zygote;
	zygote->failures++;
	zygote->failed_us = clock_now_us();
	if (!zygote->fault.code)
		(void)err_set(
			&zygote->fault, -ECHILD, "zygote", "the %s zygote ended", zygote->level);
	end_warm(warm);
	fail_cells(warm);
	dispatch(zygote->service);
}

void zygote_stuck(struct warm *warm)
{
	(void)err_set(&warm->zygote->fault, -ETIMEDOUT, "zygote", "the %s zygote does not answer",
		warm->zygote->level);
	lose(warm);
}

/* Without a process the maker has not answered, and will make no cell either. */
static void on_start_limit(evutil_socket_t fd, short what, void *context)
{
	struct warm *warm = context;
	(void)fd;
	(void)what;
	if (warm->pidfd < 0)
		service_abandon(warm->zygote->service, "the maker does not answer");
	zygote_stuck(warm);
}

static void on_ended(evutil_socket_t fd, short what, void *context)
{
	struct warm *warm = context;
	siginfo_t info = {0};
	bool expected = warm->state == WARM_ENDING;
	(void)what;

	if (waitid(P_PIDFD, (id_t)fd, &info, WEXITED | WNOHANG) < 0 || info.si_pid == 0)
		return;
	event_free(warm->ended);
	warm->ended = NULL;
	fd_close(&warm->pidfd);
	if (!expected) {
		lose(warm);
		return;
	}
	warm->state = WARM_OFF;
	dispatch(warm->zygote->service);
}

static uint32_t id_of(const struct warm *warm)
{
	const struct service *service = warm->zygote->service;
	size_t zygote = (size_t)(warm->zygote - service->zygotes);
	return service->cell_count + (uint32_t)(2 * zygote + (size_t)(warm - warm->zygote->warm));
}

static int ask_maker(struct warm *warm, struct err *err)
{
	struct service *service = warm->zygote->service;
	struct zygote_hello hello = {
		.version = CELL_PROTOCOL_VERSION | MUTANT_VERSION,
		/* Where nothing is parked, one job is all there is: it imports what it needs. */
		.cold = service->start.park_max == 0 && warm->zygote->warmth == 0,
		.filter = service->filter,
	};
	const struct timeval start_limit = {.tv_sec = START_LIMIT_SECONDS};
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(err, -errno, "zygote", "socketpair");
	warm->control_fd = pair[0];
	warm->read =
		event_new(service->base, warm->control_fd, EV_READ | EV_PERSIST, on_message, warm);
	warm->limit = event_new(service->base, -1, 0, on_start_limit, warm);
	if (!warm->read || !warm->limit || event_add(warm->limit, &start_limit) < 0) {
		(void)close(pair[1]);
		return err_sys(err, -ENOMEM, "zygote", "event_new");
	}
	memcpy(hello.level, warm->zygote->level, sizeof(hello.level));
	/* It waits in the socket until the zygote is there to read it. */
	ssize_t sent = fd_send(pair[0], &hello, sizeof(hello), NULL, 0);
	int rc = sent < 0 ? err_sys(err, (int)sent, "zygote", "greeting the zygote")
			  : maker_ask_zygote(&service->maker, id_of(warm), warm->zygote->level,
				    pair[1], err);
	(void)close(pair[1]);
	return rc;
}

static void start(struct zygote *zygote)
{
	for (size_t i = 0; i < 2; i++) {
		struct warm *warm = &zygote->warm[i];
		if (warm->state != WARM_OFF)
			continue;
		warm->state = WARM_STARTING;
		warm->forks = warm->answers_due = 0;
		warm->born_us = clock_now_us();
		memset(&zygote->fault, 0, sizeof(zygote->fault));
		if (ask_maker(warm, &zygote->fault) < 0)
			lose(warm);
		return;
	}
}

void zygote_ensure(struct zygote *zygote)
{
	zygote->used_us = clock_now_us();
	if (!forking(zygote) && !starting(zygote) && !given_up(zygote))
		start(zygote);
}

void zygote_on_born(
	struct service *service, uint32_t id, const struct maker_answer *answer, int pidfd)
{
	struct warm *warm = &service->zygotes[id / 2].warm[id % 2];

	warm->pid = answer->pid;
	warm->pidfd = pidfd;
	if (pidfd < 0) {
		warm->zygote->fault = answer->err;
		lose(warm);
		return;
	}
	/* What it says is listened to from here on: one that is given up before it is known could
	 * neither be ended nor told from its successor. */
	warm->ended = event_new(service->base, pidfd, EV_READ, on_ended, warm);
	if (!warm->ended || event_add(warm->ended, NULL) < 0 || event_add(warm->read, NULL) < 0)
		service_abandon(service, "no memory to wait for a zygote");
}

/* All its children share its hash secret and its address layout: not for ever. */
static bool worn_out(const struct warm *warm)
{
	const struct launch_message *start_message = &warm->zygote->service->start;
	return warm->forks >= start_message->zygote_jobs ||
	       clock_now_us() - warm->born_us >= start_message->zygote_age_s * 1000000ull;
}

static void retire(struct warm *warm)
{
	warm->state = WARM_RETIRING;
	if (!warm->answers_due)
		end_warm(warm);
}

static void on_ready(struct warm *warm, const struct zygote_ready *ready)
{
	struct zygote *zygote = warm->zygote;
	struct warm *other = &zygote->warm[warm == &zygote->warm[0] ? 1 : 0];

	if (ready->err.code) {
		zygote->fault = ready->err;
		zygote->failures = ZYGOTE_FAILURES_MAX; /* trying again would fail again */
		lose(warm);
		return;
	}
	drop_limit(warm);
	warm->state = WARM_READY;
	zygote->failures = 0;
	if (other->state == WARM_READY)
		retire(other);
	dispatch(zygote->service);
}

static void on_spawned(struct warm *warm, const struct zygote_answer *answer)
{
	struct service *service = warm->zygote->service;
	warm->answers_due -= warm->answers_due > 0;
	cell_on_spawned(&service->cells[answer->slot], answer);
	if (warm->state == WARM_RETIRING && !warm->answers_due)
		end_warm(warm);
}

static void on_message(evutil_socket_t fd, short what, void *context)
{
	struct warm *warm = context;
	union {
		struct zygote_ready ready;
		struct zygote_answer answer;
	} message;
	size_t none = 0;
	(void)what;

	memset(&message, 0, sizeof(message));
	ssize_t got = fd_receive(fd, &message, sizeof(message), NULL, &none);
	bool forks = warm->state == WARM_READY || warm->state == WARM_RETIRING;
	if (warm->state == WARM_STARTING && got == (ssize_t)sizeof(message.ready))
		on_ready(warm, &message.ready);
	else if (forks && got == (ssize_t)sizeof(message.answer) &&
		 message.answer.slot < warm->zygote->service->cell_count)
		on_spawned(warm, &message.answer);
	else if (got != -EAGAIN)
		lose(warm);
}

int zygote_spawn(struct zygote *zygote, struct cell *cell, struct err *err)
{
	struct service *service = cell->service;
	struct warm *warm = forking(zygote);
	int fds[2 + CELL_FD_COUNT + CELL_CGROUP_FDS_MAX];
	size_t count = 0;
	struct zygote_spawn spawn = {
		.slot = cell->slot,
		.cgroup_fds = (uint32_t)cell->join_count,
		.has_unified = cell->cgroup.dirs[CGROUP_UNIFIED] >= 0,
		.one_uid = service->start.one_uid,
		.skip = service->skip | LEFT_OUT_ALL,
		.processes = layer_in(service->skip & ~LEFT_OUT_ALL, LAYER_PIDS)
				     ? limits_default.processes
				     : 0,
		.file_bytes = RUNNER_FILE_BYTES,
	};
	if (!warm)
		return err_set(err, -ECHILD, "zygote", "the %s zygote is gone", zygote->level);
	fds[count++] = cell->init_pidfd;
	for (size_t i = 0; i < CELL_FD_COUNT; i++)
		fds[count++] = cell->child_fds[i];
	if (spawn.has_unified)
		fds[count++] = cell->cgroup.dirs[CGROUP_UNIFIED];
	for (size_t i = 0; i < cell->join_count; i++)
		fds[count++] = cell->join_fds[i];
	ssize_t sent = fd_send(warm->control_fd, &spawn, sizeof(spawn), fds, count);
	cell_close_joins(cell);
	if (sent < 0)
		return err_sys(err, (int)sent, "zygote", "asking the zygote");
	cell->warm = warm;
	cell->answer_due = true;
	warm->forks++;
	warm->answers_due++;
	if (worn_out(warm) && !starting(zygote))
		start(zygote);
	return 0;
}

/*
 * cell_make: from a free slot to a parked cell.
 *
 *	cgroup ─► init (maker) ─► its maps ─► its folders ─► runner (zygote) ─► seal ─► park
 *
 * Each arrow is a message; the loop is free between them. Whatever fails goes to cell_fail with the
 * layer's name, and no job ever starts in what was built so far.
 */
#include "service/service.h"

#include "base/fd.h"
#include "jail/ns.h"
#include "service/yield.h"
#include "wire/mutant.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A cell that is not parked by then never will be. */
#define MAKE_LIMIT_US (20u * 1000 * 1000)

void cell_init(struct service *service, struct cell *cell, uint32_t slot)
{
	memset(cell, 0, sizeof(*cell));
	cell->service = service;
	cell->slot = slot;
	cell->net_fd = -1;
	int *const fds[] = {&cell->init_pidfd, &cell->runner_pidfd, &cell->init_socket_fd,
		&cell->work_fd, &cell->tmp_fd, &cell->shm_fd, &cell->stdin_fd, &cell->stdout_fd,
		&cell->stderr_fd, &cell->control_in_fd, &cell->control_out_fd, &cell->listener_fd,
		&cell->oom_fd, &cell->input_mount_fd, &cell->input_copy_fd, &cell->memory_watch};
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		*fds[i] = -1;
	for (size_t i = 0; i < CELL_FD_COUNT; i++)
		cell->child_fds[i] = -1;
	cgroup_init(&cell->cgroup);
	control_init(cell);
}

static void on_make_limit(evutil_socket_t fd, short what, void *context)
{
	struct cell *cell = context;
	struct err err;
	(void)fd;
	(void)what;
	/* Who owes the answer does not work any more, for no cell. */
	if (cell->state == CELL_MAKING)
		service_abandon(cell->service, "the maker does not answer");
	if (cell->state == CELL_SPAWNING) {
		zygote_stuck(cell->warm);
		return;
	}
	(void)err_set(&err, -ETIMEDOUT, "cell", "a cell could not be made in time");
	cell_fail(cell, &err);
}

static int watch_memory(struct cell *cell)
{
	char path[64];
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d/memory.events",
		cell->cgroup.dirs[CGROUP_UNIFIED]);
	return inotify_add_watch(cell->service->inotify_fd, path, IN_MODIFY);
}

static int make_cgroup(struct cell *cell, struct err *err)
{
	struct service *service = cell->service;
	const struct cgroup_limits limits = {
		.memory_bytes = limits_default.memory_bytes,
		/* init is one task more */
		.processes = limits_default.processes + 1,
		.cpus = limits_default.cpus,
	};
	char name[32];

	(void)snprintf(
		name, sizeof(name), "cell-%u-%llu", cell->slot, (unsigned long long)cell->sequence);
	int rc = cgroup_make(&service->tree, name, &cell->cgroup, err);
	if (!rc)
		rc = cgroup_limit(&cell->cgroup, &limits, service->skip | LEFT_OUT_ALL, err);
	if (rc < 0)
		return rc;
	if (cell->cgroup.v2)
		cell->memory_watch = watch_memory(cell);
	yield_set(cell, !cell->job || cell->job->yields);
	cell->oom_fd = cgroup_oom_eventfd(&cell->cgroup, err);
	return cell->oom_fd < 0 && cell->oom_fd != -ENOTSUP ? cell->oom_fd : 0;
}

void cell_make(struct cell *cell, struct zygote *zygote)
{
	struct err err = {0};
	int pair[2] = {-1, -1};

	cell->state = CELL_MAKING;
	cell->zygote = zygote;
	cell->sequence++;
	int rc = cell_timer(cell, WATCH_WALL, MAKE_LIMIT_US, on_make_limit);
	if (!rc)
		rc = make_cgroup(cell, &err);
	if (!rc && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		rc = err_sys(&err, -errno, "cell", "socketpair");
	if (rc < 0) {
		cell_fail(cell, &err);
		return;
	}
	cell->init_socket_fd = pair[0];
	rc = maker_ask_init(&cell->service->maker, cell->slot, pair[1],
		cell->cgroup.dirs[CGROUP_UNIFIED], cell->net_fd, &err);
	(void)close(pair[1]);
	cell->answer_due = rc == 0;
	if (rc < 0)
		cell_fail(cell, &err);
}

uint32_t cell_uid(const struct cell *cell)
{
	/* 0 is the service; then each slot has two, its init's and its job's. */
	return cell->service->start.one_uid ? 0 : 2 + 2 * cell->slot;
}

static int map_uids(struct cell *cell, struct err *err)
{
	const struct service *service = cell->service;
	uint32_t job_uid = LEFT_OUT(LAYER_UID) ? 2 : cell_uid(cell);
	const struct id_map own[] = {{CELL_INIT_UID, job_uid - 1, 1}, {CELL_UID, job_uid, 1}};
	const struct id_map shared[] = {{CELL_UID, 0, 1}};

	if (service->start.one_uid)
		return ns_write_maps(service->proc_fd, cell->init_pid, shared, 1, true, err);
	return ns_write_maps(service->proc_fd, cell->init_pid, own, 2, false, err);
}

void cell_close_joins(struct cell *cell)
{
	while (cell->join_count)
		fd_close(&cell->join_fds[--cell->join_count]);
}

static void on_init_answer(evutil_socket_t fd, short what, void *context);

static int ask_setup(struct cell *cell, struct err *err)
{
	struct init_request request = {
		.verb = INIT_SETUP,
		.work_bytes = limits_default.work_bytes,
		.work_inodes = limits_default.work_inodes + 1, /* the folder itself is one */
		.tmp_bytes = limits_default.work_bytes,
		.skip = cell->service->skip | LEFT_OUT_ALL,
		.one_uid = cell->service->start.one_uid,
	};
	int rc = cgroup_attach_files(&cell->cgroup, cell->join_fds, &cell->join_count, err);
	if (rc < 0)
		return rc;
	request.cgroup_fds = (uint32_t)cell->join_count;
	cell->work_bytes = limits_default.work_bytes;
	cell->work_inodes = limits_default.work_inodes;
	ssize_t sent = fd_send(
		cell->init_socket_fd, &request, sizeof(request), cell->join_fds, cell->join_count);
	return sent < 0 ? err_sys(err, (int)sent, "cell", "speaking with the cell's init") : 0;
}

void cell_on_init_born(struct cell *cell, const struct maker_answer *answer, int pidfd, int net_fd)
{
	struct err err = answer->err;

	cell->answer_due = false;
	if (net_fd >= 0) {
		fd_close(&cell->net_fd);
		cell->net_fd = net_fd;
	}
	cell->init_pidfd = pidfd;
	cell->init_pid = answer->pid;
	int rc = err.code;
	if (!rc && pidfd < 0) {
		cell->orphan = true; /* it ends with its socket, and is reaped by its pid */
		rc = err_set(&err, -EMFILE, "pidns", "no descriptor is free for the cell's init");
	}
	if (!rc)
		rc = cell_watch(cell, WATCH_INIT_PIDFD, pidfd, EV_READ, cell_on_init_ended);
	if (cell->state != CELL_MAKING) { /* failed meanwhile: it was only waiting for this */
		cell_kill(cell);
		return;
	}
	if (!rc)
		rc = map_uids(cell, &err);
	if (!rc)
		rc = ask_setup(cell, &err);
	if (!rc)
		rc = cell_watch(cell, WATCH_INIT_SOCKET, cell->init_socket_fd, EV_READ | EV_PERSIST,
			on_init_answer);
	if (rc < 0)
		cell_fail(cell, &err);
	else
		cell->state = CELL_SETTING_UP;
}

/* stdin, stdout, stderr, control in, control out: the runner's end and ours. */
static int make_pipes(struct cell *cell, struct err *err)
{
	int *const ours[CELL_FD_COUNT] = {&cell->stdin_fd, &cell->stdout_fd, &cell->stderr_fd,
		&cell->control_in_fd, &cell->control_out_fd};
	for (size_t i = 0; i < CELL_FD_COUNT; i++) {
		bool runner_reads = i == 0 || i == CELL_FD_CONTROL_IN;
		int ends[2];
		if (pipe2(ends, O_CLOEXEC) < 0)
			return err_sys(err, -errno, "fds", "pipe2");
		*ours[i] = ends[runner_reads ? 1 : 0];
		cell->child_fds[i] = ends[runner_reads ? 0 : 1];
		/* A new one has no other flag that could be lost. */
		if (fcntl(*ours[i], F_SETFL, O_NONBLOCK) < 0)
			return err_sys(err, -errno, "fds", "O_NONBLOCK");
	}
	return 0;
}

static void on_setup_done(
	struct cell *cell, const struct init_answer *answer, const int *fds, size_t count)
{
	struct err err = answer->err;
	int rc = err.code;
	/* The cell's from here on, however few they are. */
	cell->work_fd = fds[0];
	cell->tmp_fd = fds[1];
	cell->shm_fd = fds[2];
	if (!rc && count != INIT_FOLDERS)
		rc = err_set(&err, -EPROTO, "work",
			"%zu of the cell's %u folders came: no descriptor is free", count,
			INIT_FOLDERS);
	if (!rc)
		rc = make_pipes(cell, &err);
	if (!rc)
		rc = zygote_spawn(cell->zygote, cell, &err);
	if (rc < 0)
		cell_fail(cell, &err);
	else
		cell->state = CELL_SPAWNING;
}

static void on_init_answer(evutil_socket_t fd, short what, void *context)
{
	struct cell *cell = context;
	struct init_answer answer;
	struct err err;
	int fds[INIT_FOLDERS] = {-1, -1, -1};
	size_t count = INIT_FOLDERS;
	(void)what;

	ssize_t got = fd_receive(fd, &answer, sizeof(answer), fds, &count);
	if (got != (ssize_t)sizeof(answer)) {
		/* Its end is told by its pidfd, with more to say about why. */
		cell_unwatch(cell, WATCH_INIT_SOCKET);
		return;
	}
	answer.err.text[sizeof(answer.err.text) - 1] = 0;
	answer.err.stage[sizeof(answer.err.stage) - 1] = 0;
	if (cell->state == CELL_SETTING_UP && answer.verb == INIT_SETUP) {
		on_setup_done(cell, &answer, fds, count);
		return;
	}
	for (size_t i = 0; i < count; i++)
		fd_close(&fds[i]);
	if (cell->state == CELL_PLACING) {
		inputs_on_answer(cell, &answer);
		return;
	}
	if (cell->state == CELL_SETTING_UP) {
		(void)err_set(&err, -EPROTO, "cell", "the cell's init answered out of turn");
		cell_fail(cell, &err);
	}
}

void cell_on_spawned(struct cell *cell, const struct zygote_answer *answer)
{
	struct err err = answer->err;
	int rc = err.code;

	cell->answer_due = false;
	for (size_t i = 0; i < CELL_FD_COUNT; i++)
		fd_close(&cell->child_fds[i]);
	if (!rc) {
		cell->runner_pid = answer->pid;
		cell->runner_pidfd = (int)syscall(SYS_pidfd_open, answer->pid, 0);
		if (cell->runner_pidfd < 0) {
			rc = err_sys(&err, -errno, "cell", "pidfd_open");
			cell->orphan = true; /* reaped by its pid, as one unheard of */
		}
	}
	if (!rc)
		rc = cell_watch(cell, WATCH_RUNNER_PIDFD, cell->runner_pidfd, EV_READ,
			cell_on_runner_ended);
	if (cell->state != CELL_SPAWNING) {
		cell_kill(cell);
		return;
	}
	if (!rc)
		rc = cell_watch(cell, WATCH_CONTROL, cell->control_out_fd, EV_READ | EV_PERSIST,
			control_on_readable);
	if (rc < 0)
		cell_fail(cell, &err);
	else
		cell->state = CELL_SEALING;
}

static int release_runner(struct cell *cell)
{
	struct buf frame cleanup_buf;
	size_t mark;
	buf_init(&frame, 64);
	int rc = wire_begin(&frame, CELL_RELEASE, &mark);
	if (!rc && cell->job)
		rc = wire_add_u64(&frame, CELL_TAG_AWAITED, 1);
	if (!rc)
		rc = wire_end(&frame, mark, 0);
	return rc ? rc : fd_write_all(cell->control_in_fd, frame.data, frame.len);
}

void cell_on_sealed(struct cell *cell, int listener_number)
{
	struct err err = {0};
	int rc = 0;

	if (cell->state != CELL_SEALING)
		rc = err_set(&err, -EPROTO, "cell", "sealed out of turn");
	if (!rc && listener_number >= 0)
		rc = notify_take(cell, listener_number, &err);
	else if (!rc && !layer_in(cell->service->skip, LAYER_SECCOMP))
		rc = err_set(&err, -EPROTO, "seccomp", "sealed without a filter");
	if (!rc) {
		rc = release_runner(cell);
		if (rc < 0)
			(void)err_sys(&err, rc, "cell", "releasing the runner");
	}
	if (rc < 0)
		cell_fail(cell, &err);
	else
		cell->state = CELL_PARKING;
}

void cell_on_parked(struct cell *cell)
{
	struct err err = {0};
	int rc = 0;

	if (cell->state != CELL_PARKING)
		rc = err_set(&err, -EPROTO, "cell", "parked out of turn");
	if (!rc)
		rc = receipt_read(cell, &cell->receipt, &err);
	if (rc < 0) {
		cell_fail(cell, &err);
		return;
	}
	cell_unwatch(cell, WATCH_WALL);
	cell->state = CELL_PARKED_IDLE;
	cell->service->cells_parked++;
	struct service *service = cell->service;
	if (cell->job)
		run_begin(cell);
	else /* it wants no CPU; and the job that comes need not wait for this */
		yield_set(cell, false);
	dispatch(service);
}

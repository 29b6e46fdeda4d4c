/*
 * cell_end: taking a cell down, whatever it was doing.
 *
 * Killing init kills all of the pid namespace. The runner is the service's own child, so it is
 * reaped here first; only then can init be, and only then is the cgroup empty and goes.
 */
#include "service/service.h"

#include "base/fd.h"
#include "service/procfs.h"
#include "service/yield.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define REAP_RETRY_US 10000u
#define CLEANUP_RETRY_US 2000u /* doubled with each try */
#define CLEANUP_DOUBLINGS 6u
#define CLEANUP_TOLD 12u /* tries, which is about a second: then the operator is told */
#define ORPHAN_RETRY_US 20000u

static void kill_pidfd(int pidfd)
{
	if (pidfd >= 0)
		(void)syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
}

void cell_fail(struct cell *cell, const struct err *err)
{
	struct job *job = cell->job;
	struct err unsaid;

	if (!err->code) {
		(void)err_set(&unsaid, -ENOMEM, "cell", "the event loop takes no more");
		err = &unsaid;
	}

	if (cell->state == CELL_DYING || cell->state == CELL_FREE)
		return;
	cell->service->cells_failed++;
	if (!job && !cell->session)
		pool_rest(cell->service, err);
	if (job && job->facts.cause == END_NONE) {
		job->fault = *err;
		job->facts.cause = END_FAULT;
	}
	if (job) {
		cell->job = NULL;
		job->cell = NULL;
	}
	char why[sizeof(job->status.lost_why)] = "";
	if (cell->session)
		session_lose(cell, job, why);
	if (job)
		end_answer_without_cell(job);
	if (cell->session)
		session_end(cell->session, why);
	cell_kill(cell);
}

static void forget_memory_watch(struct cell *cell)
{
	if (cell->memory_watch >= 0)
		(void)inotify_rm_watch(cell->service->inotify_fd, cell->memory_watch);
	cell->memory_watch = -1;
}

static void free_slot(struct cell *cell)
{
	uint64_t sequence = cell->sequence;
	int net_fd = cell->net_fd;
	for (int which = 0; which < WATCH_COUNT; which++)
		cell_unwatch(cell, (enum cell_watch)which);
	buf_done(&cell->control);
	cell_init(cell->service, cell, cell->slot);
	cell->sequence = sequence;
	cell->net_fd = net_fd;
	dispatch(cell->service);
}

/* A process whose descriptor could not be watched is asked after now and then. */
static void look_for_the_dead(struct cell *cell)
{
	if (cell->init_pidfd >= 0 && !cell->watch[WATCH_INIT_PIDFD])
		(void)!cell_timer(cell, WATCH_INIT_PIDFD, REAP_RETRY_US, cell_on_init_ended);
	if (cell->runner_pidfd >= 0 && !cell->watch[WATCH_RUNNER_PIDFD])
		(void)!cell_timer(cell, WATCH_RUNNER_PIDFD, REAP_RETRY_US, cell_on_runner_ended);
}

static void clean_up(evutil_socket_t fd, short what, void *context);

/* EBUSY while the last task is on its way out: the kernel tells nobody when it is gone. Whoever has
 * put a task of the host's there keeps the slot from coming back, and no more than that. */
static bool try_later(struct cell *cell)
{
	unsigned tries = cell->cleanup_tries++;
	if (tries == CLEANUP_TOLD)
		(void)fprintf(stderr,
			"{\"event\": \"cell_lingers\", \"cgroup\": \"%s\", \"why\": \"it still "
			"holds "
			"a task\"}\n",
			cell->cgroup.name);
	if (tries > CLEANUP_DOUBLINGS)
		tries = CLEANUP_DOUBLINGS;
	return cell_timer(cell, WATCH_CLEANUP, (uint64_t)CLEANUP_RETRY_US << tries, clean_up) == 0;
}

static void clean_up(evutil_socket_t fd, short what, void *context)
{
	struct cell *cell = context;
	(void)fd;
	(void)what;

	cell_unwatch(cell, WATCH_CLEANUP);
	if (cell->orphan)
		strangers_reap(cell->service);
	/* Not reaped yet, or an answer that will name this slot and bring another process: each
	 * comes back here. */
	if (cell->init_pidfd >= 0 || cell->runner_pidfd >= 0 || cell->answer_due) {
		look_for_the_dead(cell);
		if (cell->orphan)
			(void)!cell_timer(cell, WATCH_CLEANUP, ORPHAN_RETRY_US, clean_up);
		return;
	}
	if (cgroup_remove(&cell->service->tree, &cell->cgroup) == -EBUSY && try_later(cell))
		return;
	cgroup_close(&cell->cgroup);
	free_slot(cell);
}

void cell_kill(struct cell *cell)
{
	static const enum cell_watch watches[] = {WATCH_INIT_SOCKET, WATCH_CONTROL,
		WATCH_CONTROL_WRITE, WATCH_STDOUT, WATCH_STDERR, WATCH_STDIN, WATCH_LISTENER,
		WATCH_OOM, WATCH_WALL, WATCH_CPU, WATCH_COPY, WATCH_CLEANUP};
	int *const fds[] = {&cell->init_socket_fd, &cell->work_fd, &cell->tmp_fd, &cell->shm_fd,
		&cell->stdin_fd, &cell->stdout_fd, &cell->stderr_fd, &cell->control_in_fd,
		&cell->control_out_fd, &cell->listener_fd, &cell->oom_fd};

	for (size_t i = 0; i < sizeof(watches) / sizeof(watches[0]); i++)
		cell_unwatch(cell, watches[i]);
	inputs_forget(cell);
	forget_memory_watch(cell);

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		fd_close(fds[i]);
	for (size_t i = 0; i < CELL_FD_COUNT; i++)
		fd_close(&cell->child_fds[i]);
	cell_close_joins(cell);
	cell->state = CELL_DYING;
	yield_set(cell, true);
	kill_pidfd(cell->init_pidfd);
	kill_pidfd(cell->runner_pidfd);
	cgroup_thaw(&cell->cgroup);
	clean_up(-1, 0, cell);
}

/* True: it is gone. One that ended before the answer that named it may have been reaped among the
 * strangers; then nothing is known of its end. */
static bool reap(int *pidfd, siginfo_t *info, struct rusage *ret_spent)
{
	memset(info, 0, sizeof(*info));
	if (*pidfd < 0)
		return false;
	/* The library's waitid leaves out the fifth argument. */
	long rc = syscall(SYS_waitid, P_PIDFD, *pidfd, info, WEXITED | WNOHANG, ret_spent);
	if (rc < 0 ? errno != ECHILD : info->si_pid == 0)
		return false;
	fd_close(pidfd);
	return true;
}

static void after_reaping(struct cell *cell)
{
	if (cell->state == CELL_DYING)
		clean_up(-1, 0, cell);
	else if (cell->kill_first && cell->init_pidfd < 0 && cell->runner_pidfd < 0)
		end_on_empty(cell);
}

static void fill_end(struct job *job, const siginfo_t *info)
{
	job->facts.exited = true;
	job->facts.exit_code = info->si_code == CLD_EXITED ? info->si_status : -1;
	job->facts.signal = info->si_code == CLD_EXITED ? 0 : info->si_status;
}

/* While the inputs of a later call are placed, what earlier calls left running runs. */
static bool is_left_to_earlier_calls(const struct cell *cell)
{
	return cell->state == CELL_PLACING && cell->job && cell->calls > 0;
}

static void fail_by_init(struct cell *cell, const siginfo_t *info)
{
	struct err err;
	(void)err_set(&err, -ECHILD, "cell", "the cell's init ended (status %d)", info->si_status);
	cell_fail(cell, &err);
}

/* It may have ended the runner in any way, and init by the memory that it took. */
static void end_by_earlier_calls(struct cell *cell, const siginfo_t *info, bool is_init)
{
	struct job *job = cell->job;
	struct cgroup_usage usage;
	struct err err = {0};

	int rc = cgroup_read_usage(&cell->cgroup, &usage);
	if (rc < 0) {
		(void)err_sys(&err, rc, "cgroup", "reading the figures of a cell");
	} else if (is_init && !usage.oom_kills) {
		fail_by_init(cell, info);
		return;
	} else {
		fill_end(job, info);
		job->facts.oom_kills = usage.oom_kills;
		job->facts.cause = END_EXITED;
	}
	cell_fail(cell, &err);
}

void cell_on_runner_ended(evutil_socket_t fd, short what, void *context)
{
	struct cell *cell = context;
	siginfo_t info;
	(void)fd;
	(void)what;

	cell_unwatch(cell, WATCH_RUNNER_PIDFD);
	if (!reap(&cell->runner_pidfd, &info, &cell->spent)) {
		/* Ended, but a tracer has the first look at it: ask again. */
		if (cell_timer(cell, WATCH_RUNNER_PIDFD, REAP_RETRY_US, cell_on_runner_ended) < 0)
			service_abandon(cell->service, "no memory to wait for a runner");
		return;
	}
	struct job *job = cell->job;
	if (cell->state == CELL_RUNNING && job) {
		/* What it wrote before it ended is still in the pipe, a failure's reason too. */
		control_drain(cell);
		if (cell->state != CELL_RUNNING)
			return;
		/* With init the kernel kills its whole namespace: init's own end says why. */
		if (info.si_code != CLD_EXITED && info.si_status == SIGKILL &&
			procfs_is_exiting(cell->service->proc_fd, cell->init_pid))
			return;
		fill_end(job, &info);
		end_job(cell, END_EXITED);
	} else if (cell->state == CELL_FREEZING || cell->state == CELL_DYING) {
		after_reaping(cell);
	} else if (is_left_to_earlier_calls(cell)) {
		end_by_earlier_calls(cell, &info, false);
	} else {
		struct err err;
		control_drain(cell);
		(void)err_set(&err, -ECHILD, "cell", "the runner ended before its job came");
		cell_fail(cell, &err);
	}
}

void cell_on_init_ended(evutil_socket_t fd, short what, void *context)
{
	struct cell *cell = context;
	siginfo_t info;
	(void)fd;
	(void)what;

	cell_unwatch(cell, WATCH_INIT_PIDFD);
	if (!reap(&cell->init_pidfd, &info, NULL)) {
		if (cell_timer(cell, WATCH_INIT_PIDFD, REAP_RETRY_US, cell_on_init_ended) < 0)
			service_abandon(cell->service, "no memory to wait for an init");
		return;
	}
	if (cell->state == CELL_FREEZING || cell->state == CELL_DYING) {
		after_reaping(cell);
		return;
	}
	if (cell->state == CELL_RUNNING && cell->job) {
		/* Nothing inside can end it but the kernel's out-of-memory killer. */
		struct cgroup_usage usage;
		int rc = cgroup_read_usage(&cell->cgroup, &usage);
		if (rc < 0) {
			end_unread(cell, rc);
			return;
		}
		if (usage.oom_kills) {
			end_job(cell, END_MEMORY);
			return;
		}
		run_drain(cell);
	} else if (is_left_to_earlier_calls(cell)) {
		end_by_earlier_calls(cell, &info, true);
		return;
	}
	fail_by_init(cell, &info);
}

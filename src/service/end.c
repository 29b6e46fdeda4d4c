/*
 * end: a job is over. The cell is stopped, drained, read, judged and answered for; only then is it
 * killed, so that exit and unmounting stay off the answer's path.
 */
#include "service/service.h"

#include "base/clock.h"
#include "base/fd.h"
#include "service/artifacts.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A cgroup that does not stand still by then is killed first and read afterwards. */
#define FREEZE_LIMIT_US (200u * 1000)
/* Where killing loses what a session holds, a busy machine is given more time. */
#define FREEZE_LIMIT_SESSION_US (5u * 1000 * 1000)
/* The next look comes after as long again as it has taken until now, within these. */
#define FREEZE_LOOK_LEAST_US 50u
#define FREEZE_LOOK_MOST_US 500u

static void collect(struct cell *cell);

static void begin_kill_first(struct cell *cell)
{
	cell->kill_first = true;
	cell_unwatch(cell, WATCH_CLEANUP);
	cgroup_thaw(&cell->cgroup);
	if (cell->init_pidfd >= 0)
		(void)syscall(SYS_pidfd_send_signal, cell->init_pidfd, SIGKILL, NULL, 0);
	if (cell->init_pidfd < 0 && cell->runner_pidfd < 0)
		end_on_empty(cell);
}

static int look_again(struct cell *cell);

/* Nobody tells: v2's file of events not more often than every 10 ms, and v1's freezer never. */
static void on_look(evutil_socket_t fd, short what, void *context)
{
	struct cell *cell = context;
	uint64_t limit_us = cell->session ? FREEZE_LIMIT_SESSION_US : FREEZE_LIMIT_US;
	(void)fd;
	(void)what;
	if (cgroup_frozen(&cell->cgroup) == 1)
		collect(cell);
	else if (clock_now_us() - cell->job->ended_us > limit_us || look_again(cell) < 0)
		begin_kill_first(cell);
}

static int look_again(struct cell *cell)
{
	uint64_t after_us = clock_now_us() - cell->job->ended_us;
	if (after_us < FREEZE_LOOK_LEAST_US)
		after_us = FREEZE_LOOK_LEAST_US;
	if (after_us > FREEZE_LOOK_MOST_US)
		after_us = FREEZE_LOOK_MOST_US;
	return cell_timer(cell, WATCH_CLEANUP, after_us, on_look);
}

void end_job(struct cell *cell, enum end_cause cause)
{
	static const enum cell_watch clocks[] = {WATCH_WALL, WATCH_CPU, WATCH_OOM, WATCH_STDIN,
		WATCH_STDOUT, WATCH_STDERR, WATCH_LISTENER, WATCH_CONTROL_WRITE, WATCH_COPY};
	struct job *job = cell->job;

	if (cell->state != CELL_RUNNING || !job || session_interrupts(cell, cause))
		return;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		cell_unwatch(cell, clocks[i]);
	if (job->facts.cause == END_NONE || job->facts.cause == END_DONE) /* the first counts */
		job->facts.cause = cause;
	job->ended_us = clock_now_us();
	cell->state = CELL_FREEZING;
	if (cgroup_freeze(&cell->cgroup) < 0) {
		begin_kill_first(cell);
		return;
	}
	/* Usually it stands still at once. */
	if (cgroup_frozen(&cell->cgroup) == 1)
		collect(cell);
	else if (look_again(cell) < 0)
		begin_kill_first(cell);
}

static void fill_output(struct output *from, struct job_output *to)
{
	output_finish(from);
	to->head = span_of(from->head.data, from->head.len);
	to->tail = span_of(from->tail.data, from->tail.len);
	to->bytes = from->bytes;
}

/* A limit that nothing on this host keeps is told as 0. Without their groups processes are still
 * limited by RLIMIT_NPROC and the CPU by affinity; memory is not. */
static void forget_unkept(layer_set missing, struct job_limits *limits)
{
	if (layer_in(missing, LAYER_MEMORY))
		limits->memory_bytes = 0;
}

static void fill_verdict(struct job *job, layer_set missing, struct job_result *result)
{
	job->facts.limits = job->spec.limits;
	struct verdict verdict = verdict_of(&job->facts);
	result->outcome = verdict.outcome;
	result->exit_code = verdict.exit_code;
	result->signal = verdict.signal;
	result->limit_hit = verdict.limit_hit;
	result->syscall = verdict.outcome == OUTCOME_DENIED ? job->facts.syscall : -1;
	result->syscall_arch = job->facts.syscall_arch;
	result->limits = job->spec.limits;
	forget_unkept(missing, &result->limits);
	result->fault = job->fault;
	if (job->started_us)
		result->usage.wall_ms = (job->ended_us - job->started_us + 500) / 1000;
}

/* The nth chart's image lies in the spool as chart-N.png, .svg or .jpg, counted from 1. */
static void open_chart(struct cell *cell, unsigned number, struct job_item *item)
{
	static const char *const suffixes[] = {"png", "svg", "jpg"};
	char name[32];
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]) && item->fd < 0; i++) {
		(void)snprintf(name, sizeof(name), "chart-%u.%s", number, suffixes[i]);
		int fd =
			artifacts_open_spooled(cell->tmp_fd, name, LIMIT_CHART_BYTES, &item->bytes);
		if (fd >= 0)
			item->fd = fd;
	}
}

static void fill_items(
	struct cell *cell, struct job *job, struct job_result *result, struct job_item *items)
{
	unsigned charts = 0;
	for (size_t i = 0; i < job->item_count; i++) {
		items[i] = (struct job_item){
			.kind = job->item[i].kind,
			.payload =
				span_of(job->items.data + job->item[i].offset, job->item[i].bytes),
			.fd = -1,
		};
		if (items[i].kind == ITEM_CHART && cell && ++charts <= LIMIT_CHARTS)
			open_chart(cell, charts, &items[i]);
	}
	result->items = items;
	result->item_count = job->item_count;
}

static uint64_t cell_spent_us(const struct cell *cell)
{
	const struct timeval *user = &cell->spent.ru_utime, *system = &cell->spent.ru_stime;
	return (uint64_t)(user->tv_sec + system->tv_sec) * 1000000u +
	       (uint64_t)(user->tv_usec + system->tv_usec);
}

static void tell_unread(struct job *job, int rc)
{
	(void)err_sys(&job->fault, rc, "cgroup", "reading the figures of a cell");
	job->facts.cause = END_FAULT;
}

void end_unread(struct cell *cell, int rc)
{
	if (cell->job && cell->job->facts.cause != END_FAULT)
		tell_unread(cell->job, rc);
	end_job(cell, END_FAULT);
}

static void fill_usage(struct cell *cell, struct job *job, struct job_result *result)
{
	struct cgroup_usage usage;
	int rc = cgroup_read_usage(&cell->cgroup, &usage);
	if (rc < 0 && job->facts.cause != END_FAULT)
		tell_unread(job, rc);
	/* No group counts where those layers are missing: then what the runner's own end told. */
	job->facts.rlimit_alone = layer_in(cell->service->skip, LAYER_CPU);
	if (job->facts.rlimit_alone)
		usage.cpu_us = cell_spent_us(cell);
	if (layer_in(cell->service->skip, LAYER_MEMORY))
		usage.memory_peak_bytes = (uint64_t)cell->spent.ru_maxrss * KIB;
	job->facts.oom_kills = usage.oom_kills;
	job->facts.cpu_us = usage.cpu_us > job->cpu_base_us ? usage.cpu_us - job->cpu_base_us : 0;
	result->usage.cpu_ms = (job->facts.cpu_us + 500) / 1000;
	result->usage.memory_peak_bytes = usage.memory_peak_bytes;
	if (usage.memory_peak_bytes)
		result->usage.memory_peak_bytes += job->foreign_bytes;
	/* init is counted by the kernel and is not the job's */
	result->usage.processes_peak = usage.processes_peak ? usage.processes_peak - 1 : 0;
}

/* Gives the answer and lets go of the job. */
static void answer(struct job *job, const struct job_result *result)
{
	if (job->channel) {
		channel_answer(job->channel, result);
		channel_forget_job(job->channel);
	}
	dispatch_forget(job->service, job);
	job_free(job);
}

static void on_answered(evutil_socket_t fd, short what, void *context)
{
	(void)fd;
	(void)what;
	cell_kill(context);
}

/* Exit, unmounting and clean-up wait until the loop has nothing else to do; then cell_kill gives
 * what dies the least weight there is, for a while, so that a busy host does not keep dead cells.
 */
static void kill_behind_the_answer(struct cell *cell)
{
	if (cell_timer(cell, WATCH_CLEANUP, 0, on_answered) < 0) {
		cell_kill(cell);
		return;
	}
	(void)event_del(cell->watch[WATCH_CLEANUP]);
	(void)event_priority_set(cell->watch[WATCH_CLEANUP], PRIORITY_BEHIND);
	event_active(cell->watch[WATCH_CLEANUP], EV_TIMEOUT, 0);
}

static void fill_stages(const struct job *job, struct job_stages *stages)
{
	stages->queue_us = job->given_us - job->queued_us;
	stages->handover_us = job->started_us - job->given_us;
	stages->run_us = job->ended_us - job->started_us;
	stages->drain_us = job->drained_us - job->ended_us;
	stages->verdict_us = clock_now_us() - job->drained_us;
}

static void collect_artifacts(struct cell *cell, struct job *job, struct artifacts *artifacts)
{
	const struct job_input *inputs = job->spec.inputs;
	uint32_t count = job->spec.input_count;
	if (cell->session)
		inputs = session_inputs(cell->session, &count);
	artifacts_collect(artifacts, cell->work_fd, inputs, count,
		cell->session ? session_seen(cell->session) : NULL);
}

/* The cell goes behind the answer, or stays for the next call of its session. */
static void leave(struct cell *cell, const struct session_status *status)
{
	if (cell->session)
		session_rest(cell, status);
	if (status->state == SESSION_ALONE || status->state == SESSION_LOST)
		kill_behind_the_answer(cell);
}

static void collect(struct cell *cell)
{
	struct job *job = cell->job;
	struct job_item items[RESULT_ITEMS_MAX];
	struct artifacts artifacts;
	struct job_result result = {.exit_code = -1, .syscall = -1};

	cell_unwatch(cell, WATCH_CLEANUP);
	run_drain(cell);
	control_drain(cell);
	job->drained_us = clock_now_us();
	/* The last bytes of a program that ended by itself may be the ones too many. */
	bool ended = job->facts.cause == END_DONE || job->facts.cause == END_EXITED;
	if (ended && run_output_exceeded(job))
		job->facts.cause = END_OUTPUT;
	cell->collected = true;

	fill_usage(cell, job, &result);
	fill_verdict(job, cell->service->skip, &result);
	stats_count_kill(cell->service, result.outcome);
	fill_output(&job->out, &result.out);
	fill_output(&job->err, &result.err);
	fill_items(cell, job, &result, items);
	collect_artifacts(cell, job, &artifacts);
	result.artifacts = artifacts.found;
	result.artifact_count = artifacts.found_count;
	result.skipped = artifacts.skipped;
	result.skipped_count = artifacts.skipped_count;
	if (job->spec.receipt)
		result.receipt = cell->receipt;

	if (cell->session)
		(void)session_stays(cell, job);
	const struct session_status status = job->status;
	result.session = status;
	fill_stages(job, &result.stages);
	cell->job = NULL;
	answer(job, &result);
	artifacts_done(&artifacts);
	for (size_t i = 0; i < result.item_count; i++)
		fd_close(&items[i].fd);
	leave(cell, &status);
}

void end_on_empty(struct cell *cell)
{
	if (cell->state == CELL_FREEZING && !cell->collected)
		collect(cell);
}

void end_answer_without_cell(struct job *job)
{
	struct job_item items[RESULT_ITEMS_MAX];
	struct job_result result = {.exit_code = -1, .syscall = -1};

	job->ended_us = clock_now_us();
	fill_verdict(job, job->service->skip, &result);
	fill_output(&job->out, &result.out);
	fill_output(&job->err, &result.err);
	fill_items(NULL, job, &result, items);
	if (job->turn.session)
		session_fill_uncalled(job);
	result.session = job->status;
	answer(job, &result);
}

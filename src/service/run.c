/*
 * run: a job in a parked cell. Its limits are written, its inputs placed, its code sent; from the
 * send on the clocks run and the kernel's events are awaited.
 */
#include "service/service.h"

#include "base/clock.h"
#include "base/fd.h"
#include "wire/mutant.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define READ_BYTES (64u * 1024u)
#define CPU_TIMER_FLOOR_US 1000u

void run_begin(struct cell *cell)
{
	cell->state = CELL_PLACING;
	cell->job->given_us = clock_now_us();
	if (cell->session)
		session_prepare(cell);
	else
		run_place(cell);
}

void run_place(struct cell *cell)
{
	struct err err = {0};
	bool ready = run_folder_is_right(cell);

	int rc = run_limit(cell, &err);
	if (rc == -EBUSY && cell->session) {
		session_refuse_memory(cell);
		return;
	}
	if (!rc && !ready)
		rc = run_ask_resize(cell, &err);
	if (!rc && !ready)
		rc = inputs_await_init(cell, &err);
	if (rc < 0)
		cell_fail(cell, &err);
	else if (ready)
		run_start(cell);
}

static int add_session(struct buf *frame, const struct job *job)
{
	int rc = wire_add_text(frame, CELL_TAG_SESSION, job->spec.session.context);
	if (!rc && job->spec.stdin_fd >= 0)
		rc = wire_add_u64(frame, CELL_TAG_STDIN, (uint64_t)job->stdin_errno);
	return rc;
}

static int add_options(struct buf *frame, const struct job_spec *spec, layer_set missing)
{
	int rc = wire_add(frame, CELL_TAG_CODE, spec->code.data, spec->code.len);
	for (uint32_t i = 0; !rc && i < spec->input_count; i++)
		rc = wire_add_text(frame, CELL_TAG_INPUT_NAME, spec->inputs[i].name);
	if (!rc)
		rc = wire_add_u64(frame, CELL_TAG_CHART_FORMAT, spec->chart_format == CHART_SVG);
	if (!rc)
		rc = wire_add_u64(frame, CELL_TAG_TABLE_CSV, spec->table_csv);
	if (!rc)
		rc = wire_add_u64(frame, CELL_TAG_WALL_MS, spec->limits.wall_ms);
	if (!rc)
		rc = wire_add_u64(frame, CELL_TAG_CPU_MS, spec->limits.cpu_ms);
	if (!rc && !layer_in(missing, LAYER_MEMORY))
		rc = wire_add_u64(frame, CELL_TAG_MEMORY_BYTES, spec->limits.memory_bytes);
	if (!rc)
		rc = wire_add_u64(frame, CELL_TAG_PROCESSES, spec->limits.processes);
	return rc;
}

static int build_job_frame(struct job *job)
{
	size_t mark;
	int rc = wire_begin(&job->control_out, CELL_JOB, &mark);
	if (!rc)
		rc = add_options(&job->control_out, &job->spec, job->service->skip);
	if (!rc)
		rc = wire_add_u64(&job->control_out, CELL_TAG_CALL, job->call);
	if (!rc && job->turn.session)
		rc = add_session(&job->control_out, job);
	return rc ? rc : wire_end(&job->control_out, mark, 0);
}

static void on_wall(evutil_socket_t fd, short what, void *context)
{
	(void)fd;
	(void)what;
	end_job(context, END_WALL);
}

int run_watch_wall(struct cell *cell)
{
	uint64_t limit_us = (uint64_t)cell->job->spec.limits.wall_ms * 1000;
	uint64_t passed_us = clock_now_us() - cell->job->started_us;
	return cell_timer(
		cell, WATCH_WALL, limit_us > passed_us ? limit_us - passed_us : 0, on_wall);
}

/* A sum of CPU raises no event: look again when the limit could be reached at the earliest. */
static void on_cpu(evutil_socket_t fd, short what, void *context)
{
	struct cell *cell = context;
	const struct job_limits *limits = &cell->job->spec.limits;
	uint64_t limit_us = (uint64_t)limits->cpu_ms * 1000;
	uint64_t used_us;
	(void)fd;
	(void)what;

	int rc = run_cpu_used_us(cell, &used_us);
	if (rc < 0) {
		end_unread(cell, rc);
		return;
	}
	if (used_us >= limit_us) {
		end_job(cell, END_CPU);
		return;
	}
	uint64_t after_us = (limit_us - used_us) / limits->cpus;
	if (after_us < CPU_TIMER_FLOOR_US)
		after_us = CPU_TIMER_FLOOR_US;
	if (cell_timer(cell, WATCH_CPU, after_us, on_cpu) < 0)
		end_job(cell, END_FAULT);
}

static void on_oom(evutil_socket_t fd, short what, void *context)
{
	(void)fd;
	(void)what;
	end_job(context, END_MEMORY);
}

void run_on_memory_event(struct cell *cell)
{
	struct cgroup_usage usage;
	if (cell->state != CELL_RUNNING)
		return;
	int rc = cgroup_read_usage(&cell->cgroup, &usage);
	if (rc < 0)
		end_unread(cell, rc);
	else if (usage.oom_kills)
		end_job(cell, END_MEMORY);
}

/* Sends what the pipe takes of the job's frame. Whether that was all, or there is nobody to read.
 */
static bool send_code(struct cell *cell)
{
	struct job *job = cell->job;
	ssize_t wrote = write(cell->control_in_fd, job->control_out.data + job->control_sent,
		job->control_out.len - job->control_sent);
	if (wrote > 0)
		job->control_sent += (size_t)wrote;
	bool over = job->control_sent == job->control_out.len ||
		    (wrote < 0 && errno != EAGAIN && errno != EINTR);
	if (over)
		buf_done(&job->control_out);
	return over;
}

static void on_control_writable(evutil_socket_t fd, short what, void *context)
{
	struct cell *cell = context;
	(void)fd;
	(void)what;
	if (send_code(cell))
		cell_unwatch(cell, WATCH_CONTROL_WRITE);
}

static void on_stdin_writable(evutil_socket_t fd, short what, void *context)
{
	struct cell *cell = context;
	struct job *job = cell->job;
	unsigned char piece[READ_BYTES];
	uint64_t left = job->spec.stdin_bytes - job->stdin_sent;
	(void)what;

	/* No more than was announced, whatever the file has become. */
	ssize_t got = pread(job->spec.stdin_fd, piece,
		left < sizeof(piece) ? (size_t)left : sizeof(piece), (off_t)job->stdin_sent);
	ssize_t wrote = got > 0 ? write(fd, piece, (size_t)got) : 0;
	if (wrote > 0)
		job->stdin_sent += (uint64_t)wrote;
	if (got <= 0 || (wrote < 0 && errno != EAGAIN && errno != EINTR)) {
		cell_unwatch(cell, WATCH_STDIN);
		fd_close(&cell->stdin_fd); /* the end of the file, as the job sees it */
	}
}

static int watch_job(struct cell *cell)
{
	const struct job_limits *limits = &cell->job->spec.limits;
	const short in = EV_READ | EV_PERSIST;

	int rc = cell_watch(cell, WATCH_STDOUT, cell->stdout_fd, in, run_on_output);
	if (!rc)
		rc = cell_watch(cell, WATCH_STDERR, cell->stderr_fd, in, run_on_output);
	if (!rc && cell->stdin_fd >= 0 && cell->job->spec.stdin_fd >= 0)
		rc = cell_watch(cell, WATCH_STDIN, cell->stdin_fd, EV_WRITE | EV_PERSIST,
			on_stdin_writable);
	if (!rc && cell->listener_fd >= 0 && cell->session)
		rc = notify_watch(cell);
	if (!rc && cell->oom_fd >= 0)
		rc = cell_watch(cell, WATCH_OOM, cell->oom_fd, EV_READ, on_oom);
	if (!rc)
		rc = run_watch_wall(cell);
	if (!rc && !layer_in(cell->service->skip | LEFT_OUT_ALL, LAYER_CPU))
		rc = cell_timer(
			cell, WATCH_CPU, (uint64_t)limits->cpu_ms * 1000 / limits->cpus, on_cpu);
	return rc;
}

static void on_unstarted(evutil_socket_t fd, short what, void *context)
{
	(void)fd;
	(void)what;
	end_job(context, END_DONE);
}

/* What is counted from now on is the job's. */
static int count_from_here(struct cell *cell)
{
	cgroup_reset_peak(&cell->cgroup);
	cell->job->started_us = clock_now_us();
	return cgroup_cpu_us(&cell->cgroup, &cell->job->cpu_base_us);
}

/* From the loop: the frame that said "parked" may still be in hand. */
void run_unstarted(struct cell *cell)
{
	struct err err;
	int rc = count_from_here(cell);
	cell->state = CELL_RUNNING;
	if (rc < 0 || cell_timer(cell, WATCH_WALL, 0, on_unstarted) < 0) {
		(void)err_sys(&err, -ENOMEM, "cell", "ending a call");
		cell_fail(cell, &err);
	}
}

void run_start(struct cell *cell)
{
	struct job *job = cell->job;
	struct err err;

	if (cell->session && session_holds_back(cell))
		return;
	/* Its end is all that there is where no stdin was given. A session's call has a file for
	 * its stdin: a pipe's end cannot come twice. */
	if (cell->session || job->spec.stdin_fd < 0)
		fd_close(&cell->stdin_fd);
	job->call = ++cell->calls;
	int rc = count_from_here(cell);
	cell->state = CELL_RUNNING;
	if (!rc)
		rc = build_job_frame(job);
	if (!rc)
		rc = watch_job(cell);
	/* An empty pipe takes nearly every job at once. */
	if (!rc && !send_code(cell))
		rc = cell_watch(cell, WATCH_CONTROL_WRITE, cell->control_in_fd,
			EV_WRITE | EV_PERSIST, on_control_writable);
	if (rc < 0) {
		(void)err_sys(&err, rc, "cell", "starting the job");
		cell_fail(cell, &err);
	}
}

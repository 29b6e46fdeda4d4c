/*
 * run: a job in a parked cell. Its limits are written, its inputs placed, its code sent; from the
 * send on the clocks run and the kernel's events are awaited.
 */
#include "service/service.h"

#include "base/clock.h"
#include "base/fd.h"
#include "wire/mutant.h"

#include <errno.h>
#include <sched.h>
#include <sodium.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define READ_BYTES (64u * 1024u)
#define CPU_TIMER_FLOOR_US 1000u

static void on_output(evutil_socket_t fd, short what, void *context);

static int ask_resize(struct cell *cell, struct err *err)
{
	const struct job_spec *spec = &cell->job->spec;
	struct init_request request = {.verb = INIT_RESIZE};
	uint64_t inputs = 0;

	/* What init writes for the job must not eat the job's own room. */
	for (uint32_t i = 0; i < spec->input_count; i++)
		if (inputs_is_inline(cell->service, &spec->inputs[i]))
			inputs += (spec->inputs[i].bytes + 4095) & ~4095ull;
	request.work_bytes = spec->limits.work_bytes + inputs;
	request.work_inodes = spec->limits.work_inodes + spec->input_count + 1;
	ssize_t sent = fd_send(cell->init_socket_fd, &request, sizeof(request), NULL, 0);
	return sent < 0 ? err_sys(err, (int)sent, "work", "speaking with the cell's init") : 0;
}

/* One CPU for each that the job may use, those with the fewest running cells: then what the job
 * counts as its CPUs, what it may use and what it gets are the same. */
static int pin(struct cell *cell, struct err *err)
{
	struct service *service = cell->service;
	cpu_set_t allowed, chosen;
	unsigned load[CPU_SETSIZE] = {0};

	CPU_ZERO(&chosen);
	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return err_sys(err, -errno, "cpu", "sched_getaffinity");
	for (uint32_t i = 0; i < service->cell_count; i++)
		if (service->cells[i].state == CELL_RUNNING)
			load[service->cells[i].cpu]++;
	for (uint32_t n = 0; n < cell->job->spec.limits.cpus; n++) {
		int best = -1;
		for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
			if (CPU_ISSET(cpu, &allowed) && !CPU_ISSET(cpu, &chosen) &&
				(best < 0 || load[cpu] < load[best]))
				best = cpu;
		if (best < 0)
			break;
		CPU_SET(best, &chosen);
		cell->cpu = (uint32_t)best;
	}
	if (sched_setaffinity(cell->runner_pid, sizeof(chosen), &chosen) < 0)
		return err_sys(err, -errno, "cpu", "sched_setaffinity");
	return 0;
}

/* The backstop behind the cgroup's count, and all there is where that layer is missing. */
static int limit_cpu_seconds(struct cell *cell, struct err *err)
{
	const rlim_t seconds = cell->job->spec.limits.cpu_ms / 1000 + 1;
	const struct rlimit limit = {.rlim_cur = seconds, .rlim_max = seconds + 1};
	if (prlimit(cell->runner_pid, RLIMIT_CPU, &limit, NULL) < 0)
		return err_sys(err, -errno, "rlimits", "prlimit of RLIMIT_CPU");
	return 0;
}

/* What parking has set already is not set again. */
static int limit_group(struct cell *cell, struct err *err)
{
	const struct job_limits *limits = &cell->job->spec.limits;
	const struct cgroup_limits wanted = {
		.memory_bytes = limits->memory_bytes,
		.processes = limits->processes + 1,
		.cpus = limits->cpus,
	};
	if (limits->memory_bytes == limits_default.memory_bytes &&
		limits->processes == limits_default.processes &&
		limits->cpus == limits_default.cpus)
		return 0;
	return cgroup_limit(&cell->cgroup, &wanted, cell->service->skip | LEFT_OUT_ALL, err);
}

static bool folder_is_right(const struct job_spec *spec)
{
	return spec->input_count == 0 && spec->limits.work_bytes == limits_default.work_bytes &&
	       spec->limits.work_inodes == limits_default.work_inodes;
}

void run_begin(struct cell *cell)
{
	struct err err = {0};
	bool ready = folder_is_right(&cell->job->spec);

	cell->state = CELL_PLACING;
	cell->job->given_us = clock_now_us();
	int rc = limit_group(cell, &err);
	if (!rc)
		rc = pin(cell, &err);
	if (!rc)
		rc = limit_cpu_seconds(cell, &err);
	if (!rc && !ready)
		rc = ask_resize(cell, &err);
	if (!rc && !ready)
		rc = inputs_await_init(cell, &err);
	if (rc < 0)
		cell_fail(cell, &err);
	else if (ready)
		run_start(cell);
}

static int add_options(struct buf *frame, const struct job_spec *spec)
{
	unsigned char seed[16];
	randombytes_buf(seed, sizeof(seed));
	int rc = wire_add(frame, CELL_TAG_CODE, spec->code.data, spec->code.len);
	for (uint32_t i = 0; !rc && i < spec->input_count; i++)
		rc = wire_add_text(frame, CELL_TAG_INPUT_NAME, spec->inputs[i].name);
	if (!rc)
		rc = wire_add_u64(frame, CELL_TAG_CHART_FORMAT, spec->chart_format == CHART_SVG);
	if (!rc)
		rc = wire_add_u64(frame, CELL_TAG_TABLE_CSV, spec->table_csv);
	if (!rc)
		rc = wire_add(frame, CELL_TAG_SEED, seed, sizeof(seed));
	if (!rc)
		rc = wire_add_u64(frame, CELL_TAG_WALL_MS, spec->limits.wall_ms);
	if (!rc)
		rc = wire_add_u64(frame, CELL_TAG_CPU_MS, spec->limits.cpu_ms);
	if (!rc)
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
		rc = add_options(&job->control_out, &job->spec);
	return rc ? rc : wire_end(&job->control_out, mark, 0);
}

static void on_wall(evutil_socket_t fd, short what, void *context)
{
	(void)fd;
	(void)what;
	end_job(context, END_WALL);
}

static uint64_t cpu_used_us(const struct cell *cell)
{
	uint64_t used_us = cgroup_cpu_us(&cell->cgroup);
	return used_us > cell->job->cpu_base_us ? used_us - cell->job->cpu_base_us : 0;
}

/* A sum of CPU raises no event: look again when the limit could be reached at the earliest. */
static void on_cpu(evutil_socket_t fd, short what, void *context)
{
	struct cell *cell = context;
	const struct job_limits *limits = &cell->job->spec.limits;
	uint64_t limit_us = (uint64_t)limits->cpu_ms * 1000;
	uint64_t used_us = cpu_used_us(cell);
	(void)fd;
	(void)what;

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
	cgroup_read_usage(&cell->cgroup, &usage);
	if (usage.oom_kills)
		end_job(cell, END_MEMORY);
}

static void on_control_writable(evutil_socket_t fd, short what, void *context)
{
	struct cell *cell = context;
	struct job *job = cell->job;
	(void)what;

	ssize_t wrote = write(fd, job->control_out.data + job->control_sent,
		job->control_out.len - job->control_sent);
	if (wrote > 0)
		job->control_sent += (size_t)wrote;
	bool over = job->control_sent == job->control_out.len;
	if (over || (wrote < 0 && errno != EAGAIN && errno != EINTR)) {
		cell_unwatch(cell, WATCH_CONTROL_WRITE);
		buf_done(&job->control_out);
	}
}

static void on_stdin_writable(evutil_socket_t fd, short what, void *context)
{
	struct cell *cell = context;
	struct job *job = cell->job;
	unsigned char piece[READ_BYTES];
	(void)what;

	ssize_t got = job->spec.stdin_fd < 0 ? 0
					     : pread(job->spec.stdin_fd, piece, sizeof(piece),
						       (off_t)job->stdin_sent);
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
	const short in = EV_READ | EV_PERSIST, out = EV_WRITE | EV_PERSIST;

	int rc = cell_watch(cell, WATCH_STDOUT, cell->stdout_fd, in, on_output);
	if (!rc)
		rc = cell_watch(cell, WATCH_STDERR, cell->stderr_fd, in, on_output);
	if (!rc)
		rc = cell_watch(cell, WATCH_STDIN, cell->stdin_fd, out, on_stdin_writable);
	if (!rc)
		rc = cell_watch(
			cell, WATCH_CONTROL_WRITE, cell->control_in_fd, out, on_control_writable);
	if (!rc && cell->oom_fd >= 0)
		rc = cell_watch(cell, WATCH_OOM, cell->oom_fd, EV_READ, on_oom);
	if (!rc)
		rc = cell_timer(cell, WATCH_WALL, (uint64_t)limits->wall_ms * 1000, on_wall);
	if (!rc && !layer_in(cell->service->skip | LEFT_OUT_ALL, LAYER_CPU))
		rc = cell_timer(
			cell, WATCH_CPU, (uint64_t)limits->cpu_ms * 1000 / limits->cpus, on_cpu);
	return rc;
}

void run_start(struct cell *cell)
{
	struct job *job = cell->job;
	struct err err;

	cgroup_reset_peak(&cell->cgroup);
	job->cpu_base_us = cgroup_cpu_us(&cell->cgroup);
	cell->state = CELL_RUNNING;
	job->started_us = clock_now_us();
	int rc = build_job_frame(job);
	if (!rc)
		rc = watch_job(cell);
	if (rc < 0) {
		(void)err_sys(&err, rc, "cell", "starting the job");
		cell_fail(cell, &err);
		return;
	}
	/* No wait for the loop to say that an empty pipe is writable. */
	on_control_writable(cell->control_in_fd, EV_WRITE, cell);
	if (job->spec.stdin_fd < 0)
		on_stdin_writable(cell->stdin_fd, EV_WRITE, cell);
}

/* Reads once. Returns what read() did. */
static ssize_t take_output(struct cell *cell, int fd)
{
	static unsigned char piece[READ_BYTES];
	struct job *job = cell->job;
	bool is_err = fd == cell->stderr_fd;
	struct output *output = is_err ? &job->err : &job->out;
	uint64_t limit = job->spec.limits.output_bytes;
	uint64_t left = output->bytes < limit ? limit - output->bytes : 0;

	ssize_t got = read(fd, piece, sizeof(piece));
	if (got <= 0)
		return got;
	size_t keep = (uint64_t)got < left ? (size_t)got : (size_t)left;
	uint64_t before = output->bytes;
	if (output_add(output, piece, keep) < 0)
		keep = 0; /* no memory for it: counted, though not kept */
	output->bytes = before + (uint64_t)got;
	if (job->channel && job->spec.stream)
		channel_stream(job->channel, is_err ? CHANNEL_STDERR : CHANNEL_STDOUT, piece, keep);
	return got;
}

bool run_output_exceeded(const struct job *job)
{
	uint64_t limit = job->spec.limits.output_bytes;
	return job->out.bytes > limit || job->err.bytes > limit;
}

static void on_output(evutil_socket_t fd, short what, void *context)
{
	struct cell *cell = context;
	struct job *job = cell->job;
	(void)what;

	ssize_t got = take_output(cell, fd);
	if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
		cell_unwatch(cell, fd == cell->stderr_fd ? WATCH_STDERR : WATCH_STDOUT);
	if (run_output_exceeded(job))
		end_job(cell, END_OUTPUT);
}

void run_pause_output(struct cell *cell, bool pause)
{
	static const enum cell_watch watches[] = {WATCH_STDOUT, WATCH_STDERR};
	for (size_t i = 0; i < 2; i++) {
		struct event *event = cell->watch[watches[i]];
		if (event && pause)
			(void)event_del(event);
		else if (event)
			(void)event_add(event, NULL);
	}
}

void run_drain(struct cell *cell)
{
	/* The job stands still or is gone: at most a pipe's capacity is left. Never wait for the
	 * end of the file, which an orphan could hold back. */
	const int fds[] = {cell->stdout_fd, cell->stderr_fd};
	for (size_t i = 0; i < 2; i++)
		while (take_output(cell, fds[i]) > 0)
			;
}

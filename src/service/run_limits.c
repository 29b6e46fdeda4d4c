/* run_limits: what a cell is given before its job: limits of its group, a CPU, room for inputs. */
#include "service/session.h"

#include "base/fd.h"
#include "service/yield.h"
#include "wire/mutant.h"

#include <errno.h>
#include <sched.h>
#include <time.h>

/* Behind the cgroup's own count and the second in which interrupted code may end. */
#define SESSION_GRACE_SECONDS 3u
#define BACKSTOP_SECONDS 10u

int run_ask_resize(struct cell *cell, struct err *err)
{
	const struct job_spec *spec = &cell->job->spec;
	struct init_request request = {.verb = INIT_RESIZE};
	const struct job_input *given = spec->inputs;
	uint32_t count = spec->input_count;
	uint64_t inputs = 0;

	/* What init writes for the job must not eat the job's own room. */
	if (cell->session)
		given = session_inputs(cell->session, &count);
	for (uint32_t i = 0; i < count; i++)
		if (inputs_is_inline(cell->service, &given[i]))
			inputs += (given[i].bytes + 4095) & ~4095ull;
	request.work_bytes = spec->limits.work_bytes + inputs;
	request.work_inodes = spec->limits.work_inodes + count + 1;
	cell->work_bytes = spec->limits.work_bytes;
	cell->work_inodes = spec->limits.work_inodes;
	ssize_t sent = fd_send(cell->init_socket_fd, &request, sizeof(request), NULL, 0);
	return sent < 0 ? err_sys(err, (int)sent, "work", "speaking with the cell's init") : 0;
}

/* One CPU for each that the job may use, those with the fewest running cells, of which those that
 * yield count least: then what the job counts as its CPUs, what it may use and what it gets are the
 * same. */
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
			load[service->cells[i].cpu] +=
				service->cells[i].yield.on ? 1 : LAUNCH_CELLS_MAX;
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

/* What the process has used in the earlier calls of its session. */
static rlim_t seconds_used(const struct cell *cell)
{
	clockid_t clock;
	struct timespec used = {0};
	if (clock_getcpuclockid(cell->runner_pid, &clock) == 0)
		(void)clock_gettime(clock, &used);
	return (rlim_t)used.tv_sec;
}

/* The backstop behind the cgroup's count, and all there is where that layer is missing. The kernel
 * counts for it by ticks, which on a busy virtual machine was seen to run ahead of the time really
 * had by an eighth: so it stands well behind a count that is exact. In a session only the soft
 * limit moves, as a hard one cannot be raised again without the host's privilege. */
static int limit_cpu_seconds(struct cell *cell, struct err *err)
{
	const bool alone = layer_in(cell->service->skip, LAYER_CPU);
	const rlim_t wanted = cell->job->spec.limits.cpu_ms / 1000 + 1;
	const rlim_t seconds = alone ? wanted : 2 * wanted + BACKSTOP_SECONDS;
	struct rlimit limit = {.rlim_cur = seconds, .rlim_max = seconds + 1};
	if (cell->session)
		limit = (struct rlimit){
			.rlim_cur = seconds + seconds_used(cell) + SESSION_GRACE_SECONDS,
			.rlim_max = RLIM_INFINITY};
	if (prlimit(cell->runner_pid, RLIMIT_CPU, &limit, NULL) < 0)
		return err_sys(err, -errno, "rlimits", "prlimit of RLIMIT_CPU");
	return 0;
}

/* What the service has written for the session is not the group's: it has so much less. What
 * earlier calls left is not killed for a call's lower limit: -EBUSY, see run_place. */
static int limit_session(struct cell *cell, struct cgroup_limits wanted, struct err *err)
{
	struct job *job = cell->job;
	struct job_limits kept = job->spec.limits;
	struct session_memory memory;
	int rc = session_memory(cell->session, &memory);
	if (rc < 0)
		return err_sys(err, rc, "memory", "reading what the cell holds");
	job->foreign_bytes = memory.foreign_bytes;
	if (memory.held_bytes + memory.foreign_bytes > kept.memory_bytes)
		return -EBUSY;
	kept.memory_bytes -= memory.foreign_bytes;
	wanted.memory_bytes = kept.memory_bytes;
	rc = cgroup_limit(&cell->cgroup, &wanted, cell->service->skip | LEFT_OUT_ALL, err);
	return rc ? rc : receipt_read_limits(cell, &kept, err);
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
	if (!cell->session && limits->memory_bytes == limits_default.memory_bytes &&
		limits->processes == limits_default.processes &&
		limits->cpus == limits_default.cpus)
		return 0;
	if (cell->session)
		return limit_session(cell, wanted, err);
	int rc = cgroup_limit(&cell->cgroup, &wanted, cell->service->skip | LEFT_OUT_ALL, err);
	return rc ? rc : receipt_read_limits(cell, limits, err);
}

bool run_folder_is_right(const struct cell *cell)
{
	const struct job_spec *spec = &cell->job->spec;
	return spec->input_count == 0 && spec->limits.work_bytes == cell->work_bytes &&
	       spec->limits.work_inodes == cell->work_inodes;
}

int run_limit(struct cell *cell, struct err *err)
{
	int rc = limit_group(cell, err);
	if (!rc)
		rc = pin(cell, err);
	if (!rc)
		yield_set(cell, cell->job->yields);
	return rc ? rc : limit_cpu_seconds(cell, err);
}

int run_cpu_used_us(const struct cell *cell, uint64_t *ret_us)
{
	uint64_t base_us = cell->job->cpu_base_us, used_us = 0;
	int rc = cgroup_cpu_us(&cell->cgroup, &used_us);
	*ret_us = used_us > base_us ? used_us - base_us : 0;
	return rc;
}

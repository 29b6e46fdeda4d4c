/* cgroup_usage: what the kernel counted, and how it tells that memory ran out. */
#include "jail/cgroup.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* The number after `key` and a blank in the text of a flat keyed file. */
static uint64_t keyed(const char *text, const char *key)
{
	size_t len = strlen(key);
	for (const char *line = text; line; line = strchr(line, '\n')) {
		if (*line == '\n')
			line++;
		if (strncmp(line, key, len) == 0 && line[len] == ' ')
			return strtoull(line + len + 1, NULL, 10);
	}
	return 0;
}

static uint64_t number(
	const struct cgroup *cgroup, enum cgroup_controller controller, const char *file)
{
	char text[64];
	if (cgroup_read(cgroup, controller, file, text, sizeof(text)) < 0)
		return 0;
	return strtoull(text, NULL, 10);
}

uint64_t cgroup_cpu_us(const struct cgroup *cgroup)
{
	char text[512];
	if (cgroup->v2) {
		if (cgroup_read(cgroup, CGROUP_CPU, "cpu.stat", text, sizeof(text)) < 0)
			return 0;
		return keyed(text, "usage_usec");
	}
	bool apart = cgroup->dirs[CGROUP_CPUACCT] >= 0;
	return number(cgroup, apart ? CGROUP_CPUACCT : CGROUP_CPU, "cpuacct.usage") / 1000;
}

void cgroup_read_usage(const struct cgroup *cgroup, struct cgroup_usage *ret_usage)
{
	char text[512];
	const char *events = cgroup->v2 ? "memory.events" : "memory.oom_control";
	const char *peak = cgroup->v2 ? "memory.peak" : "memory.max_usage_in_bytes";

	*ret_usage = (struct cgroup_usage){
		.cpu_us = cgroup_cpu_us(cgroup),
		.memory_peak_bytes = number(cgroup, CGROUP_MEMORY, peak),
		.processes_peak = (uint32_t)number(cgroup, CGROUP_PIDS, "pids.peak"),
	};
	if (cgroup_read(cgroup, CGROUP_MEMORY, events, text, sizeof(text)) == 0)
		ret_usage->oom_kills = keyed(text, "oom_kill");
}

uint64_t cgroup_memory_held(const struct cgroup *cgroup)
{
	char text[4096];
	if (!cgroup->v2 ||
		cgroup_read(cgroup, CGROUP_MEMORY, "memory.stat", text, sizeof(text)) < 0)
		return 0;
	return keyed(text, "anon") + keyed(text, "shmem");
}

void cgroup_reset_peak(const struct cgroup *cgroup)
{
	if (cgroup->v2 || cgroup->dirs[CGROUP_MEMORY] < 0)
		return;
	cleanup_fd int fd = openat(
		cgroup->dirs[CGROUP_MEMORY], "memory.max_usage_in_bytes", O_WRONLY | O_CLOEXEC);
	/* A peak that cannot be reset is too high by what parking cost: no harm. */
	if (fd >= 0 && write(fd, "0", 1) < 0)
		return;
}

int cgroup_oom_eventfd(const struct cgroup *cgroup, struct err *err)
{
	char text[48];
	if (cgroup->v2 || cgroup->dirs[CGROUP_MEMORY] < 0)
		return -ENOTSUP;
	cleanup_fd int event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	cleanup_fd int oom_fd =
		openat(cgroup->dirs[CGROUP_MEMORY], "memory.oom_control", O_RDONLY | O_CLOEXEC);
	cleanup_fd int control_fd =
		openat(cgroup->dirs[CGROUP_MEMORY], "cgroup.event_control", O_WRONLY | O_CLOEXEC);
	if (event_fd < 0 || oom_fd < 0 || control_fd < 0)
		return err_sys(err, -errno, "memory", "opening oom_control");
	int length = snprintf(text, sizeof(text), "%d %d", event_fd, oom_fd);
	if (write(control_fd, text, (size_t)length) < 0)
		return err_sys(err, -errno, "memory", "registering for out-of-memory events");
	return TAKE_FD(event_fd);
}

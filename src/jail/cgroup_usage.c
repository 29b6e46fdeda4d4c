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

/* A file that is not there is a figure that the kernel does not count: empty. */
static int read_counted(const struct cgroup *cgroup, enum cgroup_controller controller,
	const char *file, char *text, size_t room)
{
	int rc = cgroup_read(cgroup, controller, file, text, room);
	if (rc < 0)
		text[0] = 0;
	return rc == -ENOENT ? 0 : rc;
}

static int number(const struct cgroup *cgroup, enum cgroup_controller controller, const char *file,
	uint64_t *ret_number)
{
	char text[64];
	int rc = read_counted(cgroup, controller, file, text, sizeof(text));
	*ret_number = strtoull(text, NULL, 10);
	return rc;
}

int cgroup_cpu_us(const struct cgroup *cgroup, uint64_t *ret_us)
{
	char text[512];
	/* The unified hierarchy counts it without any controller too. */
	if (cgroup->dirs[CGROUP_UNIFIED] >= 0) {
		int rc = read_counted(cgroup, CGROUP_UNIFIED, "cpu.stat", text, sizeof(text));
		*ret_us = keyed(text, "usage_usec");
		return rc;
	}
	bool apart = cgroup->dirs[CGROUP_CPUACCT] >= 0;
	int rc = number(cgroup, apart ? CGROUP_CPUACCT : CGROUP_CPU, "cpuacct.usage", ret_us);
	*ret_us /= 1000;
	return rc;
}

int cgroup_read_usage(const struct cgroup *cgroup, struct cgroup_usage *ret_usage)
{
	char text[512];
	const char *events = cgroup->v2 ? "memory.events" : "memory.oom_control";
	const char *peak = cgroup->v2 ? "memory.peak" : "memory.max_usage_in_bytes";
	uint64_t processes = 0;

	*ret_usage = (struct cgroup_usage){0};
	int rc = cgroup_cpu_us(cgroup, &ret_usage->cpu_us);
	if (!rc)
		rc = number(cgroup, CGROUP_MEMORY, peak, &ret_usage->memory_peak_bytes);
	if (!rc)
		rc = number(cgroup, CGROUP_PIDS, "pids.peak", &processes);
	if (!rc)
		rc = read_counted(cgroup, CGROUP_MEMORY, events, text, sizeof(text));
	if (rc < 0)
		return rc;
	ret_usage->processes_peak = (uint32_t)processes;
	ret_usage->oom_kills = keyed(text, "oom_kill");
	return 0;
}

int cgroup_memory_held(const struct cgroup *cgroup, struct cgroup_held *ret_held)
{
	char text[4096];
	int rc = read_counted(cgroup, CGROUP_MEMORY, "memory.stat", text, sizeof(text));
	ret_held->anonymous = keyed(text, cgroup->v2 ? "anon" : "rss");
	ret_held->shared = keyed(text, "shmem");
	return rc;
}

void cgroup_reset_peak(const struct cgroup *cgroup)
{
	if (cgroup->v2 || cgroup->dirs[CGROUP_MEMORY] < 0)
		return;
	/* A peak that cannot be reset is too high by what parking cost: no harm. */
	(void)!fd_write_file(cgroup->dirs[CGROUP_MEMORY], "memory.max_usage_in_bytes", "0");
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

/* cgroup: making, joining, freezing and removing groups, v1 and v2. */
#include "jail/cgroup.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#define SPARE_BYTES (512u * 1024u)

static int read_at(int dir_fd, const char *file, char *text, size_t room)
{
	cleanup_fd int fd = openat(dir_fd, file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ssize_t got = read(fd, text, room - 1);
	if (got < 0)
		return -errno;
	while (got > 0 && text[got - 1] == '\n')
		got--;
	text[got] = 0;
	return 0;
}

void cgroup_init(struct cgroup *cgroup)
{
	*cgroup = (struct cgroup){0};
	for (size_t i = 0; i < CGROUP_COUNT; i++)
		cgroup->dirs[i] = -1;
}

void cgroup_close(struct cgroup *cgroup)
{
	for (size_t i = 0; i < CGROUP_COUNT; i++)
		fd_close(&cgroup->dirs[i]);
}

static bool v2_has(int dir_fd, const char *controller)
{
	char text[256];
	if (read_at(dir_fd, "cgroup.subtree_control", text, sizeof(text)) < 0)
		return false;
	char *save = NULL;
	for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save))
		if (strcmp(word, controller) == 0)
			return true;
	return false;
}

/* A limit that swap is not counted in can be passed by swapping. */
static bool counts_swap(const struct cgroup_tree *tree)
{
	struct sysinfo host;
	int dir_fd = tree->dirs[tree->v2 ? CGROUP_UNIFIED : CGROUP_MEMORY];
	const char *file = tree->v2 ? "memory.swap.max" : "memory.memsw.limit_in_bytes";
	if (dir_fd < 0 || faccessat(dir_fd, file, F_OK, 0) == 0)
		return true;
	return sysinfo(&host) == 0 && host.totalswap == 0;
}

layer_set cgroup_layers(const struct cgroup_tree *tree)
{
	static const struct {
		enum layer layer;
		enum cgroup_controller v1;
		const char *v2;
	} wanted[] = {
		{LAYER_MEMORY, CGROUP_MEMORY, "memory"},
		{LAYER_PIDS, CGROUP_PIDS, "pids"},
		{LAYER_CPU, CGROUP_CPU, "cpu"},
	};
	layer_set have = 0;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		bool given = tree->v2 ? v2_has(tree->dirs[CGROUP_UNIFIED], wanted[i].v2)
				      : tree->dirs[wanted[i].v1] >= 0;
		if (given && (wanted[i].layer != LAYER_MEMORY || counts_swap(tree)))
			have |= 1u << wanted[i].layer;
	}
	return have;
}

static int remove_dir(int parent_fd, const char *name)
{
	if (unlinkat(parent_fd, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
		return 0;
	return -errno;
}

int cgroup_make(const struct cgroup_tree *tree, const char *name, struct cgroup *ret_cgroup,
	struct err *err)
{
	struct cgroup made;
	cgroup_init(&made);
	made.v2 = tree->v2;
	(void)snprintf(made.name, sizeof(made.name), "%s", name);

	for (size_t i = 0; i < CGROUP_COUNT; i++) {
		if (tree->dirs[i] < 0)
			continue;
		if (mkdirat(tree->dirs[i], name, 0755) == 0 || errno == EEXIST)
			made.dirs[i] = openat(tree->dirs[i], name,
				O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (made.dirs[i] < 0) {
			int rc = -errno;
			(void)remove_dir(tree->dirs[i], name); /* made, and not to be opened */
			if (cgroup_remove(tree, &made) < 0)
				cgroup_close(&made);
			return err_sys(err, rc, "memory", "making a cgroup");
		}
	}
	*ret_cgroup = made;
	return 0;
}

/* memsw may never be below the limit: which of the two goes first depends on the direction. Where
 * swap is not counted there is no such file, and cgroup_layers has looked. */
static int limit_memory_v1(int dir_fd, uint64_t bytes)
{
	char text[32];
	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)bytes);
	int rc = fd_write_file(dir_fd, "memory.limit_in_bytes", text);
	if (rc < 0 && rc != -EINVAL)
		return rc;
	int swap = fd_write_file(dir_fd, "memory.memsw.limit_in_bytes", text);
	if (swap < 0)
		return swap == -ENOENT ? rc : swap;
	return rc ? fd_write_file(dir_fd, "memory.limit_in_bytes", text) : 0;
}

static int limit_memory_v2(int dir_fd, uint64_t bytes)
{
	char text[32];
	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)bytes);
	int rc = fd_write_file(dir_fd, "memory.max", text);
	if (!rc)
		rc = fd_write_file(dir_fd, "memory.oom.group", "1");
	/* A kernel without swap accounting has no such file: then there is nothing to limit. */
	int swap = rc ? rc : fd_write_file(dir_fd, "memory.swap.max", "0");
	return swap == -ENOENT ? 0 : swap;
}

static int limit_cpu(const struct cgroup *cgroup, uint32_t cpus)
{
	char text[48];
	const unsigned period_us = 100000;
	if (cgroup->v2) {
		(void)snprintf(text, sizeof(text), "%u %u", cpus * period_us, period_us);
		return fd_write_file(cgroup->dirs[CGROUP_UNIFIED], "cpu.max", text);
	}
	(void)snprintf(text, sizeof(text), "%u", cpus * period_us);
	return fd_write_file(cgroup->dirs[CGROUP_CPU], "cpu.cfs_quota_us", text);
}

static enum cgroup_controller shares_cpu(bool v2)
{
	return v2 ? CGROUP_UNIFIED : CGROUP_CPU;
}

void cgroup_make_beside(const struct cgroup_tree *tree, const char *name, struct cgroup *ret_cgroup)
{
	enum cgroup_controller which = shares_cpu(tree->v2);
	cgroup_init(ret_cgroup);
	ret_cgroup->v2 = tree->v2;
	if (tree->dirs[which] >= 0 &&
		(mkdirat(tree->dirs[which], name, 0755) == 0 || errno == EEXIST))
		ret_cgroup->dirs[which] = openat(
			tree->dirs[which], name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

void cgroup_join_beside(const struct cgroup *cgroup)
{
	int dir_fd = cgroup->dirs[shares_cpu(cgroup->v2)];
	if (dir_fd >= 0)
		(void)!fd_write_file(dir_fd, cgroup->v2 ? "cgroup.procs" : "tasks", "0");
}

void cgroup_yield(const struct cgroup *cgroup, bool yields)
{
	int dir_fd = cgroup->dirs[shares_cpu(cgroup->v2)];
	if (dir_fd < 0 || fd_write_file(dir_fd, "cpu.idle", yields ? "1" : "0") == 0)
		return;
	if (cgroup->v2)
		(void)!fd_write_file(dir_fd, "cpu.weight", yields ? "1" : "100");
	else
		(void)!fd_write_file(dir_fd, "cpu.shares", yields ? "2" : "1024");
}

static int limit_pids(const struct cgroup *cgroup, uint32_t processes)
{
	char text[16];
	(void)snprintf(text, sizeof(text), "%u", processes);
	enum cgroup_controller controller = cgroup->v2 ? CGROUP_UNIFIED : CGROUP_PIDS;
	return fd_write_file(cgroup->dirs[controller], "pids.max", text);
}

int cgroup_limit(const struct cgroup *cgroup, const struct cgroup_limits *limits, layer_set skip,
	struct err *err)
{
	int rc = 0;
	if (!layer_in(skip, LAYER_MEMORY)) {
		rc = cgroup->v2
			     ? limit_memory_v2(cgroup->dirs[CGROUP_UNIFIED], limits->memory_bytes)
			     : limit_memory_v1(cgroup->dirs[CGROUP_MEMORY], limits->memory_bytes);
		if (rc < 0)
			return err_sys(err, rc, "memory", "setting the limit");
	}
	if (!layer_in(skip, LAYER_PIDS)) {
		rc = limit_pids(cgroup, limits->processes);
		if (rc < 0)
			return err_sys(err, rc, "pids", "setting the limit");
	}
	if (!layer_in(skip, LAYER_CPU)) {
		rc = limit_cpu(cgroup, limits->cpus);
		if (rc < 0)
			return err_sys(err, rc, "cpu", "setting the quota");
	}
	return 0;
}

int cgroup_attach_files(const struct cgroup *cgroup, int *fds, size_t *ret_count, struct err *err)
{
	size_t count = 0;
	/* By `tasks`, not `cgroup.procs`: moving one thread takes no lock on the whole process. */
	for (size_t i = 0; i < CGROUP_UNIFIED && !cgroup->v2; i++) {
		if (cgroup->dirs[i] < 0)
			continue;
		fds[count] = openat(cgroup->dirs[i], "tasks", O_WRONLY | O_CLOEXEC);
		if (fds[count] < 0) {
			int rc = -errno;
			while (count)
				fd_close(&fds[--count]);
			return err_sys(err, rc, "memory", "opening a cgroup's tasks");
		}
		count++;
	}
	*ret_count = count;
	return 0;
}

int cgroup_attach_self(const int *fds, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++)
		if (write(fds[i], "0", 1) < 0)
			return err_sys(err, -errno, "memory", "joining the cgroup");
	return 0;
}

int cgroup_freeze(struct cgroup *cgroup)
{
	int rc = -ENOTSUP;
	if (cgroup->dirs[CGROUP_UNIFIED] >= 0)
		rc = fd_write_file(cgroup->dirs[CGROUP_UNIFIED], "cgroup.freeze", "1");
	if (rc < 0 && cgroup->dirs[CGROUP_FREEZER] >= 0) {
		cgroup->frozen_by_v1 = true; /* or on its way there */
		rc = fd_write_file(cgroup->dirs[CGROUP_FREEZER], "freezer.state", "FROZEN");
	}
	return rc;
}

int cgroup_frozen(const struct cgroup *cgroup)
{
	char text[256];
	int rc = -ENOTSUP;
	if (cgroup->dirs[CGROUP_UNIFIED] >= 0) {
		rc = read_at(cgroup->dirs[CGROUP_UNIFIED], "cgroup.events", text, sizeof(text));
		if (!rc && strstr(text, "frozen "))
			return strstr(text, "frozen 1") != NULL;
	}
	if (cgroup->dirs[CGROUP_FREEZER] >= 0) {
		rc = read_at(cgroup->dirs[CGROUP_FREEZER], "freezer.state", text, sizeof(text));
		return rc < 0 ? rc : strcmp(text, "FROZEN") == 0;
	}
	return rc < 0 ? rc : -ENOTSUP;
}

static int thaw_v1(struct cgroup *cgroup)
{
	int rc = fd_write_file(cgroup->dirs[CGROUP_FREEZER], "freezer.state", "THAWED");
	cgroup->frozen_by_v1 = rc < 0;
	return rc;
}

int cgroup_resume(struct cgroup *cgroup)
{
	if (cgroup->frozen_by_v1)
		return thaw_v1(cgroup);
	if (cgroup->dirs[CGROUP_UNIFIED] < 0)
		return -ENOTSUP;
	return fd_write_file(cgroup->dirs[CGROUP_UNIFIED], "cgroup.freeze", "0");
}

void cgroup_thaw(struct cgroup *cgroup)
{
	if (cgroup->frozen_by_v1)
		(void)thaw_v1(cgroup);
}

/* Cold pages of the image stay charged and would keep a removed group alive. Emptying it costs a
 * third of a millisecond, and usually there is nothing: what the kernel sets aside for each CPU
 * shows as usage and goes by itself. */
static void empty_memory_v1(int dir_fd)
{
	char text[32];
	if (read_at(dir_fd, "memory.usage_in_bytes", text, sizeof(text)) == 0 &&
		strtoull(text, NULL, 10) <= SPARE_BYTES)
		return;
	(void)!fd_write_file(dir_fd, "memory.force_empty", "0");
}

int cgroup_remove(const struct cgroup_tree *tree, struct cgroup *cgroup)
{
	int rc = 0;
	for (size_t i = 0; i < CGROUP_COUNT; i++) {
		if (cgroup->dirs[i] < 0)
			continue;
		if (i == CGROUP_MEMORY)
			empty_memory_v1(cgroup->dirs[i]);
		int gone = remove_dir(tree->dirs[i], cgroup->name);
		if (gone < 0)
			rc = gone;
		else
			fd_close(&cgroup->dirs[i]);
	}
	return rc;
}

int cgroup_read(const struct cgroup *cgroup, enum cgroup_controller controller, const char *file,
	char *text, size_t room)
{
	int dir_fd = cgroup->dirs[cgroup->v2 ? CGROUP_UNIFIED : controller];
	return dir_fd < 0 ? -ENOENT : read_at(dir_fd, file, text, room);
}

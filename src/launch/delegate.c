/* delegate: mkdir, enable, chown, and the way back. */
#include "launch/delegate.h"

#include "base/fd.h"
#include "launch/cgroup_find.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define LEAF "brig.launcher"
#define REMOVE_TRIES 200
#define REMOVE_PAUSE_MS 5

static const char *const controllers[LAUNCH_CGROUP_COUNT] = {
	[LAUNCH_CGROUP_MEMORY] = "memory",
	[LAUNCH_CGROUP_CPU] = "cpu",
	[LAUNCH_CGROUP_CPUACCT] = "cpuacct",
	[LAUNCH_CGROUP_PIDS] = "pids",
	[LAUNCH_CGROUP_FREEZER] = "freezer",
	[LAUNCH_CGROUP_UNIFIED] = "",
};

void delegation_init(struct delegation *delegation)
{
	memset(delegation, 0, sizeof(*delegation));
	for (size_t i = 0; i < LAUNCH_CGROUP_COUNT; i++)
		delegation->dirs[i] = -1;
	delegation->service_fd = -1;
}

static void each_child(int dir_fd, void (*visit)(int dir_fd, const char *name))
{
	int copy = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	for (struct dirent *entry; dir && (entry = readdir(dir));)
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			visit(dir_fd, entry->d_name);
	if (dir)
		(void)closedir(dir);
	else
		fd_close(&copy);
}

static void remove_child(int dir_fd, const char *name)
{
	(void)unlinkat(dir_fd, name, AT_REMOVEDIR);
}

static void thaw_child(int dir_fd, const char *name)
{
	cleanup_fd int child_fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (child_fd >= 0)
		(void)!fd_write_file(child_fd, "freezer.state", "THAWED");
}

void delegation_thaw(const struct delegation *delegation)
{
	if (delegation->dirs[LAUNCH_CGROUP_FREEZER] >= 0)
		each_child(delegation->dirs[LAUNCH_CGROUP_FREEZER], thaw_child);
}

/*
 * A group is in use while its launcher, or the service that was given the folder, holds the lock on
 * it. The lock is the host's: it holds against those who see another /run, as in a container, and
 * goes with its last holder. -EBUSY where it is another's.
 */
static int lock_group(const char *path, int *ret_dir_fd)
{
	struct stat locked, there;
	cleanup_fd int dir_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0)
		return -errno;
	if (flock(dir_fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	/* It may have been removed, and made again by another, before the lock was ours. */
	if (fstat(dir_fd, &locked) < 0 || stat(path, &there) < 0)
		return -errno;
	if (locked.st_ino != there.st_ino)
		return -EBUSY;
	*ret_dir_fd = TAKE_FD(dir_fd);
	return 0;
}

/* A group with dying tasks refuses for a moment. */
static int remove_group(const char *path)
{
	const struct timespec pause = {.tv_nsec = REMOVE_PAUSE_MS * 1000000L};
	cleanup_fd int dir_fd = -1;
	int rc = lock_group(path, &dir_fd);
	if (rc < 0)
		return rc == -ENOENT ? 0 : rc;
	rc = -EBUSY;
	/* Whoever is left in it belongs to nobody: the lock was free. */
	(void)!fd_write_file(dir_fd, "cgroup.kill", "1");
	each_child(dir_fd, thaw_child);
	for (int i = 0; rc == -EBUSY && i < REMOVE_TRIES; i++) {
		each_child(dir_fd, remove_child);
		rc = rmdir(path) == 0 || errno == ENOENT ? 0 : -errno;
		if (rc == -EBUSY)
			(void)nanosleep(&pause, NULL);
	}
	return rc;
}

static int give(int dir_fd, const char *file, uint32_t uid, uint32_t gid)
{
	if (geteuid() != 0)
		return 0; /* it is the user's own already */
	if (fchownat(dir_fd, file, uid, gid, AT_EMPTY_PATH) < 0 && errno != ENOENT)
		return -errno;
	return 0;
}

static int make_group(struct delegation *delegation, size_t i, const char *own, unsigned number,
	uint32_t uid, uint32_t gid)
{
	static const char *const given[] = {
		"", "cgroup.procs", "cgroup.threads", "cgroup.subtree_control", "tasks"};
	char *path = delegation->paths[i];
	int length = snprintf(path, PATH_MAX, "%s/brig.%u", own, number);
	if (length < 0 || length >= PATH_MAX)
		return -ENAMETOOLONG;
	cleanup_fd int dir_fd = -1;
	int rc = remove_group(path);
	if (!rc && mkdir(path, 0755) < 0)
		rc = errno == EEXIST ? -EBUSY : -errno;
	if (!rc)
		rc = lock_group(path, &dir_fd);
	if (rc < 0)
		return rc == -ENOENT ? -EBUSY : rc; /* another was quicker */
	for (size_t n = 0; !rc && n < sizeof(given) / sizeof(given[0]); n++)
		rc = give(dir_fd, given[n], uid, gid);
	if (rc < 0) {
		(void)rmdir(path);
		return rc;
	}
	delegation->dirs[i] = TAKE_FD(dir_fd);
	return 0;
}

/* One controller at a time: a kernel or a parent without one must not cost the others. */
static void enable(int dir_fd)
{
	static const char *const wanted[] = {"+memory", "+pids", "+cpu"};
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		(void)!fd_write_file(dir_fd, "cgroup.subtree_control", wanted[i]);
}

static bool has_controllers(int dir_fd)
{
	char text[256] = "";
	cleanup_fd int fd = openat(dir_fd, "cgroup.controllers", O_RDONLY | O_CLOEXEC);
	return fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 && strstr(text, "memory");
}

/*
 * A group with controllers may hold no process itself, so whoever is in ours moves into a leaf: we,
 * and a shell that called us. It stays there; the next brig that it calls finds the controllers on.
 */
static void make_room(int own_fd)
{
	char line[32];
	int procs_fd = openat(own_fd, "cgroup.procs", O_RDONLY | O_CLOEXEC);
	FILE *procs = procs_fd < 0 ? NULL : fdopen(procs_fd, "r");
	if (!procs) {
		fd_close(&procs_fd);
		return;
	}
	bool there = mkdirat(own_fd, LEAF, 0755) == 0 || errno == EEXIST;
	while (there && fgets(line, sizeof(line), procs))
		(void)!fd_write_file(own_fd, LEAF "/cgroup.procs", line);
	(void)fclose(procs);
}

static void strip_leaf(char *path)
{
	char *last = strrchr(path, '/');
	if (last && strcmp(last + 1, LEAF) == 0)
		*last = 0;
}

static int find_unified(char *own, size_t room)
{
	char value[4];
	int rc = cgroup_find("", false, own, room);
	if (rc < 0)
		return rc;
	strip_leaf(own);
	if (geteuid() != 0)
		return 0;
	bool delegated = getxattr(own, "trusted.delegate", value, sizeof(value)) > 0 ||
			 getxattr(own, "user.delegate", value, sizeof(value)) > 0;
	return delegated ? 0 : cgroup_find("", true, own, room);
}

static int make_unified(struct delegation *delegation, unsigned number, uint32_t uid, uint32_t gid)
{
	int rc = find_unified(delegation->own, sizeof(delegation->own));
	if (rc < 0)
		return rc;
	cleanup_fd int own_fd = open(delegation->own, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (own_fd < 0)
		return -errno;
	bool useful = has_controllers(own_fd);
	if (useful && fd_write_file(own_fd, "cgroup.subtree_control", "+memory") == -EBUSY)
		make_room(own_fd);
	if (useful)
		enable(own_fd);
	rc = make_group(delegation, LAUNCH_CGROUP_UNIFIED, delegation->own, number, uid, gid);
	if (rc < 0)
		return rc;
	int dir_fd = delegation->dirs[LAUNCH_CGROUP_UNIFIED];
	delegation->v2 = has_controllers(dir_fd);
	if (delegation->v2)
		enable(dir_fd);
	if (mkdirat(dir_fd, "service", 0755) < 0)
		return -errno;
	delegation->service_fd = openat(dir_fd, "service", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* Beside its cells it would have the CPU time of one; cells wait for it, never it for them.
	 */
	if (delegation->v2 && delegation->service_fd >= 0)
		(void)!fd_write_file(delegation->service_fd, "cpu.weight", "1000");
	rc = delegation->service_fd < 0 ? -errno : give(delegation->service_fd, "", uid, gid);
	return rc ? rc : give(delegation->service_fd, "cgroup.procs", uid, gid);
}

static int err_busy(struct err *err, unsigned number)
{
	return err_set(err, -EBUSY, "memory", "instance %u is in use, or has left processes behind",
		number);
}

/* Each hierarchy is a folder to make, join and remove for each cell. The unified one freezes and
 * counts CPU time by itself, beside v1's controllers too. */
static bool is_spared(const struct delegation *delegation, enum launch_cgroup which)
{
	int unified_fd = delegation->dirs[LAUNCH_CGROUP_UNIFIED];
	return (which == LAUNCH_CGROUP_CPUACCT || which == LAUNCH_CGROUP_FREEZER) &&
	       unified_fd >= 0 && faccessat(unified_fd, "cgroup.freeze", F_OK, 0) == 0;
}

int delegation_make(
	struct delegation *delegation, unsigned number, uint32_t uid, uint32_t gid, struct err *err)
{
	char own[PATH_MAX], cpu[PATH_MAX] = "";

	int rc = make_unified(delegation, number, uid, gid);
	if (rc == -EBUSY)
		return err_busy(err, number);
	if (rc < 0)
		fd_close(&delegation->dirs[LAUNCH_CGROUP_UNIFIED]);
	for (size_t i = 0; !delegation->v2 && i < LAUNCH_CGROUP_UNIFIED; i++) {
		if (is_spared(delegation, (enum launch_cgroup)i) ||
			cgroup_find(controllers[i], geteuid() == 0, own, sizeof(own)) < 0)
			continue;
		/* cpu and cpuacct often share a hierarchy: once is enough. */
		if (i == LAUNCH_CGROUP_CPUACCT && strcmp(own, cpu) == 0)
			continue;
		if (i == LAUNCH_CGROUP_CPU)
			(void)snprintf(cpu, sizeof(cpu), "%s", own);
		rc = make_group(delegation, i, own, number, uid, gid);
		if (rc == -EBUSY)
			return err_busy(err, number);
	}
	return 0;
}

void delegation_remove(struct delegation *delegation)
{
	fd_close(&delegation->service_fd);
	for (size_t i = 0; i < LAUNCH_CGROUP_COUNT; i++) {
		if (delegation->dirs[i] < 0)
			continue;
		fd_close(&delegation->dirs[i]);
		(void)remove_group(delegation->paths[i]);
	}
}

/* instance: locks in a folder of our own. Source: flock(2). */
#include "launch/instance.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int make_folder(const char *path, mode_t mode, struct err *err)
{
	struct stat status;
	if (mkdir(path, mode) < 0 && errno != EEXIST)
		return err_set(err, -errno, "launch", "cannot make %s", path);
	/* Somebody else's folder, or one that others may write, would let them take our numbers. */
	if (lstat(path, &status) < 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid() ||
		(status.st_mode & 022) != 0)
		return err_set(err, -EPERM, "launch",
			"%s is not a folder that only you can write: remove it", path);
	return 0;
}

int instance_folder(char *path, size_t room, struct err *err)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	const char *home = getenv("HOME");
	char cache[PATH_MAX];

	if (geteuid() == 0) {
		(void)snprintf(path, room, "/run/brig");
		return make_folder(path, 0755, err);
	}
	if (runtime && runtime[0] == '/') {
		(void)snprintf(path, room, "%s/brig", runtime);
		if (make_folder(path, 0700, NULL) == 0)
			return 0;
	}
	if (!home || home[0] != '/')
		return err_set(err, -ENOENT, "launch",
			"neither XDG_RUNTIME_DIR nor HOME names a folder: set one");
	(void)snprintf(cache, sizeof(cache), "%s/.cache", home);
	(void)mkdir(cache, 0700);
	int length = snprintf(path, room, "%s/.cache/brig", home);
	if (length < 0 || (size_t)length >= room)
		return err_set(err, -ENAMETOOLONG, "launch", "HOME is too long");
	return make_folder(path, 0700, err);
}

int instance_take(unsigned first, unsigned *ret_number, int *ret_lock_fd, struct err *err)
{
	char folder[PATH_MAX - 32], path[PATH_MAX];
	int rc = instance_folder(folder, sizeof(folder), err);
	if (rc < 0)
		return rc;
	for (unsigned number = first; number < INSTANCES_MAX; number++) {
		(void)snprintf(path, sizeof(path), "%s/instance-%u.lock", folder, number);
		cleanup_fd int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd < 0)
			return err_set(err, -errno, "launch", "cannot open %s", path);
		if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
			*ret_number = number;
			*ret_lock_fd = TAKE_FD(fd);
			return 0;
		}
	}
	return err_set(
		err, -EBUSY, "launch", "%u services of brig run already: end one", INSTANCES_MAX);
}

/* audit_lock: a byte for each writer. */
#include "audit/audit_lock.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct flock byte_of(uint64_t writer, short type)
{
	return (struct flock){
		.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)writer, .l_len = 1};
}

int audit_lock_open(const char *path, int *ret_fd, struct err *err)
{
	char name[PATH_MAX], folder[PATH_MAX];
	struct stat status, above;
	int length = snprintf(name, sizeof(name), "%s.lock", path);
	if (length < 0 || length >= PATH_MAX)
		return err_sys(err, -ENAMETOOLONG, "audit", "the audit log's path");
	cleanup_fd int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 || fstat(fd, &status) < 0)
		return err_set(err, -errno, "audit",
			"%.140s: %s; it must be writable for this user", name,
			strerrordesc_np(errno));
	(void)snprintf(folder, sizeof(folder), "%s", path);
	if (geteuid() == 0 && stat(dirname(folder), &above) == 0 && above.st_uid != status.st_uid &&
		fchown(fd, above.st_uid, above.st_gid) < 0)
		return err_sys(err, -errno, "audit", name);
	*ret_fd = TAKE_FD(fd);
	return 0;
}

int audit_lock_take(int fd, uint64_t writer, struct err *err)
{
	struct flock lock = byte_of(writer, F_WRLCK);
	if (fcntl(fd, F_SETLK, &lock) == 0)
		return 0;
	int rc = errno == EACCES || errno == EAGAIN ? -EBUSY : -errno;
	return err_sys(err, rc, "audit", "cannot lock the audit log");
}

bool audit_lock_alive(int fd, uint64_t writer)
{
	struct flock lock = byte_of(writer, F_WRLCK);
	if (fcntl(fd, F_GETLK, &lock) < 0)
		return true;
	return lock.l_type != F_UNLCK;
}

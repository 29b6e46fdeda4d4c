/* mountfd: the newer mount calls. */
#include "base/mountfd.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>

int mountfd_set(int fs_fd, const char *key, const char *value)
{
	return fsconfig(fs_fd, FSCONFIG_SET_STRING, key, value, 0) < 0 ? -errno : 0;
}

int mountfd_finish(int fs_fd, uint64_t attributes, const char *stage, struct err *err)
{
	if (fsconfig(fs_fd, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return err_sys(err, -errno, stage, "creating the file system");
	int mount_fd = fsmount(fs_fd, FSMOUNT_CLOEXEC, (unsigned)attributes);
	return mount_fd < 0 ? err_sys(err, -errno, stage, "fsmount") : mount_fd;
}

int mountfd_filesystem(const char *type, const char *source, uint64_t attributes, bool read_only,
	const char *stage, struct err *err)
{
	cleanup_fd int fs_fd = fsopen(type, FSOPEN_CLOEXEC);
	if (fs_fd < 0)
		return err_sys(err, -errno, stage, type);
	int rc = source ? mountfd_set(fs_fd, "source", source) : 0;
	if (!rc && read_only && fsconfig(fs_fd, FSCONFIG_SET_FLAG, "ro", NULL, 0) < 0)
		rc = -errno;
	if (rc < 0)
		return err_sys(err, rc, stage, type);
	return mountfd_finish(fs_fd, attributes | (read_only ? MOUNT_ATTR_RDONLY : 0), stage, err);
}

int mountfd_clone(int dir_fd, const char *path, bool recursive, uint64_t attributes,
	const char *stage, struct err *err)
{
	unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW;
	unsigned deep = recursive ? AT_RECURSIVE : 0;
	cleanup_fd int tree_fd = open_tree(dir_fd, path, flags | deep);
	if (tree_fd < 0)
		return err_sys(err, -errno, stage, "open_tree");
	struct mount_attr attr = {.attr_set = attributes};
	if (mount_setattr(tree_fd, "", AT_EMPTY_PATH | deep, &attr, sizeof(attr)) < 0)
		return err_sys(err, -errno, stage, "mount_setattr");
	return TAKE_FD(tree_fd);
}

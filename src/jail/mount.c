/* mount: the newer mount calls, by descriptor. */
#include "jail/mount.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

static int configure(int fs_fd, unsigned command, const char *key, const char *value)
{
	return fsconfig(fs_fd, command, key, value, 0) < 0 ? -errno : 0;
}

static int configure_number(int fs_fd, const char *key, uint64_t value)
{
	char text[32];
	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return configure(fs_fd, FSCONFIG_SET_STRING, key, text);
}

static int configure_mode(int fs_fd, uint32_t mode)
{
	char text[16];
	(void)snprintf(text, sizeof(text), "%o", mode);
	return configure(fs_fd, FSCONFIG_SET_STRING, "mode", text);
}

static int finish(int fs_fd, uint64_t attributes, const char *stage, struct err *err)
{
	int rc = configure(fs_fd, FSCONFIG_CMD_CREATE, NULL, NULL);
	if (rc < 0)
		return err_sys(err, rc, stage, "creating the file system");
	int mount_fd = fsmount(fs_fd, FSMOUNT_CLOEXEC, (unsigned)attributes);
	if (mount_fd < 0)
		return err_sys(err, -errno, stage, "fsmount");
	return mount_fd;
}

int mount_tmpfs(const struct tmpfs_options *options, const char *stage, struct err *err)
{
	cleanup_fd int fs_fd = fsopen("tmpfs", FSOPEN_CLOEXEC);
	if (fs_fd < 0)
		return err_sys(err, -errno, stage, "fsopen tmpfs");
	int rc = configure_mode(fs_fd, options->mode);
	if (!rc && options->bytes)
		rc = configure_number(fs_fd, "size", options->bytes);
	if (!rc && options->inodes)
		rc = configure_number(fs_fd, "nr_inodes", options->inodes);
	if (rc < 0)
		return err_sys(err, rc, stage, "tmpfs options");
	return finish(fs_fd, options->attributes, stage, err);
}

int mount_filesystem(const char *type, const char *source, uint64_t attributes, bool read_only,
	const char *stage, struct err *err)
{
	cleanup_fd int fs_fd = fsopen(type, FSOPEN_CLOEXEC);
	if (fs_fd < 0)
		return err_sys(err, -errno, stage, type);
	int rc = source ? configure(fs_fd, FSCONFIG_SET_STRING, "source", source) : 0;
	if (!rc && read_only)
		rc = configure(fs_fd, FSCONFIG_SET_FLAG, "ro", NULL);
	if (rc < 0)
		return err_sys(err, rc, stage, type);
	return finish(fs_fd, attributes | (read_only ? MOUNT_ATTR_RDONLY : 0), stage, err);
}

int mount_clone(int dir_fd, const char *path, bool recursive, uint64_t attributes,
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

int mount_attach(int mount_fd, int dir_fd, const char *path, const char *stage, struct err *err)
{
	unsigned flags = MOVE_MOUNT_F_EMPTY_PATH | (*path ? 0 : MOVE_MOUNT_T_EMPTY_PATH);
	if (move_mount(mount_fd, "", dir_fd, path, flags) < 0)
		return err_sys(err, -errno, stage, "move_mount");
	return 0;
}

int mount_make_private(struct err *err)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return err_sys(err, -errno, "root", "making mounts private");
	return 0;
}

int mount_pivot(int root_fd, struct err *err)
{
	if (fchdir(root_fd) < 0)
		return err_sys(err, -errno, "root", "entering the new root");
	if (syscall(SYS_pivot_root, ".", ".") < 0)
		return err_sys(err, -errno, "root", "pivot_root");
	/* The old root now lies on top of the new one: "." is the old one until it is gone. */
	if (umount2(".", MNT_DETACH) < 0)
		return err_sys(err, -errno, "root", "detaching the old root");
	if (chdir("/") < 0)
		return err_sys(err, -errno, "root", "chdir");
	return 0;
}

/* mount: the newer mount calls, by descriptor. */
#include "jail/mount.h"

#include "base/fd.h"
#include "wire/mutant.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

static int set_number(int fs_fd, const char *key, uint64_t value)
{
	char text[32];
	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return mountfd_set(fs_fd, key, text);
}

static int set_mode(int fs_fd, uint32_t mode)
{
	char text[16];
	(void)snprintf(text, sizeof(text), "%o", mode);
	return mountfd_set(fs_fd, "mode", text);
}

int mount_tmpfs(const struct tmpfs_options *options, const char *stage, struct err *err)
{
	cleanup_fd int fs_fd = fsopen("tmpfs", FSOPEN_CLOEXEC);
	if (fs_fd < 0)
		return err_sys(err, -errno, stage, "fsopen tmpfs");
	int rc = set_mode(fs_fd, options->mode);
	if (!rc && options->bytes)
		rc = set_number(fs_fd, "size", options->bytes);
	if (!rc && options->inodes)
		rc = set_number(fs_fd, "nr_inodes", options->inodes);
	if (rc < 0)
		return err_sys(err, rc, stage, "tmpfs options");
	return mountfd_finish(fs_fd, options->attributes, stage, err);
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
	if (LEFT_OUT(LAYER_ROOT)) /* the old root stays, below /home */
		return syscall(SYS_pivot_root, ".", "home") < 0 || chdir("/") < 0 ? -errno : 0;
	if (syscall(SYS_pivot_root, ".", ".") < 0)
		return err_sys(err, -errno, "root", "pivot_root");
	/* The old root now lies on top of the new one: "." is the old one until it is gone. */
	if (umount2(".", MNT_DETACH) < 0)
		return err_sys(err, -errno, "root", "detaching the old root");
	if (chdir("/") < 0)
		return err_sys(err, -errno, "root", "chdir");
	return 0;
}

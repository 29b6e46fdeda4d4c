/*
 * mount: file systems by descriptor, never by a path that somebody else could change.
 *
 * A "detached mount" is a descriptor of a mount that is attached nowhere yet.
 * Source: fsopen(2), fsmount(2), open_tree(2), move_mount(2) (5.2), mount_setattr(2) (5.12).
 */
#ifndef BRIG_JAIL_MOUNT_H
#define BRIG_JAIL_MOUNT_H

#include "base/err.h"
#include "base/mountfd.h"

#include <stdbool.h>
#include <stdint.h>

/* Restrictions, as MOUNT_ATTR_* of mount_setattr(2). */
#define MOUNT_LOCKED_DOWN (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)

struct tmpfs_options {
	uint64_t bytes;	 /* 0: the kernel's default */
	uint64_t inodes; /* 0: the kernel's default */
	uint32_t mode;
	uint64_t attributes; /* MOUNT_ATTR_* */
};

/* A detached tmpfs; its descriptor or -errno. */
int mount_tmpfs(const struct tmpfs_options *options, const char *stage, struct err *err) MUST_CHECK;

/* Attaches a detached mount at `path` below `dir_fd`. */
int mount_attach(
	int mount_fd, int dir_fd, const char *path, const char *stage, struct err *err) MUST_CHECK;

/* Nothing that happens to mounts from here on is seen outside, nor the other way round. */
int mount_make_private(struct err *err) MUST_CHECK;

/*
 * Makes the mount behind `root_fd` (attached somewhere in this namespace) the root and lets the old
 * one go. The working directory is then the new root.
 */
int mount_pivot(int root_fd, struct err *err) MUST_CHECK;

#endif

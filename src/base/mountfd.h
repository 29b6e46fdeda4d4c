/*
 * mountfd: file systems as descriptors of detached mounts: made, restricted, attached nowhere yet.
 *
 * Source: fsopen(2), fsmount(2), open_tree(2) (5.2), mount_setattr(2) (5.12).
 */
#ifndef BRIG_BASE_MOUNTFD_H
#define BRIG_BASE_MOUNTFD_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* A detached file system of `type` from `source` (a path, or NULL), read-only where asked.
 * `attributes` are MOUNT_ATTR_*. The descriptor or -errno. */
int mountfd_filesystem(const char *type, const char *source, uint64_t attributes, bool read_only,
	const char *stage, struct err *err) MUST_CHECK;

/* A detached copy of what is at `path` below `dir_fd`, with `attributes` set on all of it. The
 * original must be in the caller's mount namespace. */
int mountfd_clone(int dir_fd, const char *path, bool recursive, uint64_t attributes,
	const char *stage, struct err *err) MUST_CHECK;

/* fsmount of a configured context; for what needs options of its own. */
int mountfd_finish(int fs_fd, uint64_t attributes, const char *stage, struct err *err) MUST_CHECK;

/* fsconfig of one string; 0 or -errno. */
int mountfd_set(int fs_fd, const char *key, const char *value) MUST_CHECK;

#endif

/*
 * folder: a cell's folders seen from outside, by descriptor. No path in them is ever trusted: every
 * step is beneath the folder, through no symbolic link and into no other mount.
 *
 * Source: openat2(2) (5.6).
 */
#ifndef BRIG_SERVICE_FOLDER_H
#define BRIG_SERVICE_FOLDER_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Opens `path` beneath `dir_fd`; the empty path is the folder itself. Never waits for a FIFO's
 * other end. The descriptor, or -errno: -ELOOP for a link, -EXDEV for a mount. */
int folder_open(int dir_fd, const char *path, uint64_t flags, mode_t mode) MUST_CHECK;

/* Up to `max` names of a folder in their order, so that answers do not depend on chance. How many,
 * or -errno, and then none; each name is the caller's to free. `ret_more` (may be NULL) says
 * whether there are others. */
int folder_names(int dir_fd, char **names, size_t max, bool *ret_more) MUST_CHECK;

#endif

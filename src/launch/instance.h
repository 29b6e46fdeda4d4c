/*
 * instance: a number that no other launcher on this host has: it names the cgroups and picks the
 * uid range. Held by a lock that the kernel lets go of when the process dies.
 */
#ifndef BRIG_LAUNCH_INSTANCE_H
#define BRIG_LAUNCH_INSTANCE_H

#include "base/err.h"

#include <stddef.h>

#define INSTANCES_MAX 64u

/* The folder for locks and sockets: /run/brig, XDG_RUNTIME_DIR/brig or ~/.cache/brig. Made here. */
int instance_folder(char *path, size_t room, struct err *err) MUST_CHECK;

/* Takes the lowest free number from `first` on. The lock's descriptor keeps it. */
int instance_take(
	unsigned first, unsigned *ret_number, int *ret_lock_fd, struct err *err) MUST_CHECK;

#endif

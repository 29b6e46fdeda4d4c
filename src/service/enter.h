/*
 * enter: the service leaves the host.
 *
 * It comes in as pid 1 of a new pid namespace and root of the outer user namespace U, in a mount
 * namespace copied from the host's. It ends up in a root that holds the image, the five devices,
 * its own /proc and a store for inputs, with a network, IPC and UTS namespace of its own.
 */
#ifndef BRIG_SERVICE_ENTER_H
#define BRIG_SERVICE_ENTER_H

#include "base/err.h"
#include "wire/launch.h"

/* Where things are in the service's own root. */
#define ENTER_IMAGE "/image"
#define ENTER_DEV "/dev"
#define ENTER_PROC "/proc"
#define ENTER_INPUTS "/inputs"

/* `image_fd` is the image's detached mount, or -1 where start->image_path names a directory. */
int enter(const struct launch_message *start, int image_fd, struct err *err) MUST_CHECK;

#endif

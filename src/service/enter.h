/*
 * enter: the service leaves the host.
 *
 * It comes in as pid 1 of a new pid namespace, in a mount namespace of its own, as the host's root
 * or as root of an ordinary user's namespace. It ends up in a root that holds the image, the five
 * devices, its own /proc and a store for inputs, inside the outer user namespace U: capabilities
 * there, none on the host.
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

/*
 * `image_fd` is borrowed. `ask_for_map` is called once, in U, to have the maps written; it may be
 * NULL where the namespace was born mapped.
 */
int enter(const struct launch_message *start, int image_fd,
	int (*ask_for_map)(void *context, struct err *err), void *context,
	struct err *err) MUST_CHECK;

#endif

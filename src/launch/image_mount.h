/*
 * image_mount: the baked image as a detached read-only mount, which only the host's root can make.
 *
 * An EROFS file is mounted straight from the file where the kernel can (6.12), else through a loop
 * device; a directory is cloned. Always read-only, nosuid, nodev.
 */
#ifndef BRIG_LAUNCH_IMAGE_MOUNT_H
#define BRIG_LAUNCH_IMAGE_MOUNT_H

#include "base/err.h"
#include "wire/launch.h"

#include <stdint.h>

/* `image_fd`: the file, or the directory; borrowed. The mount's descriptor or -errno. */
int image_mount(uint32_t format, int image_fd, struct err *err) MUST_CHECK;

#endif

/*
 * image_mount: the baked image as a read-only file system.
 *
 * An EROFS file is mounted straight from the file where the kernel can (6.12), else through a loop
 * device; a directory is bound. Always read-only, nosuid, nodev, noatime, on every mount of it.
 */
#ifndef BRIG_SERVICE_IMAGE_MOUNT_H
#define BRIG_SERVICE_IMAGE_MOUNT_H

#include "base/err.h"
#include "wire/launch.h"

#include <stdint.h>

int image_mount(
	uint32_t format, int image_fd, int dir_fd, const char *name, struct err *err) MUST_CHECK;

#endif

/* image_mount: EROFS from a file or through a loop device, or a directory. */
#include "launch/image_mount.h"

#include "base/fd.h"
#include "base/mountfd.h"
#include "wire/mutant.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/vfs.h>
#include <unistd.h>

#define IMAGE_ATTRIBUTES                                                                           \
	(LEFT_OUT(LAYER_IMAGE) ? 0 : MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)
#define LOOP_TRIES 64
#define LOOP_PATH_BYTES 32

static int from_file(int image_fd, struct err *err)
{
	char source[LOOP_PATH_BYTES];
	(void)snprintf(source, sizeof(source), "/proc/self/fd/%d", image_fd);
	return mountfd_filesystem(
		"erofs", source, IMAGE_ATTRIBUTES | MOUNT_ATTR_NOATIME, true, "image", err);
}

/* Another process may take the free device between the two calls: then try the next. */
static int attach_loop(int image_fd, char path[LOOP_PATH_BYTES], struct err *err)
{
	cleanup_fd int control_fd = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	if (control_fd < 0)
		return err_sys(err, -errno, "image", "/dev/loop-control");
	for (int i = 0; i < LOOP_TRIES; i++) {
		int number = ioctl(control_fd, LOOP_CTL_GET_FREE);
		if (number < 0)
			return err_sys(err, -errno, "image", "finding a free loop device");
		(void)snprintf(path, LOOP_PATH_BYTES, "/dev/loop%d", number);
		cleanup_fd int loop_fd = open(path, O_RDONLY | O_CLOEXEC);
		if (loop_fd < 0)
			return err_sys(err, -errno, "image", path);
		struct loop_config config = {
			.fd = (__u32)image_fd,
			.block_size = 4096,
			.info = {.lo_flags = LO_FLAGS_READ_ONLY | LO_FLAGS_AUTOCLEAR |
					     LO_FLAGS_DIRECT_IO},
		};
		if (ioctl(loop_fd, LOOP_CONFIGURE, &config) == 0)
			return TAKE_FD(loop_fd); /* held open until it is mounted: autoclear */
		if (errno != EBUSY)
			return err_sys(err, -errno, "image", "LOOP_CONFIGURE");
	}
	return err_set(err, -EBUSY, "image", "no loop device is free");
}

static int from_loop(int image_fd, struct err *err)
{
	char path[LOOP_PATH_BYTES];
	cleanup_fd int loop_fd = attach_loop(image_fd, path, err);
	if (loop_fd < 0)
		return loop_fd;
	return mountfd_filesystem(
		"erofs", path, IMAGE_ATTRIBUTES | MOUNT_ATTR_NOATIME, true, "image", err);
}

static int mount_erofs(int image_fd, struct err *err)
{
	int mount_fd = from_file(image_fd, NULL);
	if (mount_fd < 0)
		mount_fd = from_loop(image_fd, err);
	if (mount_fd < 0)
		return mount_fd;
	struct statfs status;
	if (fstatfs(mount_fd, &status) < 0 || status.f_type != EROFS_SUPER_MAGIC_V1) {
		(void)close(mount_fd);
		return err_set(err, -EMEDIUMTYPE, "image", "what was mounted is no EROFS");
	}
	return mount_fd;
}

int image_mount(uint32_t format, int image_fd, struct err *err)
{
	if (format == LAUNCH_IMAGE_EROFS)
		return mount_erofs(image_fd, err);
	return mountfd_clone(image_fd, "", false, IMAGE_ATTRIBUTES, "image", err);
}

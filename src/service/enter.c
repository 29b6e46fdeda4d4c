/* enter: private mounts, a root of our own, no network. */
#include "service/enter.h"

#include "base/fd.h"
#include "jail/mount.h"
#include "wire/mutant.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static int make_root(int *ret_root_fd, struct err *err)
{
	static const char *const folders[] = {"image", "dev", "proc", "inputs"};
	const struct tmpfs_options options = {
		.bytes = 1 << 20, .mode = 0755, .attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV};
	cleanup_fd int root_fd = mount_tmpfs(&options, "root", err);
	if (root_fd < 0)
		return root_fd;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (mkdirat(root_fd, folders[i], 0755) < 0)
			return err_sys(err, -errno, "root", folders[i]);
	if (LEFT_OUT(LAYER_ROOT) && mkdirat(root_fd, "home", 0755) < 0)
		return -errno;
	/* On top of the old root, which nobody looks up any more: no host folder is needed. */
	int rc = mount_attach(root_fd, AT_FDCWD, "/", "root", err);
	if (!rc)
		*ret_root_fd = TAKE_FD(root_fd);
	return rc;
}

/* The device nodes are the host's own: nodes of a user namespace's tmpfs cannot be opened. */
static int bind_device(int dev_fd, const char *name, struct err *err)
{
	cleanup_fd int host_fd = open("/dev", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (host_fd < 0)
		return err_sys(err, -errno, "dev", "/dev");
	cleanup_fd int place_fd =
		openat(dev_fd, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0444);
	if (place_fd < 0)
		return err_sys(err, -errno, "dev", name);
	cleanup_fd int node_fd = mountfd_clone(
		host_fd, name, false, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, "dev", err);
	if (node_fd < 0)
		return node_fd;
	struct stat status;
	if (fstat(node_fd, &status) < 0 || !S_ISCHR(status.st_mode))
		return err_set(err, -ENODEV, "dev", "the host's /dev/%s is no device", name);
	return mount_attach(node_fd, dev_fd, name, "dev", err);
}

static int make_dev(int root_fd, struct err *err)
{
	static const char *const nodes[] = {"null", "zero", "full", "urandom", "random"};
	/* No size or inode limit: it is read-only once it is filled. Never nodev: nodes hang below.
	 */
	const struct tmpfs_options options = {
		.mode = 0755, .attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC};
	cleanup_fd int mount_fd = mount_tmpfs(&options, "dev", err);
	if (mount_fd < 0)
		return mount_fd;
	int rc = mount_attach(mount_fd, root_fd, "dev", "dev", err);
	for (size_t i = 0; !rc && i < sizeof(nodes) / sizeof(nodes[0]); i++)
		rc = bind_device(mount_fd, nodes[i], err);
	if (rc < 0)
		return rc;
	if (mkdirat(mount_fd, "shm", 0755) < 0)
		return err_sys(err, -errno, "dev", "shm");
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY};
	if (mount_setattr(mount_fd, "", AT_EMPTY_PATH, &attr, sizeof(attr)) < 0)
		return err_sys(err, -errno, "dev", "making /dev read-only");
	return 0;
}

/* The host's whole /dev: the mutant build's. */
static int take_dev(int root_fd, struct err *err)
{
	cleanup_fd int mount_fd = mountfd_clone(
		AT_FDCWD, "/dev", true, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, "dev", err);
	return mount_fd < 0 ? mount_fd : mount_attach(mount_fd, root_fd, "dev", "dev", err);
}

static int make_proc(int root_fd, struct err *err)
{
	cleanup_fd int proc_fd =
		mountfd_filesystem("proc", NULL, MOUNT_LOCKED_DOWN, false, "proc", err);
	if (proc_fd < 0)
		return proc_fd;
	return mount_attach(proc_fd, root_fd, "proc", "proc", err);
}

static int make_inputs(int root_fd, struct err *err)
{
	const struct tmpfs_options options = {.mode = 0755, .attributes = MOUNT_LOCKED_DOWN};
	cleanup_fd int inputs_fd = mount_tmpfs(&options, "work", err);
	if (inputs_fd < 0)
		return inputs_fd;
	return mount_attach(inputs_fd, root_fd, "inputs", "work", err);
}

static int attach_image(
	const struct launch_message *start, int image_fd, int root_fd, struct err *err)
{
	cleanup_fd int clone_fd = -1;
	if (image_fd < 0) {
		uint64_t attributes = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
		clone_fd = mountfd_clone(AT_FDCWD, start->image_path, false,
			LEFT_OUT(LAYER_IMAGE) ? 0 : attributes, "image", err);
		if (clone_fd < 0)
			return clone_fd;
	}
	return mount_attach(image_fd < 0 ? clone_fd : image_fd, root_fd, "image", "image", err);
}

int enter(const struct launch_message *start, int image_fd, struct err *err)
{
	cleanup_fd int root_fd = -1;

	int rc = mount_make_private(err);
	if (!rc)
		rc = make_root(&root_fd, err);
	if (!rc)
		rc = attach_image(start, image_fd, root_fd, err);
	if (!rc)
		rc = LEFT_OUT(LAYER_DEV) ? take_dev(root_fd, err) : make_dev(root_fd, err);
	if (!rc)
		rc = make_proc(root_fd, err);
	if (!rc)
		rc = make_inputs(root_fd, err);
	if (!rc)
		rc = mount_pivot(root_fd, err);
	int flags = LEFT_OUT(LAYER_NET) ? 0 : CLONE_NEWNET;
	flags |= LEFT_OUT(LAYER_IPC) ? 0 : CLONE_NEWIPC | CLONE_NEWUTS;
	if (!rc && unshare(flags) < 0)
		rc = err_sys(err, -errno, "net", "unshare");
	return rc;
}

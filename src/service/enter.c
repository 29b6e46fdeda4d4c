/* enter: private mounts, a root of our own, the outer user namespace. */
#include "service/enter.h"

#include "base/fd.h"
#include "jail/mount.h"
#include "service/image_mount.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
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
	cleanup_fd int node_fd = mount_clone(
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

static int make_proc(int root_fd, struct err *err)
{
	cleanup_fd int proc_fd =
		mount_filesystem("proc", NULL, MOUNT_LOCKED_DOWN, false, "proc", err);
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

static int leave_host_namespaces(bool already_in_user_namespace, struct err *err)
{
	int flags = CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;
	if (!already_in_user_namespace)
		flags |= CLONE_NEWUSER;
	if (unshare(flags) < 0)
		return err_sys(err, -errno, "uid", "unshare");
	return 0;
}

static int become_root_inside(bool one_uid, struct err *err)
{
	if (!one_uid && setgroups(0, NULL) < 0)
		return err_sys(err, -errno, "uid", "setgroups");
	if (setresgid(0, 0, 0) < 0 || setresuid(0, 0, 0) < 0)
		return err_sys(err, -errno, "uid", "becoming root of the user namespace");
	/* A change of ids clears the flag; the cells' maps are written through /proc files that
	 * belong to us only while it is set. */
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
		return err_sys(err, -errno, "uid", "PR_SET_DUMPABLE");
	return 0;
}

int enter(const struct launch_message *start, int image_fd,
	int (*ask_for_map)(void *context, struct err *err), void *context, struct err *err)
{
	cleanup_fd int root_fd = -1;

	int rc = mount_make_private(err);
	if (!rc)
		rc = make_root(&root_fd, err);
	if (!rc)
		rc = image_mount(start->image_format, image_fd, root_fd, "image", err);
	if (!rc)
		rc = make_dev(root_fd, err);
	if (!rc)
		rc = make_proc(root_fd, err);
	if (!rc)
		rc = make_inputs(root_fd, err);
	if (!rc)
		rc = mount_pivot(root_fd, err);
	if (!rc)
		rc = leave_host_namespaces(start->unprivileged, err);
	if (!rc && ask_for_map)
		rc = ask_for_map(context, err);
	if (!rc)
		rc = become_root_inside(start->one_uid, err);
	return rc;
}

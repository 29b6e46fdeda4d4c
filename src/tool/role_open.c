/*
 * role_open: a file that a request names, opened below one of its role's roots.
 *
 * The danger is a name that leads elsewhere: by "..", by a link, by a root that was replaced since
 * the configuration was read. The kernel resolves both steps without following any link; what it
 * refuses and what is not there get one same answer, so that nobody maps the host by asking.
 */
#include "tool/role.h"

#include "base/fd.h"
#include "tool/digest.h"
#include "tool/text.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PATH_BYTES_MAX 4095u
#define SHOWN_BYTES 100u

static int open_below(int dir_fd, const char *path, uint64_t flags, uint64_t resolve)
{
	struct open_how how = {.flags = flags | O_CLOEXEC | O_NOFOLLOW,
		.resolve = resolve | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
	long fd;
	/* EAGAIN: a rename raced with the resolution of "..", which may be tried again. */
	for (int tries = 0; tries < 8; tries++) {
		fd = syscall(SYS_openat2, dir_fd, path, &how, sizeof(how));
		if (fd >= 0 || (errno != EINTR && errno != EAGAIN))
			break;
	}
	return fd < 0 ? -errno : (int)fd;
}

static int not_there(const char *path, struct err *err)
{
	cleanup_buf struct buf shown = {0};
	buf_init(&shown, SHOWN_BYTES);
	if (text_add_line(&shown, span_text(path), SHOWN_BYTES - 1) < 0)
		shown.len = 0;
	return err_set(err, -ENOENT, "path",
		"no file %.*s; write ROOT/relative, with a root that this role has", (int)shown.len,
		shown.len ? (const char *)shown.data : "");
}

/* Copies the path and finds its root; `*ret_rest` is what follows the root's name. */
static int split(
	struct span path, char copy[PATH_BYTES_MAX + 1], const char **ret_rest, struct err *err)
{
	if (path.len == 0 || path.len > PATH_BYTES_MAX || memchr(path.data, 0, path.len))
		return err_set(err, -EINVAL, "path", "a path is ROOT/relative, of 1 to %u bytes",
			PATH_BYTES_MAX);
	memcpy(copy, path.data, path.len);
	copy[path.len] = 0;
	char *slash = strchr(copy, '/');
	if (slash == copy)
		return err_set(err, -EINVAL, "path",
			"paths of the host are not taken; write ROOT/relative");
	for (const char *part = copy; part; part = strchr(part, '/')) {
		part += *part == '/';
		if (part[0] == '.' && part[1] == '.' && (part[2] == '/' || part[2] == 0))
			return err_set(err, -EINVAL, "path",
				"a path never goes up; leave \"..\" out of it");
	}
	*ret_rest = slash ? slash + 1 : NULL;
	return 0;
}

static int open_root(const struct role *role, const char *path, const char *rest)
{
	size_t length = (size_t)(rest - path) - 1;
	for (size_t i = 0; i < role->root_count; i++) {
		const struct role_root *root = &role->roots[i];
		if (strlen(root->name) == length && memcmp(root->name, path, length) == 0)
			return open_below(AT_FDCWD, root->path, O_PATH | O_DIRECTORY, 0);
	}
	return -ENOENT;
}

static int open_regular(int root_fd, const char *rest, struct stat *ret_status)
{
	/* First without opening: to open a pipe or a device already does something. */
	cleanup_fd int path_fd = open_below(root_fd, rest, O_PATH, RESOLVE_BENEATH);
	if (path_fd < 0)
		return path_fd;
	if (fstat(path_fd, ret_status) < 0 || !S_ISREG(ret_status->st_mode))
		return -ENOENT;
	cleanup_fd int fd =
		open_below(root_fd, rest, O_RDONLY | O_NONBLOCK | O_NOCTTY, RESOLVE_BENEATH);
	if (fd < 0)
		return fd;
	if (fstat(fd, ret_status) < 0 || !S_ISREG(ret_status->st_mode))
		return -ENOENT;
	return TAKE_FD(fd);
}

int role_open(const struct role *role, struct span path, uint64_t max_bytes, int *ret_fd,
	uint64_t *ret_bytes, unsigned char ret_sha256[32], struct err *err)
{
	char copy[PATH_BYTES_MAX + 1], limit[TEXT_FIGURE_BYTES];
	const char *rest = NULL;
	struct stat status;

	int rc = split(path, copy, &rest, err);
	if (rc < 0)
		return rc;
	if (!rest || !*rest)
		return not_there(copy, err);
	cleanup_fd int root_fd = open_root(role, copy, rest);
	rest += strspn(rest, "/");
	cleanup_fd int fd = root_fd < 0 ? root_fd : open_regular(root_fd, rest, &status);
	if (fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM || fd == -ENOSYS)
		return err_sys(err, fd == -ENOSYS ? -EIO : fd, "path", "cannot open files");
	if (fd < 0)
		return not_there(copy, err);
	uint64_t bytes = (uint64_t)status.st_size;
	if (bytes > max_bytes)
		return err_set(err, -E2BIG, "path", "larger than %s; give a smaller one",
			text_bytes(max_bytes, limit));
	rc = digest_fd(fd, bytes, ret_sha256);
	if (rc < 0)
		return err_set(err, -EIO, "path", "the file cannot be read, or it changes now");
	*ret_fd = TAKE_FD(fd);
	*ret_bytes = bytes;
	return 0;
}

int role_add_path(const struct role *role, struct job_spec *spec, struct span path,
	const char *name, struct err *err)
{
	unsigned char sha256[DIGEST_BYTES];
	char last[LIMIT_INPUT_NAME_BYTES + 1];
	uint64_t bytes;
	int fd;

	int rc = role_open(role, path, LIMIT_INPUT_BYTES, &fd, &bytes, sha256, err);
	if (rc < 0)
		return rc;
	if (!name) {
		const unsigned char *slash = memrchr(path.data, '/', path.len);
		size_t skip = slash ? (size_t)(slash + 1 - path.data) : 0;
		(void)snprintf(last, sizeof(last), "%.*s", (int)(path.len - skip),
			(const char *)path.data + skip);
		name = last;
	}
	return job_spec_add_input(spec, name, bytes, sha256, fd, err);
}

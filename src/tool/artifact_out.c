/* artifact_out: by descriptor, beneath, complete or not at all. */
#include "tool/artifact_out.h"

#include "base/fd.h"
#include "tool/job_id.h"
#include "tool/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE_BYTES (64u * 1024u)
#define SHOWN_BYTES 100u
#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

/* `err` with the file's name as one harmless line. */
static int blame(struct err *err, int code, struct span name, const char *what)
{
	cleanup_buf struct buf shown = {0};
	buf_init(&shown, SHOWN_BYTES);
	if (text_add_line(&shown, name, SHOWN_BYTES) < 0)
		shown.len = 0;
	const char *reason = strerrordesc_np(-code);
	const char *fix = "";
	if (code == -ENOSPC || code == -EDQUOT)
		fix = "; free some space, or choose another folder";
	else if (code == -EACCES || code == -EPERM || code == -EROFS)
		fix = "; choose a folder that you may write to";
	else if (code == -ELOOP)
		fix = "; remove the link, or choose another folder";
	if (code == -ELOOP)
		reason = "a symbolic link stands there, and links are not followed";
	return err_set(err, code, "out", "%s '%.*s': %s%s", what, (int)shown.len,
		shown.len ? (const char *)shown.data : "", reason ? reason : "unknown error", fix);
}

static int refuse(struct err *err, struct span name)
{
	cleanup_buf struct buf shown = {0};
	buf_init(&shown, SHOWN_BYTES);
	if (text_add_line(&shown, name, SHOWN_BYTES) < 0)
		shown.len = 0;
	return err_set(err, -EINVAL, "out",
		"the file name '%.*s' leads out of the folder or is too long; it is not written",
		(int)shown.len, shown.len ? (const char *)shown.data : "");
}

int artifact_out_check(const char *folder, struct err *err)
{
	char path[PATH_MAX];
	struct stat status;
	size_t length = strlen(folder);

	if (length == 0 || length >= sizeof(path))
		return err_set(err, -EINVAL, "out", "--out needs the path of a folder");
	memcpy(path, folder, length + 1);
	/* The folder itself, or the nearest one above it that exists. */
	while (stat(path, &status) < 0) {
		char *slash = strrchr(path, '/');
		if (errno != ENOENT)
			return blame(err, -errno, span_text(folder), "cannot use the folder");
		if (!slash)
			memcpy(path, ".", 2);
		else if (slash == path)
			path[1] = 0;
		else
			*slash = 0;
	}
	if (!S_ISDIR(status.st_mode))
		return blame(err, -ENOTDIR, span_text(path), "cannot use the folder");
	if (access(path, W_OK | X_OK) < 0)
		return blame(err, -errno, span_text(path), "cannot write to the folder");
	return 0;
}

int artifact_out_open(const char *folder, int *ret_folder_fd, struct err *err)
{
	char path[PATH_MAX];
	size_t length = strlen(folder);

	if (length == 0 || length >= sizeof(path))
		return err_set(err, -EINVAL, "out", "--out needs the path of a folder");
	memcpy(path, folder, length + 1);
	for (char *at = path + 1; at <= path + length; at++) {
		if (*at != '/' && *at)
			continue;
		char kept = *at;
		*at = 0;
		if (mkdir(path, 0777) < 0 && errno != EEXIST)
			return blame(err, -errno, span_text(path), "cannot make the folder");
		*at = kept;
	}
	int fd = open(path, FOLDER_FLAGS);
	if (fd < 0)
		return blame(err, -errno, span_text(path), "cannot open the folder");
	*ret_folder_fd = fd;
	return 0;
}

static bool is_component(struct span part)
{
	return part.len && part.len <= NAME_MAX && !span_is(part, ".") && !span_is(part, "..") &&
	       !memchr(part.data, 0, part.len);
}

/* The first component of `*rest`, which moves past it; `*last` says that none follows. */
static struct span next_component(struct span *rest, bool *last)
{
	const unsigned char *slash = rest->len ? memchr(rest->data, '/', rest->len) : NULL;
	size_t length = slash ? (size_t)(slash - rest->data) : rest->len;
	struct span part = span_of(rest->data, length);
	*last = !slash;
	*rest = span_of(
		rest->data + length + (slash ? 1 : 0), rest->len - length - (slash ? 1 : 0));
	return part;
}

static void component_text(struct span part, char out[NAME_MAX + 1])
{
	memcpy(out, part.data, part.len);
	out[part.len] = 0;
}

/* Every component is checked before the first folder is made. */
static int check_name(struct span name, struct err *err)
{
	struct span rest = name;
	unsigned depth = 0;
	for (bool last = false; !last;)
		if (!is_component(next_component(&rest, &last)) || ++depth > LIMIT_ARTIFACT_DEPTH)
			return refuse(err, name);
	return 0;
}

/* -errno of the open that has failed, a link called a link. */
static int why_closed(int at_fd, const char *part)
{
	struct stat status;
	int code = -errno;
	bool link =
		fstatat(at_fd, part, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
	return link ? -ELOOP : code;
}

/* Opens the folder that the name's last component goes into; makes those on the way. */
static int open_parent(
	int folder_fd, struct span name, int *ret_fd, char last_part[NAME_MAX + 1], struct err *err)
{
	cleanup_fd int at_fd = fcntl(folder_fd, F_DUPFD_CLOEXEC, 0);
	struct span rest = name;
	if (at_fd < 0)
		return blame(err, -errno, name, "cannot write");
	for (bool last = false;;) {
		component_text(next_component(&rest, &last), last_part);
		if (last)
			break;
		if (mkdirat(at_fd, last_part, 0777) < 0 && errno != EEXIST)
			return blame(err, -errno, name, "cannot make the folder of");
		int next_fd = openat(at_fd, last_part, FOLDER_FLAGS | O_NOFOLLOW);
		if (next_fd < 0)
			return blame(err, why_closed(at_fd, last_part), name,
				"cannot open the folder of");
		fd_close(&at_fd);
		at_fd = next_fd;
	}
	*ret_fd = TAKE_FD(at_fd);
	return 0;
}

static int copy_bytes(int to_fd, int from_fd, uint64_t bytes)
{
	unsigned char piece[PIECE_BYTES];
	uint64_t at = 0;

	while (at < bytes) {
		size_t wanted = bytes - at < sizeof(piece) ? (size_t)(bytes - at) : sizeof(piece);
		int rc = fd_pread_all(from_fd, piece, wanted, at);
		if (!rc)
			rc = fd_write_all(to_fd, piece, wanted);
		if (rc < 0)
			return rc;
		at += wanted;
	}
	return 0;
}

/* Writes a file of another name and gives it its own once it is whole. */
static int copy_into(int parent_fd, const char *part, int from_fd, uint64_t bytes)
{
	char id[JOB_ID_BYTES], partial[JOB_ID_BYTES + 16];
	int rc = fault_id_make(id);
	if (rc < 0)
		return rc;
	(void)snprintf(partial, sizeof(partial), ".brig-%s.part", id);
	cleanup_fd int to_fd = openat(
		parent_fd, partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (to_fd < 0)
		return -errno;
	rc = copy_bytes(to_fd, from_fd, bytes);
	/* Some file systems report a full disk or quota only here. */
	if (close(TAKE_FD(to_fd)) < 0 && !rc && errno != EINTR)
		rc = -errno;
	if (!rc && renameat(parent_fd, partial, parent_fd, part) < 0)
		rc = -errno;
	if (rc < 0)
		(void)unlinkat(parent_fd, partial, 0);
	return rc;
}

int artifact_out_copy(int folder_fd, struct span name, int from_fd, uint64_t bytes, struct err *err)
{
	cleanup_fd int parent_fd = -1;
	char part[NAME_MAX + 1];
	struct stat status;

	int rc = check_name(name, err);
	if (rc < 0)
		return rc;
	if (fstat(from_fd, &status) < 0 || !S_ISREG(status.st_mode))
		return blame(err, -EINVAL, name, "cannot read");
	rc = open_parent(folder_fd, name, &parent_fd, part, err);
	if (rc < 0)
		return rc;
	rc = copy_into(parent_fd, part, from_fd, bytes);
	return rc ? blame(err, rc, name, "cannot write") : 0;
}

static bool name_taken(const struct job_result *result, const char *name)
{
	for (size_t i = 0; i < result->artifact_count; i++)
		if (span_is(result->artifacts[i].name, name))
			return true;
	return false;
}

void artifact_out_chart_name(const struct view *view, size_t number, char out[48])
{
	const char *extension = view->charts[number].extension;
	(void)snprintf(out, 48, "chart-%zu.%s", number + 1, extension);
	/* There are fewer artifacts than tries. */
	for (unsigned i = 2; name_taken(view->result, out) && i < LIMIT_ARTIFACTS + 3; i++)
		(void)snprintf(out, 48, "chart-%zu-%u.%s", number + 1, i, extension);
}

int artifact_out_all(int folder_fd, const struct view *view, struct err *err)
{
	const struct job_result *result = view->result;
	char name[48];
	int rc = 0;

	for (size_t i = 0; !rc && i < result->artifact_count; i++)
		rc = artifact_out_copy(folder_fd, result->artifacts[i].name,
			result->artifacts[i].fd, result->artifacts[i].bytes, err);
	for (size_t i = 0; !rc && i < view->chart_count; i++) {
		artifact_out_chart_name(view, i, name);
		rc = artifact_out_copy(folder_fd, span_text(name), view->charts[i].item->fd,
			view->charts[i].item->bytes, err);
	}
	return rc;
}

/*
 * session_files: what a client does with the files of a session. Changes are made while its cell
 * stands still; who only looks does not wait for that: a running job can make a file shorter under
 * a reader and a name mean another of its files, and nothing else.
 *
 * Every path is opened beneath the work folder (service/folder.h), every change is made with the
 * job's rights and not the service's (jail/fsid.h): so what comes of it is what would come of the
 * session's own code, and a folder that is full is full here too.
 */
#include "service/session.h"

#include "base/fd.h"
#include "jail/fsid.h"
#include "service/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int work_fd(const struct errand *errand)
{
	return errand->turn.session->cell->work_fd;
}

/* The folder named by the first `bytes` of the path; with `make` each part that is not there. */
static int open_folder(const struct errand *errand, const char *path, size_t bytes, bool make)
{
	char part[SESSION_PATH_BYTES];
	cleanup_fd int fd = folder_open(work_fd(errand), "", O_RDONLY | O_DIRECTORY, 0);
	for (size_t at = 0; fd >= 0 && at < bytes;) {
		size_t length = strcspn(path + at, "/");
		(void)snprintf(part, sizeof(part), "%.*s", (int)length, path + at);
		if (make && mkdirat(fd, part, 0755) < 0 && errno != EEXIST)
			return -errno;
		int sub_fd = folder_open(fd, part, O_RDONLY | O_DIRECTORY, 0);
		fd_close(&fd);
		fd = sub_fd;
		at += length + 1;
	}
	return TAKE_FD(fd);
}

int session_parent(const struct errand *errand, const char *path, bool make, const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	*ret_name = slash ? slash + 1 : path;
	return open_folder(errand, path, slash ? (size_t)(slash - path) : 0, make);
}

static int make_folder(const struct errand *errand)
{
	const char *name;
	cleanup_fd int fd = session_parent(errand, errand->request.path, true, &name);
	if (fd < 0)
		return fd;
	return mkdirat(fd, name, 0755) < 0 ? -errno : 0;
}

static int move_file(const struct errand *errand)
{
	const char *from, *to;
	cleanup_fd int from_fd = session_parent(errand, errand->request.path, false, &from);
	if (from_fd < 0)
		return from_fd;
	cleanup_fd int to_fd = session_parent(errand, errand->request.target, true, &to);
	if (to_fd < 0)
		return to_fd;
	return renameat(from_fd, from, to_fd, to) < 0 ? -errno : 0;
}

static int read_file(struct errand *errand)
{
	struct stat status;
	cleanup_fd int fd = folder_open(work_fd(errand), errand->request.path, O_RDONLY, 0);
	if (fd < 0)
		return fd;
	if (fstat(fd, &status) < 0)
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	if (!S_ISREG(status.st_mode))
		return -EINVAL;
	errand->answer.bytes = (uint64_t)status.st_size;
	errand->answer.fd = TAKE_FD(fd);
	return 0;
}

static int serve(struct errand *errand)
{
	switch (errand->request.verb) {
	case SESSION_WRITE:
		return session_write(errand);
	case SESSION_READ:
		return read_file(errand);
	case SESSION_LIST:
	case SESSION_STAT:
		return session_list(errand);
	case SESSION_REMOVE:
		return session_remove(errand);
	case SESSION_MKDIR:
		return make_folder(errand);
	case SESSION_MOVE:
		return move_file(errand);
	case SESSION_CLOSE:
	case SESSION_EXTEND:
	case SESSION_STATE:
		break;
	}
	return -EINVAL;
}

int session_files(struct errand *errand)
{
	struct fsid before;
	errand->uid = cell_uid(errand->turn.session->cell);
	int rc = fsid_become(errand->uid, &before, &errand->answer.err);
	if (rc < 0)
		return rc;
	rc = serve(errand);
	fsid_return(&before);
	return rc == -EPERM || rc == -EBUSY ? -EACCES : rc;
}

static const char *words_for(int rc)
{
	switch (rc) {
	case -ENOENT:
		return "there is no such file";
	case -EISDIR:
		return "it is a folder, and a file is wanted";
	case -ENOTDIR:
		return "a part of the path is no folder";
	case -EEXIST:
		return "it is there already";
	case -ENOTEMPTY:
		return "the folder in its place is not empty";
	case -ENOSPC:
		return "the work folder is full; remove what is not needed";
	case -EACCES:
		return "it may not be touched: given files are read-only, and modes hold";
	case -ELOOP:
		return "a part of the path is a symbolic link, which is not followed";
	case -EXDEV:
		return "it is a given file, which is not read back";
	case -EINVAL:
		return "it is no regular file, or a folder would lie in itself";
	case -ENAMETOOLONG:
		return "a name in the path is too long";
	default:
		return "it could not be done";
	}
}

static void fill_answer(struct errand *errand, int rc)
{
	if (rc < 0 && !errand->answer.err.code)
		(void)err_set(&errand->answer.err, rc, "session", "%s", words_for(rc));
	session_status(errand->turn.session, &errand->answer.status);
}

void session_file_done(struct errand *errand, int rc)
{
	fill_answer(errand, rc);
	errand_answer(errand);
}

void session_look(struct errand *errand, struct session *session)
{
	errand->turn.session = session;
	fill_answer(errand, session_files(errand));
	errand->turn.session = NULL; /* it has no place in the line to give back */
}

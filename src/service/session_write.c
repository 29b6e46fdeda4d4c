/*
 * session_write: a file into a session's work folder, in pieces, one in a turn of the loop.
 *
 * It is written under another name and renamed when it is whole: what was there is replaced or left
 * as it was, whatever kind of file it is, and nothing of it is ever opened. All goes with the job's
 * rights, so the file is the job's own, and its folder's limits hold. The pages are charged to the
 * service that writes them, not to the cell: session_memory.c counts them, and what would bring the
 * session beyond its memory is refused before any of it is written.
 */
#include "service/session.h"

#include "base/fd.h"
#include "jail/fsid.h"
#include "service/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define PIECE_BYTES (1u << 20)
#define TEMPORARY ".brig-write"

/* The fault of renaming over what is not the job's own, in a sticky folder or under a mount. */
static int readable_fault(int rc)
{
	return rc == -EPERM || rc == -EBUSY ? -EACCES : rc;
}

static int finish(struct errand *errand, const char *name)
{
	struct fsid before;
	struct err err;
	int rc = fsid_become(errand->uid, &before, &err);
	if (rc < 0)
		return rc;
	if (renameat(errand->folder_fd, TEMPORARY, errand->folder_fd, name) < 0)
		rc = readable_fault(-errno);
	fsid_return(&before);
	if (rc < 0)
		return rc;
	artifacts_saw(&errand->turn.session->seen, errand->request.path, errand->file_fd);
	fd_close(&errand->file_fd); /* it has a name of its own now */
	return 0;
}

void session_write_drop(struct errand *errand)
{
	struct fsid before;
	struct err err;
	if (errand->file_fd >= 0 && fsid_become(errand->uid, &before, &err) == 0) {
		(void)unlinkat(errand->folder_fd, TEMPORARY, 0);
		fsid_return(&before);
	}
	fd_close(&errand->file_fd);
	fd_close(&errand->folder_fd);
}

static int write_piece(struct errand *errand)
{
	static unsigned char piece[PIECE_BYTES];
	uint64_t left = errand->request.bytes - errand->done_bytes;
	if (!left)
		return 0;
	ssize_t got = pread(errand->request.fd, piece,
		left < sizeof(piece) ? (size_t)left : sizeof(piece), (off_t)errand->done_bytes);
	if (got <= 0)
		return got < 0 ? -errno : -ESTALE;
	int rc = fd_write_all(errand->file_fd, piece, (size_t)got);
	errand->done_bytes += (uint64_t)got;
	return rc ? rc : errand->done_bytes < errand->request.bytes ? -EINPROGRESS : 0;
}

static void on_step(evutil_socket_t fd, short what, void *context)
{
	struct errand *errand = context;
	(void)fd;
	(void)what;

	int rc = write_piece(errand);
	if (rc == -EINPROGRESS) {
		event_active(errand->step, EV_TIMEOUT, 0);
		return;
	}
	const char *slash = strrchr(errand->request.path, '/');
	if (!rc)
		rc = finish(errand, slash ? slash + 1 : errand->request.path);
	session_file_done(errand, rc);
}

/* With the job's rights. */
static int open_temporary(struct errand *errand)
{
	const char *name;
	errand->folder_fd = session_parent(errand, errand->request.path, true, &name);
	if (errand->folder_fd < 0)
		return errand->folder_fd;
	if (unlinkat(errand->folder_fd, TEMPORARY, 0) < 0 && errno != ENOENT)
		return readable_fault(-errno);
	errand->file_fd =
		folder_open(errand->folder_fd, TEMPORARY, O_CREAT | O_EXCL | O_WRONLY, 0644);
	return errand->file_fd < 0 ? errand->file_fd : 0;
}

static int check_room(struct errand *errand)
{
	const struct session_request *request = &errand->request;
	struct session *session = errand->turn.session;
	struct err *err = &errand->answer.err;
	uint64_t room;
	int rc = session_room(session, request->memory_bytes, &room);
	if (rc < 0)
		return rc;
	if (request->bytes > room)
		return err_set(err, -EDQUOT, "session", SESSION_NO_ROOM,
			(unsigned long long)request->bytes / KIB, (unsigned long long)room / KIB);
	if (request->bytes > pool_spare_bytes(errand->service))
		return err_set(err, -ENOBUFS, "session",
			"this machine has no memory left for the file now; try again later");
	session_gave(session, request->bytes);
	return 0;
}

int session_write(struct errand *errand)
{
	int rc = check_room(errand);
	if (!rc)
		rc = open_temporary(errand);
	if (rc < 0)
		return rc;
	errand->step = event_new(errand->service->base, -1, 0, on_step, errand);
	if (!errand->step)
		return -ENOMEM;
	event_active(errand->step, EV_TIMEOUT, 0);
	return -EINPROGRESS;
}

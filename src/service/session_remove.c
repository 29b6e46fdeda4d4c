/*
 * session_remove: a file, or a folder with all that is in it. The cell stands still, so nothing
 * moves underneath; how deep a job has nested its folders costs neither stack nor descriptors: what
 * lies deeper than that is first moved up. Some entries in a turn of the loop, from the top again
 * each time.
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

#define ENTRIES_A_TURN 1000u
#define NAMES_A_FOLDER 256u
#define DEPTH_MAX 16u

struct removal {
	int top_fd; /* the folder that is removed: where deep ones are moved */
	uint32_t left;
	uint32_t moved; /* for names never used */
};

static int empty_folder(struct removal *removal, int dir_fd, unsigned depth);

/* 0 gone, -EAGAIN its turn is over, -errno. */
static int remove_entry(struct removal *removal, int dir_fd, const char *name, unsigned depth)
{
	char aside[32];
	if (removal->left == 0)
		return -EAGAIN;
	removal->left--;
	if (unlinkat(dir_fd, name, 0) == 0)
		return 0;
	if (errno != EISDIR)
		return -errno;
	if (unlinkat(dir_fd, name, AT_REMOVEDIR) == 0)
		return 0;
	if (errno != ENOTEMPTY)
		return -errno;
	if (depth == DEPTH_MAX) {
		do
			(void)snprintf(aside, sizeof(aside), ".brig-remove-%u", removal->moved++);
		while (faccessat(removal->top_fd, aside, F_OK, AT_SYMLINK_NOFOLLOW) == 0);
		return renameat(dir_fd, name, removal->top_fd, aside) < 0 ? -errno : -EAGAIN;
	}
	cleanup_fd int sub_fd = folder_open(dir_fd, name, O_RDONLY | O_DIRECTORY, 0);
	if (sub_fd < 0)
		return sub_fd;
	int rc = empty_folder(removal, sub_fd, depth + 1);
	if (rc < 0)
		return rc;
	return unlinkat(dir_fd, name, AT_REMOVEDIR) < 0 ? -errno : 0;
}

static int empty_folder(struct removal *removal, int dir_fd, unsigned depth)
{
	char **names = calloc(NAMES_A_FOLDER, sizeof(*names));
	bool more = true;
	int rc = names ? 0 : -ENOMEM;
	while (!rc && more) {
		int count = folder_names(dir_fd, names, NAMES_A_FOLDER, &more);
		rc = count < 0 ? count : 0;
		for (int i = 0; i < count; i++) {
			if (!rc)
				rc = remove_entry(removal, dir_fd, names[i], depth);
			free(names[i]);
		}
	}
	free(names);
	return rc;
}

static int remove_some(const struct errand *errand, const char *name)
{
	struct removal removal = {.left = ENTRIES_A_TURN};
	if (unlinkat(errand->folder_fd, name, 0) == 0)
		return 0;
	if (errno != EISDIR)
		return -errno;
	removal.top_fd = folder_open(errand->folder_fd, name, O_RDONLY | O_DIRECTORY, 0);
	if (removal.top_fd < 0)
		return removal.top_fd;
	int rc = empty_folder(&removal, removal.top_fd, 0);
	(void)close(removal.top_fd);
	if (!rc && unlinkat(errand->folder_fd, name, AT_REMOVEDIR) < 0)
		rc = -errno;
	return rc;
}

static void on_step(evutil_socket_t fd, short what, void *context)
{
	struct errand *errand = context;
	const char *slash = strrchr(errand->request.path, '/');
	struct fsid before;
	struct err err;
	(void)fd;
	(void)what;

	int rc = fsid_become(errand->uid, &before, &err);
	if (!rc) {
		rc = remove_some(errand, slash ? slash + 1 : errand->request.path);
		fsid_return(&before);
	}
	if (rc == -EAGAIN)
		event_active(errand->step, EV_TIMEOUT, 0);
	else /* given files are init's, or mounts */
		session_file_done(errand, rc == -EPERM || rc == -EBUSY ? -EACCES : rc);
}

int session_remove(struct errand *errand)
{
	const char *name;
	errand->folder_fd = session_parent(errand, errand->request.path, false, &name);
	if (errand->folder_fd < 0)
		return errand->folder_fd;
	errand->step = event_new(errand->service->base, -1, 0, on_step, errand);
	if (!errand->step)
		return -ENOMEM;
	event_active(errand->step, EV_TIMEOUT, 0);
	return -EINPROGRESS;
}

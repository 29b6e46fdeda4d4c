/* session_list: what is in a session's work folder, as far as one answer holds it. */
#include "service/session.h"

#include "base/fd.h"
#include "service/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* An entry's fields around its path, as they are encoded; and the rest of the answer. */
#define ENTRY_BYTES 96u
#define REST_BYTES 2048u

static int add_entry(struct session_answer *answer, const char *path, const struct stat *status)
{
	size_t length = strlen(path);
	size_t used = answer->storage.len + ENTRY_BYTES * ((size_t)answer->entry_count + 1);
	if (answer->entry_count == SESSION_ENTRIES_MAX || length >= SESSION_PATH_BYTES ||
		used + length + REST_BYTES > SESSION_FRAME_BYTES_MAX) {
		answer->more = true;
		return -ENOSPC;
	}
	struct session_entry *entry = &answer->entries[answer->entry_count];
	*entry = (struct session_entry){
		.path = span_of(answer->storage.data + answer->storage.len, length),
		.bytes = S_ISREG(status->st_mode) ? (uint64_t)status->st_size : 0,
		.modified_ms =
			(int64_t)status->st_mtim.tv_sec * 1000 + status->st_mtim.tv_nsec / 1000000,
		.mode = status->st_mode,
	};
	answer->entry_count++;
	return buf_add(&answer->storage, path, length);
}

static int list_folder(struct errand *errand, int dir_fd, const char *prefix, uint32_t depth);

/* What cannot be looked into may have some. */
static bool may_have_entries(int dir_fd)
{
	char *name = NULL;
	int count = folder_names(dir_fd, &name, 1, NULL);
	free(name);
	return count != 0;
}

static int list_entry(
	struct errand *errand, int dir_fd, const char *name, const char *path, uint32_t depth)
{
	struct stat status;
	if (fstatat(dir_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	int rc = add_entry(&errand->answer, path, &status);
	bool enter = depth > 1, asked_all = errand->request.depth == LIMIT_ARTIFACT_DEPTH;
	if (rc < 0 || !S_ISDIR(status.st_mode) || (!enter && !asked_all))
		return rc;
	cleanup_fd int sub_fd = folder_open(dir_fd, name, O_RDONLY | O_DIRECTORY, 0);
	/* A folder that its owner has closed is told of, and not entered. */
	if (sub_fd < 0) {
		errand->answer.more = errand->answer.more || sub_fd != -EACCES;
		return 0;
	}
	if (enter)
		return list_folder(errand, sub_fd, path, depth - 1);
	errand->answer.more = errand->answer.more || may_have_entries(sub_fd);
	return 0;
}

static int list_folder(struct errand *errand, int dir_fd, const char *prefix, uint32_t depth)
{
	char path[SESSION_PATH_BYTES + 256];
	bool more = false;
	char **names = calloc(SESSION_ENTRIES_MAX, sizeof(*names));
	if (!names)
		return -ENOMEM;
	int count = folder_names(dir_fd, names, SESSION_ENTRIES_MAX, &more);
	int rc = count < 0 ? count : 0;
	for (int i = 0; i < count; i++) {
		int length = snprintf(
			path, sizeof(path), "%s%s%s", prefix, *prefix ? "/" : "", names[i]);
		if (!rc && length > 0 && (size_t)length < sizeof(path))
			rc = list_entry(errand, dir_fd, names[i], path, depth);
		free(names[i]);
	}
	free(names);
	errand->answer.more = errand->answer.more || more;
	return rc;
}

static int stat_one(struct errand *errand, int folder_fd)
{
	struct stat status;
	const char *name;
	if (!*errand->request.path) {
		if (fstat(folder_fd, &status) < 0)
			return -errno;
		return add_entry(&errand->answer, "", &status);
	}
	cleanup_fd int parent_fd = session_parent(errand, errand->request.path, false, &name);
	if (parent_fd < 0)
		return parent_fd;
	if (fstatat(parent_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	return add_entry(&errand->answer, errand->request.path, &status);
}

int session_list(struct errand *errand)
{
	struct session_answer *answer = &errand->answer;
	int work_fd = errand->turn.session->cell->work_fd;

	answer->entries = calloc(SESSION_ENTRIES_MAX, sizeof(*answer->entries));
	/* All of it at once: spans into it must not move. */
	if (!answer->entries || !buf_reserve(&answer->storage, SESSION_FRAME_BYTES_MAX))
		return -ENOMEM;
	if (errand->request.verb == SESSION_STAT)
		return stat_one(errand, work_fd);
	cleanup_fd int fd = folder_open(work_fd, errand->request.path, O_RDONLY | O_DIRECTORY, 0);
	if (fd < 0)
		return fd;
	int rc = list_folder(errand, fd, "", errand->request.depth);
	return rc == -ENOSPC ? 0 : rc;
}

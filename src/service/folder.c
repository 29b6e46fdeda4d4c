/* folder: openat2, and names in order. */
#include "service/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PIECE_BYTES (16u * 1024u)

int folder_open(int dir_fd, const char *path, uint64_t flags, mode_t mode)
{
	struct open_how how = {
		.flags = flags | O_CLOEXEC | O_NOFOLLOW |
			 (flags & O_PATH ? 0 : O_NONBLOCK | O_NOCTTY),
		.mode = mode,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS |
			   RESOLVE_NO_XDEV,
	};
	long fd = syscall(SYS_openat2, dir_fd, *path ? path : ".", &how, sizeof(how));
	return fd < 0 ? -errno : (int)fd;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_wanted(const char *name)
{
	return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* Takes the names of one piece of the listing. */
static int take_names(
	const char *piece, size_t bytes, char **names, size_t max, size_t *count, bool *more)
{
	for (size_t at = 0; at < bytes && !*more;) {
		const struct dirent64 *entry = (const void *)(piece + at);
		at += entry->d_reclen;
		if (!is_wanted(entry->d_name))
			continue;
		*more = *count == max;
		char *name = *more ? NULL : strdup(entry->d_name);
		if (name)
			names[(*count)++] = name;
		else if (!*more)
			return -ENOMEM;
	}
	return 0;
}

int folder_names(int dir_fd, char **names, size_t max, bool *ret_more)
{
	_Alignas(struct dirent64) char piece[PIECE_BYTES];
	size_t count = 0;
	bool more = false;
	ssize_t got = 0;

	int rc = lseek(dir_fd, 0, SEEK_SET) < 0 ? -errno : 0;
	while (!rc && !more && (got = getdents64(dir_fd, piece, sizeof(piece))) > 0)
		rc = take_names(piece, (size_t)got, names, max, &count, &more);
	if (!rc && got < 0)
		rc = -errno;
	if (rc < 0) {
		while (count)
			free(names[--count]);
		return rc;
	}
	qsort(names, count, sizeof(names[0]), by_name);
	if (ret_more)
		*ret_more = more;
	return (int)count;
}

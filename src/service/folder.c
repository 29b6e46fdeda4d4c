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

size_t folder_names(int dir_fd, char **names, size_t max, bool *ret_more)
{
	size_t count = 0;
	bool more = false;
	DIR *dir = fdopendir(dup(dir_fd));
	if (!dir)
		return 0;
	rewinddir(dir);
	for (struct dirent *entry; !more && (entry = readdir(dir));) {
		if (!is_wanted(entry->d_name))
			continue;
		more = count == max;
		char *name = more ? NULL : strdup(entry->d_name);
		if (!name)
			break;
		names[count++] = name;
	}
	(void)closedir(dir);
	qsort(names, count, sizeof(names[0]), by_name);
	if (ret_more)
		*ret_more = more;
	return count;
}

/* temp_folder: a folder for one test program, gone at its end. */
#ifndef BRIG_TESTS_UNIT_TEMP_FOLDER_H
#define BRIG_TESTS_UNIT_TEMP_FOLDER_H

#include "check.h"

#include <ftw.h>
#include <sys/stat.h>

static char temp_folder[64];

static inline int temp_folder_make(void **state)
{
	(void)state;
	(void)strcpy(temp_folder, "/tmp/brig-unit-XXXXXX");
	return mkdtemp(temp_folder) ? 0 : -1;
}

static inline int temp_remove_one(
	const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	(void)status;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline int temp_folder_remove(void **state)
{
	(void)state;
	return nftw(temp_folder, temp_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A path in it; good until the fourth call after this one. */
static inline const char *temp_path(const char *name)
{
	static char paths[4][512];
	static unsigned next;
	char *path = paths[next++ % 4];
	(void)snprintf(path, sizeof(paths[0]), "%s/%s", temp_folder, name);
	return path;
}

static inline const char *temp_file(const char *name, const void *data, size_t bytes)
{
	const char *path = temp_path(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, bytes), (ssize_t)bytes);
	(void)close(fd);
	return path;
}

/* The whole text of a small file; "!" where there is none. */
static inline const char *temp_read(const char *name)
{
	static char text[4096];
	int fd = open(temp_path(name), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return "!";
	ssize_t got = read(fd, text, sizeof(text) - 1);
	(void)close(fd);
	assert_true(got >= 0);
	text[got] = 0;
	return text;
}

/* How many entries a folder of it has. */
static inline size_t temp_count(const char *name)
{
	size_t count = 0;
	DIR *folder = opendir(temp_path(name));
	assert_non_null(folder);
	while (readdir(folder))
		count++;
	(void)closedir(folder);
	return count - 2;
}

#endif

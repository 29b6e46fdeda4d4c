/* artifacts: the walk. */
#include "service/artifacts.h"

#include "base/fd.h"
#include "wire/cell.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define VISITED_MAX 4096u
#define DIRECTORY_MAX 1024u

static int open_beneath(int dir_fd, const char *name, uint64_t flags)
{
	struct open_how how = {
		.flags = flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS |
			   RESOLVE_NO_XDEV,
	};
	long fd = syscall(SYS_openat2, dir_fd, name, &how, sizeof(how));
	return fd < 0 ? -errno : (int)fd;
}

static int keep_name(struct artifacts *artifacts, const char *path, size_t *ret_offset)
{
	*ret_offset = artifacts->names.len;
	return buf_add(&artifacts->names, path, strlen(path));
}

static void skip(struct artifacts *artifacts, const char *path, const char *why)
{
	size_t i = artifacts->skipped_count;
	if (i == RESULT_SKIPPED_MAX ||
		keep_name(artifacts, path, &artifacts->skipped_offset[i]) < 0)
		return;
	artifacts->skipped[i].name.len = strlen(path);
	artifacts->skipped[i].why = span_text(why);
	artifacts->skipped_count++;
}

static void take_file(struct artifacts *artifacts, int dir_fd, const char *name, const char *path)
{
	struct stat status;
	cleanup_fd int fd = open_beneath(dir_fd, name, O_RDONLY);
	if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
		skip(artifacts, path, "could not be opened");
		return;
	}
	uint64_t bytes = (uint64_t)status.st_size;
	if (artifacts->found_count == LIMIT_ARTIFACTS) {
		skip(artifacts, path, "more than 32 files");
		return;
	}
	if (bytes > LIMIT_ARTIFACT_BYTES - artifacts->found_bytes) {
		skip(artifacts, path, "more than 64 MiB in all");
		return;
	}
	size_t i = artifacts->found_count;
	if (keep_name(artifacts, path, &artifacts->name_offset[i]) < 0)
		return;
	artifacts->found[i].name.len = strlen(path);
	artifacts->found[i].bytes = bytes;
	artifacts->found[i].fd = TAKE_FD(fd);
	artifacts->found_bytes += bytes;
	artifacts->found_count++;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The entries of a folder in the order of their names, so that answers do not depend on chance. */
static size_t read_names(int dir_fd, char **names)
{
	size_t count = 0;
	DIR *dir = fdopendir(dup(dir_fd));
	if (!dir)
		return 0;
	for (struct dirent *entry; count < DIRECTORY_MAX && (entry = readdir(dir));) {
		/* Hidden files and Python's caches are nobody's result. */
		if (entry->d_name[0] == '.' || strcmp(entry->d_name, "__pycache__") == 0)
			continue;
		names[count] = strdup(entry->d_name);
		if (!names[count])
			break;
		count++;
	}
	(void)closedir(dir);
	qsort(names, count, sizeof(names[0]), by_name);
	return count;
}

static bool is_input(const struct job_spec *spec, const char *name)
{
	for (uint32_t i = 0; i < spec->input_count; i++)
		if (strcmp(spec->inputs[i].name, name) == 0)
			return true;
	return false;
}

static void walk(struct artifacts *artifacts, int dir_fd, const char *prefix, unsigned depth,
	const struct job_spec *spec);

static void take_entry(
	struct artifacts *artifacts, int dir_fd, const char *name, const char *path, unsigned depth)
{
	struct stat status;
	if (fstatat(dir_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (S_ISREG(status.st_mode)) {
		take_file(artifacts, dir_fd, name, path);
	} else if (S_ISLNK(status.st_mode)) {
		skip(artifacts, path, "a symbolic link");
	} else if (!S_ISDIR(status.st_mode)) {
		skip(artifacts, path, "not a regular file");
	} else if (depth == LIMIT_ARTIFACT_DEPTH) {
		skip(artifacts, path, "folders nested too deep");
	} else {
		cleanup_fd int sub_fd = open_beneath(dir_fd, name, O_RDONLY | O_DIRECTORY);
		if (sub_fd < 0)
			skip(artifacts, path, "could not be opened");
		else
			walk(artifacts, sub_fd, path, depth + 1, NULL);
	}
}

static void walk(struct artifacts *artifacts, int dir_fd, const char *prefix, unsigned depth,
	const struct job_spec *spec)
{
	char path[RESULT_PATH_BYTES_MAX];
	char **names = calloc(DIRECTORY_MAX, sizeof(*names));
	if (!names)
		return;
	size_t count = read_names(dir_fd, names);
	for (size_t i = 0; i < count; i++) {
		int length = snprintf(
			path, sizeof(path), "%s%s%s", prefix, *prefix ? "/" : "", names[i]);
		bool fits = length > 0 && (size_t)length < sizeof(path);
		if (artifacts->visited++ == VISITED_MAX)
			skip(artifacts, *prefix ? prefix : names[i], "too many files to look at");
		if (fits && artifacts->visited <= VISITED_MAX &&
			!(spec && is_input(spec, names[i])))
			take_entry(artifacts, dir_fd, names[i], path, depth);
		free(names[i]);
	}
	free(names);
}

void artifacts_collect(struct artifacts *artifacts, int work_fd, const struct job_spec *spec)
{
	*artifacts = (struct artifacts){0};
	buf_init(&artifacts->names, 2 * MIB);
	walk(artifacts, work_fd, "", 0, spec);
	/* The buffer does not move any more. */
	for (size_t i = 0; i < artifacts->found_count; i++)
		artifacts->found[i].name.data = artifacts->names.data + artifacts->name_offset[i];
	for (size_t i = 0; i < artifacts->skipped_count; i++)
		artifacts->skipped[i].name.data =
			artifacts->names.data + artifacts->skipped_offset[i];
}

void artifacts_done(struct artifacts *artifacts)
{
	for (size_t i = 0; i < artifacts->found_count; i++)
		fd_close(&artifacts->found[i].fd);
	buf_done(&artifacts->names);
	artifacts->found_count = artifacts->skipped_count = 0;
}

int artifacts_open_spooled(int tmp_fd, const char *name, uint64_t max_bytes, uint64_t *ret_bytes)
{
	char path[64];
	struct stat status;
	(void)snprintf(path, sizeof(path), "%s/%s", CELL_SPOOL_NAME, name);
	cleanup_fd int fd = open_beneath(tmp_fd, path, O_RDONLY);
	if (fd < 0)
		return fd;
	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -EINVAL;
	if ((uint64_t)status.st_size > max_bytes)
		return -EFBIG;
	*ret_bytes = (uint64_t)status.st_size;
	return TAKE_FD(fd);
}

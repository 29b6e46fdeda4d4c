/*
 * artifacts: the walk, in the order of names: a folder's files first, then its folders. With it the
 * choice among too many files depends on nothing else, and what stands at the top comes first.
 */
#include "service/artifacts.h"

#include "base/fd.h"
#include "service/folder.h"
#include "wire/cell.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* All that a work folder can hold. Folders cost more to look at than files. */
#define VISITED_MAX (LIMIT_WORK_INODES_MAX + LIMIT_INPUTS)
#define FOLDERS_MAX 1024u

static int keep_name(struct artifacts *artifacts, const char *path, size_t *ret_offset)
{
	*ret_offset = artifacts->names.len;
	return buf_add(&artifacts->names, path, strlen(path));
}

/* The last place is kept for how many there were besides. */
static void skip(struct artifacts *artifacts, const char *path, const char *why)
{
	size_t i = artifacts->skipped_count;
	artifacts->left_out++;
	if (i == RESULT_SKIPPED_MAX - 1 ||
		keep_name(artifacts, path, &artifacts->skipped_offset[i]) < 0)
		return;
	artifacts->skipped[i].name.len = strlen(path);
	artifacts->skipped[i].why = span_text(why);
	artifacts->skipped_count++;
}

static void tell_count(struct artifacts *artifacts)
{
	size_t i = artifacts->skipped_count;
	char name[48];
	if (artifacts->left_out == i)
		return;
	(void)snprintf(name, sizeof(name), "%zu more", artifacts->left_out - i);
	(void)snprintf(artifacts->total, sizeof(artifacts->total),
		"not listed; %zu left out in all%s, for files are taken by their names, a folder's "
		"own before those in its folders",
		artifacts->left_out, artifacts->folders > FOLDERS_MAX ? " and more unseen" : "");
	if (keep_name(artifacts, name, &artifacts->skipped_offset[i]) < 0)
		return;
	artifacts->skipped[i].name.len = strlen(name);
	artifacts->skipped[i].why = span_text(artifacts->total);
	artifacts->skipped_count++;
}

static struct seen seen_of(const char *path, const struct stat *status)
{
	static unsigned char key[crypto_shorthash_KEYBYTES];
	static bool has_key;
	struct seen seen = {.inode = status->st_ino,
		.bytes = (uint64_t)status->st_size,
		.modified_s = status->st_mtim.tv_sec,
		.modified_ns = status->st_mtim.tv_nsec};
	if (!has_key)
		crypto_shorthash_keygen(key);
	has_key = true;
	(void)crypto_shorthash(
		(unsigned char *)&seen.path, (const unsigned char *)path, strlen(path), key);
	return seen;
}

static int by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct seen));
}

static void remember(struct artifacts *artifacts, const struct seen *seen)
{
	if (artifacts->now.entries && artifacts->now.count < VISITED_MAX)
		artifacts->now.entries[artifacts->now.count++] = *seen;
}

/* Whether an earlier call has told of it; then it stays remembered. */
static bool was_told(struct artifacts *artifacts, const struct seen *seen)
{
	const struct seen_list *before = artifacts->before;
	if (!before || !before->count ||
		!bsearch(seen, before->entries, before->count, sizeof(*seen), by_bytes))
		return false;
	remember(artifacts, seen);
	return true;
}

/* What is no file, and will not become one. */
static void skip_for_good(
	struct artifacts *artifacts, const char *path, const struct stat *status, const char *why)
{
	const struct seen seen = seen_of(path, status);
	if (was_told(artifacts, &seen))
		return;
	remember(artifacts, &seen);
	skip(artifacts, path, why);
}

static void take_file(struct artifacts *artifacts, int dir_fd, const char *name, const char *path)
{
	struct stat status;
	cleanup_fd int fd = folder_open(dir_fd, name, O_RDONLY, 0);
	if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
		skip(artifacts, path, "could not be opened");
		return;
	}
	const struct seen seen = seen_of(path, &status);
	if (was_told(artifacts, &seen))
		return;
	uint64_t bytes = (uint64_t)status.st_size;
	if (bytes > LIMIT_ARTIFACT_BYTES - artifacts->found_bytes) {
		skip(artifacts, path, "more than 64 MiB in all");
		return;
	}
	size_t i = artifacts->found_count;
	if (keep_name(artifacts, path, &artifacts->name_offset[i]) < 0) {
		skip(artifacts, path, "there was no memory for it");
		return;
	}
	artifacts->found[i].name.len = strlen(path);
	artifacts->found[i].bytes = bytes;
	artifacts->found[i].fd = TAKE_FD(fd);
	artifacts->found_bytes += bytes;
	remember(artifacts, &seen);
	artifacts->found_count++;
}

/* What comes behind the last is only counted: it is not opened. */
static void pass_file(struct artifacts *artifacts, const char *path, const struct stat *status)
{
	const struct seen seen = seen_of(path, status);
	if (!was_told(artifacts, &seen))
		skip(artifacts, path, "more than 32 files");
}

/* A session may have been given a thousand, and its folder may hold sixteen times as many. */
struct input_list {
	const char **names; /* sorted */
	size_t count;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int list_inputs(const struct job_input *inputs, uint32_t count, struct input_list *list)
{
	*list = (struct input_list){
		.names = calloc(count + 1u, sizeof(*list->names)), .count = count};
	if (!list->names)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		list->names[i] = inputs[i].name;
	qsort(list->names, count, sizeof(list->names[0]), by_name);
	return 0;
}

static bool is_input(const struct input_list *list, const char *name)
{
	return bsearch(&name, list->names, list->count, sizeof(list->names[0]), by_name) != NULL;
}

/* Told of once, a folder whatever becomes of what is in it. */
static void skip_hidden(struct artifacts *artifacts, const char *path, const struct stat *status)
{
	char shown[RESULT_PATH_BYTES_MAX];
	struct stat told = *status;
	bool folder = S_ISDIR(status->st_mode);
	if (folder) {
		told.st_size = 0;
		told.st_mtim = (struct timespec){0};
	}
	int length = snprintf(shown, sizeof(shown), "%s%s", path, folder ? "/" : "");
	skip_for_good(artifacts, length < (int)sizeof(shown) ? shown : path, &told,
		"its name begins with a dot; rename it to have it returned");
}

static bool take_entry(struct artifacts *artifacts, int dir_fd, const char *name, const char *path)
{
	struct stat status;
	if (fstatat(dir_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	if (*name == '.') {
		skip_hidden(artifacts, path, &status);
		return false;
	}
	if (S_ISDIR(status.st_mode))
		return true;
	if (S_ISLNK(status.st_mode))
		skip_for_good(artifacts, path, &status, "a symbolic link");
	else if (!S_ISREG(status.st_mode))
		skip_for_good(artifacts, path, &status, "not a regular file");
	else if (artifacts->found_count == LIMIT_ARTIFACTS)
		pass_file(artifacts, path, &status);
	else
		take_file(artifacts, dir_fd, name, path);
	return false;
}

static bool path_of(char *path, const char *prefix, const char *name)
{
	int length =
		snprintf(path, RESULT_PATH_BYTES_MAX, "%s%s%s", prefix, *prefix ? "/" : "", name);
	return length > 0 && (size_t)length < RESULT_PATH_BYTES_MAX;
}

static void walk(struct artifacts *artifacts, int dir_fd, const char *prefix, unsigned depth,
	const struct input_list *inputs);

static void take_folder(
	struct artifacts *artifacts, int dir_fd, const char *name, const char *path, unsigned depth)
{
	if (depth == LIMIT_ARTIFACT_DEPTH) {
		skip(artifacts, path, "folders nested too deep");
		return;
	}
	if (artifacts->folders++ >= FOLDERS_MAX) {
		skip(artifacts, path, "not looked into: more than 1,024 folders");
		return;
	}
	cleanup_fd int sub_fd = folder_open(dir_fd, name, O_RDONLY | O_DIRECTORY, 0);
	if (sub_fd < 0)
		skip(artifacts, path, "could not be opened");
	else
		walk(artifacts, sub_fd, path, depth + 1, NULL);
}

static void walk(struct artifacts *artifacts, int dir_fd, const char *prefix, unsigned depth,
	const struct input_list *inputs)
{
	char path[RESULT_PATH_BYTES_MAX];
	char **names = malloc(VISITED_MAX * sizeof(*names));
	int count = names ? folder_names(dir_fd, names, VISITED_MAX, NULL) : -ENOMEM;
	size_t folders = 0;
	if (count < 0)
		skip(artifacts, *prefix ? prefix : ".", "could not be read");
	for (int i = 0; i < count; i++) {
		char *name = names[i];
		bool wanted =
			strcmp(name, "__pycache__") != 0 && !(inputs && is_input(inputs, name));
		if (wanted && path_of(path, prefix, name) &&
			take_entry(artifacts, dir_fd, name, path))
			names[folders++] = name;
		else
			free(name);
	}
	for (size_t i = 0; i < folders; i++) {
		if (path_of(path, prefix, names[i]))
			take_folder(artifacts, dir_fd, names[i], path, depth);
		free(names[i]);
	}
	free(names);
}

/* Sorted, so that the next walk finds its way in it. */
static void hand_over(struct seen_list *now, struct seen_list *seen)
{
	qsort(now->entries, now->count, sizeof(now->entries[0]), by_bytes);
	free(seen->entries);
	struct seen *fitted = reallocarray(now->entries, now->count + 1, sizeof(*fitted));
	*seen = (struct seen_list){.entries = fitted ? fitted : now->entries, .count = now->count};
}

void artifacts_saw(struct seen_list *seen, const char *path, int fd)
{
	struct stat status;
	struct seen *grown = NULL;
	if (seen->count < VISITED_MAX && fstat(fd, &status) == 0)
		grown = reallocarray(seen->entries, seen->count + 1, sizeof(*grown));
	if (!grown)
		return;
	grown[seen->count++] = seen_of(path, &status);
	seen->entries = grown;
	qsort(grown, seen->count, sizeof(grown[0]), by_bytes);
}

void artifacts_collect(struct artifacts *artifacts, int work_fd, const struct job_input *inputs,
	uint32_t input_count, struct seen_list *seen)
{
	struct input_list list;
	*artifacts = (struct artifacts){0};
	buf_init(&artifacts->names, 2 * MIB);
	if (seen)
		artifacts->now.entries = calloc(VISITED_MAX, sizeof(struct seen));
	/* Without memory for it everything is told of once more. */
	if (artifacts->now.entries)
		artifacts->before = seen;
	if (list_inputs(inputs, input_count, &list) == 0)
		walk(artifacts, work_fd, "", 0, &list);
	else
		skip(artifacts, ".", "could not be read");
	free(list.names);
	tell_count(artifacts);
	if (seen && artifacts->now.entries)
		hand_over(&artifacts->now, seen);
	artifacts->before = NULL;
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
	cleanup_fd int fd = folder_open(tmp_fd, path, O_RDONLY, 0);
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

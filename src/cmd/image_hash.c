/* image_hash: one walk, one SHA-256. A concurrent change of the tree can only spoil the hash. */
#include "cmd/image_hash.h"

#include "base/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 64
#define ENTRIES_MAX 1000000u
#define CHUNK_BYTES (256 * 1024)

struct walk {
	crypto_hash_sha256_state sum;
	uint64_t bytes;
	uint32_t entries;
	int depth;
	size_t path_len;
	char path[PATH_MAX];
	unsigned char chunk[CHUNK_BYTES];
};

static void to_hex(crypto_hash_sha256_state *sum, char hex[IMAGE_HASH_HEX])
{
	unsigned char digest[crypto_hash_sha256_BYTES];
	crypto_hash_sha256_final(sum, digest);
	(void)sodium_bin2hex(hex, IMAGE_HASH_HEX, digest, sizeof(digest));
}

static void field(struct walk *w, const char *text)
{
	crypto_hash_sha256_update(&w->sum, (const unsigned char *)text, strlen(text) + 1);
}

static int hash_file(struct walk *w, int fd, char hex[IMAGE_HASH_HEX], uint64_t *ret_size)
{
	crypto_hash_sha256_state sum;
	crypto_hash_sha256_init(&sum);
	uint64_t size = 0;
	for (;;) {
		ssize_t n = read(fd, w->chunk, sizeof(w->chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		crypto_hash_sha256_update(&sum, w->chunk, (size_t)n);
		size += (uint64_t)n;
	}
	to_hex(&sum, hex);
	*ret_size = size;
	w->bytes += size;
	return 0;
}

static int record_file(struct walk *w, int dir_fd, const char *name, const char *mode)
{
	cleanup_fd int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	char hex[IMAGE_HASH_HEX];
	char size_text[24];
	uint64_t size = 0;
	int rc = hash_file(w, fd, hex, &size);
	if (rc < 0)
		return rc;
	(void)snprintf(size_text, sizeof(size_text), "%llu", (unsigned long long)size);
	field(w, "f");
	field(w, mode);
	field(w, size_text);
	field(w, hex);
	field(w, w->path);
	return 0;
}

static int record_link(struct walk *w, int dir_fd, const char *name)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(dir_fd, name, target, sizeof(target));
	if (n < 0)
		return -errno;
	if ((size_t)n == sizeof(target))
		return -ENAMETOOLONG;
	target[n] = '\0';
	field(w, "l");
	field(w, target);
	field(w, w->path);
	return 0;
}

static int walk_folder(struct walk *w, int fd);

static int record_folder(struct walk *w, int dir_fd, const char *name, const char *mode)
{
	field(w, "d");
	field(w, mode);
	field(w, w->path);
	int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : walk_folder(w, fd);
}

static int record(struct walk *w, int dir_fd, const char *name)
{
	struct stat st;
	char mode[8];
	size_t old_len = w->path_len;
	if (++w->entries > ENTRIES_MAX)
		return -E2BIG;
	int n = snprintf(
		w->path + old_len, sizeof(w->path) - old_len, "%s%s", old_len ? "/" : "", name);
	if (n < 0 || (size_t)n >= sizeof(w->path) - old_len)
		return -ENAMETOOLONG;
	w->path_len += (size_t)n;
	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	(void)snprintf(mode, sizeof(mode), "%o", st.st_mode & 07777u);
	int rc = -EBADMSG;
	if (S_ISREG(st.st_mode))
		rc = record_file(w, dir_fd, name, mode);
	else if (S_ISLNK(st.st_mode))
		rc = record_link(w, dir_fd, name);
	else if (S_ISDIR(st.st_mode))
		rc = record_folder(w, dir_fd, name, mode);
	w->path_len = old_len;
	w->path[old_len] = '\0';
	return rc;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int no_dots(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* Takes `fd`. */
static int walk_folder(struct walk *w, int fd)
{
	cleanup_fd int dir_fd = fd;
	if (w->depth == DEPTH_MAX)
		return -ELOOP;
	struct dirent **names = NULL;
	int count = scandirat(dir_fd, ".", &names, no_dots, by_name);
	if (count < 0)
		return -errno;
	w->depth++;
	int rc = 0;
	for (int i = 0; i < count; i++) {
		if (rc == 0)
			rc = record(w, dir_fd, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	w->depth--;
	return rc;
}

int image_hash(int root_fd, char ret_hex[IMAGE_HASH_HEX], uint64_t *ret_bytes)
{
	struct stat st;
	if (fstat(root_fd, &st) < 0)
		return -errno;
	struct walk *w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	int rc = 0;
	char hex[IMAGE_HASH_HEX];
	if (S_ISDIR(st.st_mode)) {
		crypto_hash_sha256_init(&w->sum);
		int fd = fcntl(root_fd, F_DUPFD_CLOEXEC, 3);
		rc = fd < 0 ? -errno : walk_folder(w, fd);
		to_hex(&w->sum, hex);
	} else {
		uint64_t size = 0;
		rc = hash_file(w, root_fd, hex, &size);
	}
	if (rc == 0) {
		memcpy(ret_hex, hex, IMAGE_HASH_HEX);
		*ret_bytes = w->bytes;
	}
	free(w);
	return rc;
}

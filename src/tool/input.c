/* input: what can be read twice, and what has to be copied first. */
#include "tool/input.h"

#include "base/fd.h"
#include "tool/text.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE_BYTES (64u * 1024u)
#define SEALS (F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL)

static int too_large(uint64_t max_bytes, struct err *err)
{
	char limit[TEXT_FIGURE_BYTES];
	return err_set(err, -E2BIG, "input", "larger than %s; give a smaller one",
		text_bytes(max_bytes, limit));
}

static int new_memfd(int *ret_fd, struct err *err)
{
	int fd = memfd_create("brig-input", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return err_sys(err, -errno, "input", "cannot make room for a copy");
	*ret_fd = fd;
	return 0;
}

static int seal(int fd, struct err *err)
{
	return fcntl(fd, F_ADD_SEALS, SEALS) < 0
		       ? err_sys(err, -errno, "input", "cannot seal the copy")
		       : 0;
}

int input_copy(int fd, uint64_t max_bytes, int *ret_fd, uint64_t *ret_bytes, struct err *err)
{
	cleanup_fd int copy_fd = -1;
	unsigned char piece[PIECE_BYTES];
	uint64_t bytes = 0;
	int rc = new_memfd(&copy_fd, err);

	while (!rc) {
		ssize_t got = read(fd, piece, sizeof(piece));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_sys(err, -errno, "input", "cannot be read");
		if (got == 0)
			break;
		if ((uint64_t)got > max_bytes - bytes)
			return too_large(max_bytes, err);
		rc = fd_write_all(copy_fd, piece, (size_t)got);
		if (rc < 0)
			return err_sys(err, rc, "input", "cannot be copied");
		bytes += (uint64_t)got;
	}
	if (!rc)
		rc = seal(copy_fd, err);
	if (rc < 0)
		return rc;
	*ret_fd = TAKE_FD(copy_fd);
	*ret_bytes = bytes;
	return 0;
}

int input_open(
	const char *path, uint64_t max_bytes, int *ret_fd, uint64_t *ret_bytes, struct err *err)
{
	struct stat status;
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return err_set(err, -errno, "input", "%s", strerrordesc_np(errno));
	if (fstat(fd, &status) < 0)
		return err_sys(err, -errno, "input", "cannot be read");
	if (S_ISDIR(status.st_mode))
		return err_set(err, -EISDIR, "input", "a folder; name a file in it");
	if (!S_ISREG(status.st_mode) || status.st_size == 0)
		return input_copy(fd, max_bytes, ret_fd, ret_bytes, err);
	if ((uint64_t)status.st_size > max_bytes)
		return too_large(max_bytes, err);
	*ret_fd = TAKE_FD(fd);
	*ret_bytes = (uint64_t)status.st_size;
	return 0;
}

int input_of_bytes(struct span bytes, int *ret_fd, struct err *err)
{
	cleanup_fd int fd = -1;
	int rc = new_memfd(&fd, err);
	if (!rc)
		rc = fd_write_all(fd, bytes.data, bytes.len);
	if (rc < 0)
		return err_sys(err, rc, "input", "cannot be copied");
	rc = seal(fd, err);
	if (!rc)
		*ret_fd = TAKE_FD(fd);
	return rc;
}

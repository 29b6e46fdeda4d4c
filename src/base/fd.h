/*
 * fd: descriptors with an owner.
 *
 * `cleanup_fd int x_fd = -1;` closes at the end of the scope; TAKE_FD(x_fd) hands it on. Every
 * descriptor brig makes is O_CLOEXEC at birth.
 *
 * Source: unix(7) for SCM_RIGHTS, close(2) (EINTR leaves the descriptor closed on Linux).
 */
#ifndef BRIG_BASE_FD_H
#define BRIG_BASE_FD_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The most descriptors one message carries (the kernel's own SCM_MAX_FD is 253). */
#define FD_MESSAGE_MAX 128

void fd_close(int *fd);
#define cleanup_fd __attribute__((cleanup(fd_close)))

static inline int fd_take(int *fd)
{
	int taken = *fd;
	*fd = -1;
	return taken;
}
#define TAKE_FD(fd) fd_take(&(fd))

/* Writes all of `data`, across short writes and EINTR. 0 or -errno. Blocking descriptors only. */
int fd_write_all(int fd, const void *data, size_t bytes) MUST_CHECK;

/* Reads exactly `bytes`. 0, -errno, or -ENODATA where the other end closed before that. */
int fd_read_all(int fd, void *data, size_t bytes) MUST_CHECK;

/*
 * Reads exactly `bytes` of a file from offset `at` on, without moving its own offset. 0, -errno, or
 * -ENODATA where the file is shorter than that.
 */
int fd_pread_all(int fd, void *data, size_t bytes, uint64_t at) MUST_CHECK;

/* Opens the file at `path` below `dir_fd` and writes `text` by one call, as those of /proc and of
 * cgroups want it. 0 or -errno. */
int fd_write_file(int dir_fd, const char *path, const char *text) MUST_CHECK;

/* Sets or clears O_NONBLOCK. */
int fd_set_nonblock(int fd, bool on) MUST_CHECK;

/*
 * Sends one message with up to FD_MESSAGE_MAX descriptors (borrowed). Returns the bytes sent or
 * -errno; on a stream socket that may be fewer than asked, the descriptors have then gone along.
 */
ssize_t fd_send(
	int socket_fd, const void *data, size_t bytes, const int *fds, size_t fd_count) MUST_CHECK;

/*
 * Receives one message. Up to `*fd_count` descriptors land in `fds` (the caller then owns them,
 * all O_CLOEXEC); what came beyond that is closed. `*fd_count` becomes the number received.
 * Returns the bytes read, 0 at the end, or -errno.
 */
ssize_t fd_receive(int socket_fd, void *data, size_t bytes, int *fds, size_t *fd_count) MUST_CHECK;

#endif

/* fd: owned descriptors, whole reads and writes, descriptors in messages. */
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void fd_close(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

int fd_write_all(int fd, const void *data, size_t bytes)
{
	const char *at = data;
	while (bytes) {
		ssize_t wrote = write(fd, at, bytes);
		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			return -errno;
		at += wrote;
		bytes -= (size_t)wrote;
	}
	return 0;
}

int fd_read_all(int fd, void *data, size_t bytes)
{
	char *at = data;
	while (bytes) {
		ssize_t got = read(fd, at, bytes);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return -ENODATA;
		at += got;
		bytes -= (size_t)got;
	}
	return 0;
}

int fd_pread_all(int fd, void *data, size_t bytes, uint64_t at)
{
	char *to = data;
	for (size_t done = 0; done < bytes;) {
		ssize_t got = pread(fd, to + done, bytes - done, (off_t)(at + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return -ENODATA;
		done += (size_t)got;
	}
	return 0;
}

int fd_write_file(int dir_fd, const char *path, const char *text)
{
	cleanup_fd int fd = openat(dir_fd, path, O_WRONLY | O_CLOEXEC);
	return fd < 0 || write(fd, text, strlen(text)) < 0 ? -errno : 0;
}

int fd_set_nonblock(int fd, bool on)
{
	int flags = fcntl(fd, F_GETFL);
	if (flags < 0)
		return -errno;
	flags = on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
	return fcntl(fd, F_SETFL, flags) < 0 ? -errno : 0;
}

union control {
	char bytes[CMSG_SPACE(sizeof(int) * FD_MESSAGE_MAX)];
	struct cmsghdr align;
};

ssize_t fd_send(int socket_fd, const void *data, size_t bytes, const int *fds, size_t fd_count)
{
	union control control;
	/* sendmsg takes a non-const pointer that it does not write through. */
	struct iovec part = {.iov_base = (void *)(uintptr_t)data, .iov_len = bytes};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	if (fd_count > FD_MESSAGE_MAX)
		return -E2BIG;
	if (fd_count) {
		memset(&control, 0, sizeof(control));
		message.msg_control = control.bytes;
		message.msg_controllen = CMSG_SPACE(sizeof(int) * fd_count);
		struct cmsghdr *header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(int) * fd_count);
		memcpy(CMSG_DATA(header), fds, sizeof(int) * fd_count);
	}
	ssize_t sent;
	do {
		sent = sendmsg(socket_fd, &message, MSG_NOSIGNAL);
	} while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : sent;
}

/* Keeps what fits of one SCM_RIGHTS message and closes the rest. */
static void keep_descriptors(struct cmsghdr *header, int *fds, size_t room, size_t *kept)
{
	size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	for (size_t i = 0; i < count; i++) {
		int fd;
		memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(fd));
		if (*kept < room)
			fds[(*kept)++] = fd;
		else
			(void)close(fd);
	}
}

ssize_t fd_receive(int socket_fd, void *data, size_t bytes, int *fds, size_t *fd_count)
{
	union control control;
	struct iovec part = {.iov_base = data, .iov_len = bytes};
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	size_t room = *fd_count;

	*fd_count = 0;
	ssize_t got;
	do {
		got = recvmsg(socket_fd, &message, MSG_CMSG_CLOEXEC);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header;
		header = CMSG_NXTHDR(&message, header))
		if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
			keep_descriptors(header, fds, room, fd_count);
	return got;
}

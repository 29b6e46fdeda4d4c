/* mcp_relay: two directions, one poll. */
#include "cmd/mcp_relay.h"

#include "api/mcp_stdio.h"
#include "base/fd.h"
#include "cmd/cmd.h"
#include "cmd/serving.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define HEAD_BYTES 8192u
#define PIECE_BYTES (64u * 1024u)

/* The head of the answer, byte by byte: what follows it is the protocol's already. */
static int read_head(int fd, char head[HEAD_BYTES])
{
	size_t have = 0;
	while (have + 1 < HEAD_BYTES) {
		ssize_t got = read(fd, head + have, 1);
		if (got <= 0)
			return got < 0 ? -errno : -ENODATA;
		head[++have] = 0;
		if (have >= 4 && memcmp(head + have - 4, "\r\n\r\n", 4) == 0)
			return 0;
	}
	return -EMSGSIZE;
}

static int upgrade(int fd, const char *path, const char *token, struct err *err)
{
	const struct timeval limit = {.tv_sec = SERVING_SILENCE_SECONDS}, none = {0};
	char request[SERVING_TOKEN_BYTES + 256], head[HEAD_BYTES];
	int length = snprintf(request, sizeof(request),
		"GET /mcp/lines HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
		"Upgrade: " MCP_LINES_PROTOCOL "\r\n%s%s%s\r\n",
		token[0] ? "Authorization: Bearer " : "", token, token[0] ? "\r\n" : "");
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	int rc = fd_write_all(fd, request, (size_t)length);
	if (!rc)
		rc = read_head(fd, head);
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &none, sizeof(none));
	if (rc == -EAGAIN)
		return serving_silent(path, err);
	if (rc < 0)
		return err_sys(err, rc, "mcp", "speaking with the brig that serves");
	if (strncmp(head, "HTTP/1.1 101", 12) == 0)
		return 0;
	if (strncmp(head, "HTTP/1.1 401", 12) == 0)
		return err_set(err, -EACCES, "mcp",
			"the brig that serves wants a token: put one "
			"into a file and name that in BRIG_TOKEN_FILE");
	return err_set(err, -EACCES, "mcp", "the brig that serves refuses: %.20s", head + 9);
}

int mcp_relay_connect(const char *path, struct err *err)
{
	static struct serving serving;
	cleanup_fd int fd = path ? serving_connect(path, err) : serving_find(&serving, err);
	if (fd < 0)
		return fd;
	int rc = path ? serving_token(serving.token, err) : 0;
	if (!rc)
		rc = upgrade(fd, path ? path : serving.path, serving.token, err);
	return rc ? rc : TAKE_FD(fd);
}

/* 1 carried on, 0 at the end, -errno. */
static int carry(int from_fd, int to_fd)
{
	static char piece[PIECE_BYTES];
	ssize_t got = read(from_fd, piece, sizeof(piece));
	if (got < 0)
		return errno == EINTR || errno == EAGAIN ? 1 : -errno;
	if (got == 0)
		return 0;
	int rc = fd_write_all(to_fd, piece, (size_t)got);
	return rc ? rc : 1;
}

int mcp_relay_run(int fd)
{
	struct pollfd watched[2] = {
		{.fd = STDIN_FILENO, .events = POLLIN},
		{.fd = fd, .events = POLLIN},
	};
	int rc = 1;
	while (rc > 0) {
		if (poll(watched, 2, -1) < 0 && errno != EINTR)
			break;
		if (watched[1].revents)
			rc = carry(fd, STDOUT_FILENO);
		if (rc > 0 && watched[0].revents && carry(STDIN_FILENO, fd) <= 0) {
			/* What is under way may still be answered. */
			watched[0].fd = -1;
			(void)shutdown(fd, SHUT_WR);
		}
	}
	fd_close(&fd);
	return rc < 0 ? CMD_INTERNAL : CMD_OK;
}

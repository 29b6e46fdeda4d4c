/* serving: a Unix socket, a token, and small requests. */
#include "cmd/serving.h"

#include "base/fd.h"
#include "http/answer.h"
#include "tool/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define RECEIVE_BYTES (64u * 1024u)
#define PROBLEM_BYTES_MAX (64u * 1024u)
#define HEAD_BYTES (SERVING_TOKEN_BYTES + 16u * 1024u)

int serving_token(char token[SERVING_TOKEN_BYTES], struct err *err)
{
	const char *path = getenv("BRIG_TOKEN_FILE");
	token[0] = 0;
	if (!path || !*path)
		return 0;
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, token, SERVING_TOKEN_BYTES - 1);
	if (got < 0)
		return err_set(err, -EACCES, "token", "BRIG_TOKEN_FILE %.100s: %s", path,
			strerrordesc_np(errno));
	token[got] = 0;
	token[strcspn(token, "\r\n")] = 0;
	return 0;
}

int serving_silent(const char *path, struct err *err)
{
	return err_set(err, -ETIMEDOUT, "socket",
		"the brig that serves at %.100s does not answer: it is overloaded, stuck or "
		"stopped; try again, and look at its log",
		path);
}

int serving_connect(const char *path, struct err *err)
{
	const struct timeval limit = {.tv_sec = SERVING_SILENCE_SECONDS}, none = {0};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof(address.sun_path))
		return err_set(
			err, -ENAMETOOLONG, "socket", "%.100s is too long for a socket", path);
	(void)strcpy(address.sun_path, path);
	cleanup_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	/* Bounds the wait for a place in the listener's queue too. Source: socket(7), unix(7). */
	if (fd >= 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	int rc = fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0
			 ? -errno
			 : 0;
	if (rc == -EAGAIN)
		return serving_silent(path, err);
	if (rc < 0)
		return err_set(err, rc, "socket", "nobody serves at %.100s: %s; start `brig serve`",
			path, strerrordesc_np(-rc));
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &none, sizeof(none));
	return TAKE_FD(fd);
}

int serving_find(struct serving *ret, struct err *err)
{
	int fd = serve_socket_path(ret->path);
	if (!fd)
		fd = serving_connect(ret->path, err);
	if (fd < 0 && fd != -ETIMEDOUT && geteuid() != 0) {
		(void)strcpy(ret->path, SERVE_SYSTEM_SOCKET);
		fd = serving_connect(ret->path, err);
	}
	if (fd == -ETIMEDOUT)
		return fd;
	if (fd < 0)
		return err_set(err, -ENOENT, "socket", "no brig serves here");
	int rc = serving_token(ret->token, err);
	if (rc < 0)
		fd_close(&fd);
	return rc ? rc : fd;
}

bool serving_closed(void)
{
	cleanup_fd int fd = geteuid() == 0 ? -1 : serving_connect(SERVE_SYSTEM_SOCKET, NULL);
	return fd == -EACCES;
}

/* A service takes the first bytes of a request for a frame beyond its cap and hangs up; who says
 * nothing at all may be either. */
static int probe_http(const char *path, struct err *err)
{
	static const char probe[] = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
	const struct timeval limit = {.tv_sec = SERVING_SILENCE_SECONDS};
	char head[8] = "";
	cleanup_fd int fd = serving_connect(path, err);
	if (fd < 0)
		return fd;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) < 0)
		return err_sys(err, -errno, "socket", path);
	if (send(fd, probe, sizeof(probe) - 1, MSG_NOSIGNAL) < 0)
		return -EPROTONOSUPPORT;
	int rc = fd_read_all(fd, head, sizeof(head) - 1);
	if (rc == -EAGAIN)
		return serving_silent(path, err);
	return !rc && strcmp(head, "HTTP/1.") == 0 ? 0 : -EPROTONOSUPPORT;
}

int serving_at(const char *path, struct serving *ret, struct err *err)
{
	if (strlen(path) >= sizeof(ret->path))
		return err_set(err, -ENAMETOOLONG, "socket", "%.100s is too long", path);
	(void)strcpy(ret->path, path);
	int fd = serving_connect(path, err);
	if (fd < 0)
		return fd;
	int rc = probe_http(path, err);
	if (!rc)
		rc = serving_token(ret->token, err);
	if (rc < 0)
		fd_close(&fd);
	return rc ? rc : fd;
}

void serving_refusal(int status, struct span problem, struct err *ret_err)
{
	cleanup_json json_t *object =
		json_loadb((const char *)problem.data, problem.len, JSON_ALLOW_NUL, NULL);
	struct span detail = json_text(json_object_get(object, "detail"));
	if (!detail.len)
		detail = json_text(json_object_get(object, "title"));
	(void)err_set(ret_err, -EPERM, "serve", "%.*s%s", (int)detail.len,
		detail.len ? (const char *)detail.data : "refused without a word",
		status == 401 ? " (brig reads it from the file that BRIG_TOKEN_FILE names)" : "");
}

struct receiver {
	int (*body)(void *user, struct span piece);
	void *user;
	struct buf problem;
};

static int take_piece(struct receiver *receiver, int status, struct span piece)
{
	if (status >= 400)
		return buf_add(&receiver->problem, piece.data, piece.len);
	return receiver->body && status == 200 ? receiver->body(receiver->user, piece) : 0;
}

static int receive_answer(int fd, struct answer *answer, struct receiver *receiver)
{
	unsigned char bytes[RECEIVE_BYTES];
	struct span piece;
	while (!answer_over(answer)) {
		ssize_t got = recv(fd, bytes, sizeof(bytes), 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -ENODATA;
		int rc = answer_feed(answer, span_of(bytes, (size_t)got));
		while (!rc && (rc = answer_next(answer, &piece)) > 0)
			rc = take_piece(receiver, answer->status, piece);
		if (rc < 0)
			return rc;
	}
	return answer->status;
}

int serving_request(const struct serving *serving, const char *method, struct span target,
	int (*body)(void *user, struct span piece), void *user, struct err *err)
{
	const struct timeval limit = {.tv_sec = SERVING_SILENCE_SECONDS};
	cleanup_buf struct buf head = {0};
	struct receiver receiver = {.body = body, .user = user};
	struct answer answer;
	cleanup_fd int fd = serving_connect(serving->path, err);
	if (fd < 0)
		return fd;
	buf_init(&head, HEAD_BYTES);
	int rc = buf_printf(&head, "%s %.*s HTTP/1.1\r\nHost: localhost\r\n%s%s%s\r\n", method,
		(int)target.len, (const char *)target.data,
		serving->token[0] ? "Authorization: Bearer " : "", serving->token,
		serving->token[0] ? "\r\n" : "");
	if (!rc && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) < 0)
		rc = -errno;
	if (!rc && send(fd, head.data, head.len, MSG_NOSIGNAL) != (ssize_t)head.len)
		rc = -EPIPE;
	answer_init(&answer);
	buf_init(&receiver.problem, PROBLEM_BYTES_MAX);
	if (!rc)
		rc = receive_answer(fd, &answer, &receiver);
	answer_done(&answer);
	if (rc >= 400)
		serving_refusal(rc, span_of(receiver.problem.data, receiver.problem.len), err);
	buf_done(&receiver.problem);
	if (rc == -EAGAIN)
		return serving_silent(serving->path, err);
	return rc < 0 ? err_sys(err, rc, "socket", "speaking with the brig that serves") : rc;
}

/* listen: binding without a moment in which others could connect. */
#include "cmd/listen.h"

#include "base/fd.h"
#include "tool/json.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 128

static bool somebody_answers(const struct sockaddr_un *address)
{
	cleanup_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0;
}

static void make_folder(const char *path)
{
	char folder[PATH_MAX];
	(void)snprintf(folder, sizeof(folder), "%s", path);
	char *slash = strrchr(folder, '/');
	if (slash && slash != folder) {
		*slash = 0;
		(void)mkdir(folder, geteuid() == 0 ? 0755 : 0700);
	}
}

int listen_unix(const char *path, mode_t mode, struct err *err)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct stat status;

	if (strlen(path) >= sizeof(address.sun_path))
		return err_set(err, -ENAMETOOLONG, "socket",
			"%s is longer than a socket's name may be", path);
	(void)strcpy(address.sun_path, path);
	make_folder(path);
	if (somebody_answers(&address))
		return err_set(err, -EADDRINUSE, "socket",
			"a service listens at %s already: end it or name another with --socket",
			path);
	if (lstat(path, &status) == 0 && S_ISSOCK(status.st_mode))
		(void)unlink(path);
	cleanup_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* The mode must hold from the first moment: the file is born with it. */
	mode_t before = umask((mode_t)~mode & 0777);
	int rc = fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
				 listen(fd, BACKLOG) < 0
			 ? -errno
			 : 0;
	(void)umask(before);
	if (rc < 0)
		return err_sys(err, rc, "socket", path);
	return TAKE_FD(fd);
}

void listen_describe(const char *path, struct buf *out)
{
	cleanup_json json_t *text = json_from_words(path);
	buf_init(out, 8 * PATH_MAX);
	if (!text || json_write(text, out) < 0)
		(void)!buf_add_text(out, "\"\"");
}

bool listen_peer_is_us(int fd)
{
	struct ucred peer;
	socklen_t bytes = sizeof(peer);
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) < 0)
		return false;
	return peer.uid == 0 || peer.uid == geteuid();
}

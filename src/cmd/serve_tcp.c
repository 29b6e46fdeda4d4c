/* serve_tcp: numbers only; nothing is resolved. */
#include "cmd/serve_tcp.h"

#include "base/fd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define BACKLOG 1024

/* Cuts "[::1]:80" or "127.0.0.1:80" in two. */
static int split(const char *where, char host[64], char port[8])
{
	const char *colon = strrchr(where, ':');
	size_t length = colon ? (size_t)(colon - where) : 0;
	bool bracketed = length > 2 && where[0] == '[' && where[length - 1] == ']';
	if (!length || length >= 64 || !colon[1] || strlen(colon + 1) >= 8)
		return -EINVAL;
	(void)snprintf(
		host, 64, "%.*s", (int)(length - (bracketed ? 2 : 0)), where + (bracketed ? 1 : 0));
	/* The one name that needs no looking up. */
	if (strcmp(host, "localhost") == 0)
		(void)snprintf(host, 64, "127.0.0.1");
	(void)snprintf(port, 8, "%s", colon + 1);
	return 0;
}

static int bind_to(const struct addrinfo *address, struct err *err, const char *where)
{
	const int on = 1;
	cleanup_fd int fd =
		socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return err_sys(err, -errno, "listen", where);
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, address->ai_addr, address->ai_addrlen) < 0)
		return err_set(err, -errno, "listen",
			"cannot listen at %s: %s; name another with "
			"--listen",
			where, strerrordesc_np(errno));
	if (listen(fd, BACKLOG) < 0)
		return err_sys(err, -errno, "listen", where);
	return TAKE_FD(fd);
}

static int describe(int fd, const char *host, char url[SERVE_URL_BYTES])
{
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} bound = {.v6 = {0}};
	socklen_t length = sizeof(bound);
	if (getsockname(fd, &bound.any, &length) < 0)
		return -errno;
	bool v6 = bound.any.sa_family == AF_INET6;
	unsigned port = ntohs(v6 ? bound.v6.sin6_port : bound.v4.sin_port);
	(void)snprintf(url, SERVE_URL_BYTES, v6 ? "http://[%s]:%u" : "http://%s:%u", host, port);
	return 0;
}

int serve_tcp_listen(const char *where, char url[SERVE_URL_BYTES], struct err *err)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE};
	struct addrinfo *address = NULL;
	char host[64], port[8];
	if (split(where, host, port) < 0 || getaddrinfo(host, port, &hints, &address) != 0)
		return err_set(err, -EINVAL, "listen",
			"'%s' is no address and port, such as 127.0.0.1:7777 or [::1]:0", where);
	cleanup_fd int fd = bind_to(address, err, where);
	freeaddrinfo(address);
	if (fd < 0)
		return TAKE_FD(fd);
	int rc = describe(fd, host, url);
	return rc ? err_sys(err, rc, "listen", where) : TAKE_FD(fd);
}

/* server: listening sockets, and the clock that all connections share. */
#include "http/server.h"

#include "base/clock.h"
#include "base/fd.h"
#include "http/conn.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define ACCEPT_BURST 64u
#define PEER_GROUPS_MAX 256u

const char *server_date(struct http_server *server)
{
	struct tm parts;
	time_t now = time(NULL);
	if (now != server->date_s && gmtime_r(&now, &parts)) {
		server->date_s = now;
		(void)strftime(
			server->date, sizeof(server->date), "%a, %d %b %Y %H:%M:%S GMT", &parts);
	}
	return server->date;
}

static void listen_again(struct http_server *server)
{
	server->paused = false;
	for (size_t i = 0; i < server->listener_count; i++)
		(void)event_add(server->listeners[i].event, NULL);
}

void server_place_freed(struct http_server *server)
{
	if (server->paused && !server->draining)
		listen_again(server);
}

static void pause_listener(struct conn_listener *listener)
{
	listener->server->paused = true;
	(void)event_del(listener->event);
}

static bool is_loopback(const struct sockaddr_storage *address)
{
	if (address->ss_family == AF_INET) {
		const struct sockaddr_in *v4 = (const void *)address;
		return ntohl(v4->sin_addr.s_addr) >> 24 == 127;
	}
	if (address->ss_family != AF_INET6)
		return false;
	const struct in6_addr *v6 =
		&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
	return IN6_IS_ADDR_LOOPBACK(v6) || (IN6_IS_ADDR_V4MAPPED(v6) && v6->s6_addr[12] == 127);
}

/* As the kernel had its groups when it connected. Source: socket(7), SO_PEERGROUPS. */
static bool is_in_group(int fd, gid_t first, gid_t wanted)
{
	gid_t groups[PEER_GROUPS_MAX];
	socklen_t bytes = sizeof(groups);
	if (wanted == (gid_t)-1)
		return false;
	if (first == wanted)
		return true;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &bytes) < 0)
		return false;
	for (size_t i = 0; i < bytes / sizeof(groups[0]); i++)
		if (groups[i] == wanted)
			return true;
	return false;
}

static void describe_peer(const struct http_server *server, int fd,
	const struct sockaddr_storage *address, struct http_peer *ret)
{
	const int on = 1;
	*ret = (struct http_peer){.uid = (uid_t)-1};
	if (address->ss_family == AF_UNIX) {
		struct ucred credentials;
		socklen_t length = sizeof(credentials);
		ret->is_unix = true;
		if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0) {
			ret->uid = credentials.uid;
			ret->in_group =
				is_in_group(fd, credentials.gid, server->options.socket_group);
		}
		return;
	}
	ret->is_loopback = is_loopback(address);
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

static void on_accept(evutil_socket_t listen_fd, short what, void *context)
{
	struct conn_listener *listener = context;
	struct http_server *server = listener->server;
	(void)what;
	for (unsigned i = 0; i < ACCEPT_BURST; i++) {
		struct sockaddr_storage address = {0};
		struct http_peer peer;
		socklen_t length = sizeof(address);
		bool is_free = places_free(server, listener->door);
		struct http_conn *victim = is_free ? NULL : places_victim(server, listener->door);
		if (!is_free && !victim) {
			pause_listener(listener);
			return;
		}
		int fd = accept4(listen_fd, (struct sockaddr *)&address, &length,
			SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0) {
			/* No descriptor left: wait until a connection gives one back. */
			if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
				pause_listener(listener);
			return;
		}
		if (victim)
			conn_close(victim);
		describe_peer(server, fd, &address, &peer);
		conn_open(server, fd, &peer);
	}
}

static void check_deadline(struct http_conn *conn, uint64_t now_ms)
{
	if (conn->write_deadline_ms && now_ms > conn->write_deadline_ms) {
		if (!conn_has_taken(conn)) {
			conn_close(conn);
			return;
		}
		conn_expect_taker(conn, now_ms);
	}
	/* What is still being sent has its own limit, above: the time to rest begins behind it. */
	if (conn->resting && !conn_all_sent(conn))
		conn_expect_request(conn, now_ms);
	if (!conn->deadline_ms || now_ms < conn->deadline_ms)
		return;
	bool started = conn->in.len > conn->in_used || conn->state == CONN_BODY;
	if (started && conn->state != CONN_LINGER && (!conn->has_exchange || !conn->exchange.sink))
		conn_refuse(conn, 408, "the request did not arrive in time");
	else
		conn_close(conn);
}

static void on_sweep(evutil_socket_t fd, short what, void *context)
{
	struct http_server *server = context;
	uint64_t now_ms = clock_now_ms();
	(void)fd;
	(void)what;
	for (struct http_conn *conn = TAILQ_FIRST(&server->conns), *next; conn; conn = next) {
		next = TAILQ_NEXT(conn, link);
		check_deadline(conn, now_ms);
	}
	/* An accept that failed for want of a descriptor is tried again. */
	server_place_freed(server);
}

int http_server_new(const struct http_options *options, struct http_server **ret_server)
{
	const struct timeval second = {.tv_sec = 1};
	struct http_server *server = calloc(1, sizeof(*server));
	if (!server)
		return -ENOMEM;
	server->options = *options;
	http_server_set_limits(server, &options->limits);
	TAILQ_INIT(&server->conns);
	places_init(server);
	server->sweep = event_new(options->base, -1, EV_PERSIST, on_sweep, server);
	if (!server->sweep || event_add(server->sweep, &second) < 0) {
		http_server_free(server);
		return -ENOMEM;
	}
	*ret_server = server;
	return 0;
}

void http_server_set_limits(struct http_server *server, const struct http_limits *limits)
{
	struct http_limits *own = &server->options.limits;
	*own = *limits;
	if (own->head_bytes_max > HTTP_HEAD_BYTES_MAX)
		own->head_bytes_max = HTTP_HEAD_BYTES_MAX;
}

static void close_listeners(struct http_server *server)
{
	for (size_t i = 0; i < server->listener_count; i++) {
		event_free(server->listeners[i].event);
		(void)close(server->listeners[i].fd);
	}
	server->listener_count = 0;
}

void http_server_free(struct http_server *server)
{
	if (!server)
		return;
	server->draining = true;
	while (!TAILQ_EMPTY(&server->conns))
		conn_close(TAILQ_FIRST(&server->conns));
	close_listeners(server);
	if (server->sweep)
		event_free(server->sweep);
	free(server);
}

static enum conn_door door_of(int listen_fd)
{
	int domain = 0;
	socklen_t length = sizeof(domain);
	(void)getsockopt(listen_fd, SOL_SOCKET, SO_DOMAIN, &domain, &length);
	return domain == AF_UNIX ? DOOR_UNIX : DOOR_TCP;
}

int http_server_listen(struct http_server *server, int listen_fd)
{
	const size_t slots = sizeof(server->listeners) / sizeof(server->listeners[0]);
	struct conn_listener *listener = &server->listeners[server->listener_count];
	int rc = server->listener_count < slots ? fd_set_nonblock(listen_fd, true) : -ENOSPC;
	struct event *event = rc ? NULL
				 : event_new(server->options.base, listen_fd, EV_READ | EV_PERSIST,
					   on_accept, listener);
	if (!event || event_add(event, NULL) < 0) {
		if (event)
			event_free(event);
		(void)close(listen_fd);
		return rc ? rc : -ENOMEM;
	}
	*listener = (struct conn_listener){server, event, listen_fd, door_of(listen_fd)};
	server->listener_count++;
	return 0;
}

void http_server_drain(struct http_server *server)
{
	server->draining = true;
	close_listeners(server);
	for (struct http_conn *conn = TAILQ_FIRST(&server->conns), *next; conn; conn = next) {
		next = TAILQ_NEXT(conn, link);
		if (!conn->has_exchange)
			conn_go_on(conn);
	}
}

size_t http_server_connections(const struct http_server *server)
{
	return server->conn_count;
}

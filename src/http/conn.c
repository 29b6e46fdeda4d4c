/*
 * conn: from bytes to requests.
 *
 * The danger here is a handler that answers, or whose client goes away, while this code is on the
 * stack: nothing is freed while `processing` is set, only marked dead. The other way round, whoever
 * answers from the loop is never called back: the next request waits for an event of its own.
 */
#include "http/conn.h"

#include "base/clock.h"
#include "base/fd.h"
#include "http/problem.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define FIELDS_BYTES_MAX 4096u

static void on_readable(evutil_socket_t fd, short what, void *context);
static void on_writable(evutil_socket_t fd, short what, void *context);
static void on_closed(evutil_socket_t fd, short what, void *context);

static void conn_free(struct http_conn *conn)
{
	struct http_server *server = conn->server;
	places_rest(conn, false);
	TAILQ_REMOVE(&server->conns, conn, link);
	server->conn_count--;
	server->door_count[conn_door(conn)]--;
	server->bodies_bytes -= conn->budgeted;
	if (conn->read)
		event_free(conn->read);
	if (conn->write)
		event_free(conn->write);
	if (conn->closed)
		event_free(conn->closed);
	fd_close(&conn->file_fd);
	fd_close(&conn->fd);
	buf_done(&conn->in);
	buf_done(&conn->head_text);
	buf_done(&conn->body);
	buf_done(&conn->fields);
	buf_done(&conn->out);
	free(conn);
	server_place_freed(server);
}

void conn_close(struct http_conn *conn)
{
	if (conn->has_exchange) {
		conn->has_exchange = false;
		if (conn->exchange.on_gone)
			conn->exchange.on_gone(&conn->exchange);
	}
	conn->dead = true;
	if (!conn->processing)
		conn_free(conn);
}

static void forget_body(struct http_conn *conn)
{
	conn->server->bodies_bytes -= conn->budgeted;
	conn->budgeted = 0;
	if (conn->body.room > CONN_IN_BYTES_MAX) {
		buf_done(&conn->body);
		buf_init(&conn->body, HTTP_BODY_BYTES_MAX);
	}
	conn->body.len = 0;
}

bool conn_body_is_out(const struct http_conn *conn)
{
	if (conn->state != CONN_BODY)
		return false;
	uint64_t left = conn->head.content_bytes - conn->body_bytes;
	return conn->head.chunked || conn_unread(conn).len < left;
}

void conn_expect_request(struct http_conn *conn, uint64_t now_ms)
{
	conn->deadline_ms = now_ms + (conn->state == CONN_HEAD ? conn_limits(conn)->idle_ms
							       : CONN_LINGER_LIMIT_MS);
}

void conn_finish(struct http_conn *conn)
{
	struct http_exchange *exchange = &conn->exchange;
	bool body_left = conn_body_is_out(conn);
	if (conn->state == CONN_BODY && !body_left)
		conn->in_used += (size_t)(conn->head.content_bytes - conn->body_bytes);
	conn->has_exchange = false;
	if (conn->server->options.on_answered)
		conn->server->options.on_answered(conn->server->options.user, exchange);
	forget_body(conn);
	if (body_left || !conn->keep_alive || conn->server->draining || conn->eof) {
		conn->state = CONN_LINGER;
		conn->keep_alive = false;
	} else {
		conn->state = CONN_HEAD;
	}
	conn->scanned = conn->in_used;
	conn_expect_request(conn, clock_now_ms());
	places_rest(conn, true);
	server_place_freed(conn->server);
	if (!conn->processing) {
		conn_flush(conn);
		event_active(conn->write, EV_WRITE, 0);
	}
}

void conn_refuse(struct http_conn *conn, int status, const char *detail)
{
	if (!conn->has_exchange) {
		const struct http_peer peer = conn->exchange.peer;
		conn->fields.len = 0;
		conn->head.field_count = 0;
		conn->head.minor = 1;
		conn->head.method = HTTP_OTHER;
		conn->head.target = conn->head.path = conn->head.query = span_of("", 0);
		conn->exchange = (struct http_exchange){.conn = conn,
			.head = &conn->head,
			.peer = peer,
			.started_us = clock_now_us()};
		conn->has_exchange = true;
	}
	conn->keep_alive = false;
	conn->exchange.refused = (struct http_fault){.status = status, .detail = detail};
	/* For its handler the request never was. */
	if (conn->exchange.on_gone)
		conn->exchange.on_gone(&conn->exchange);
	conn->exchange.on_gone = NULL;
	http_problem(&conn->exchange, conn->exchange.refused.status, NULL, "%s",
		conn->exchange.refused.detail);
}

/* Copies the head, parses it and asks the handler. */
static void begin_exchange(struct http_conn *conn, size_t head_bytes)
{
	const struct http_peer peer = conn->exchange.peer;
	struct http_fault fault;
	conn->head_text.len = 0;
	int rc = buf_add(&conn->head_text, conn->in.data + conn->in_used, head_bytes);
	if (rc < 0) {
		conn_refuse(conn, 503, "out of memory");
		return;
	}
	conn->in_used += head_bytes;
	rc = http_parse(span_of(conn->head_text.data, conn->head_text.len), &conn->head, &fault);
	if (rc < 0) {
		conn_refuse(conn, fault.status, fault.detail);
		return;
	}
	conn->keep_alive = conn->head.keep_alive;
	conn->chunked = (struct chunked){0};
	conn->fields.len = 0;
	conn->body_bytes = 0;
	conn->exchange = (struct http_exchange){
		.conn = conn,
		.head = &conn->head,
		.peer = peer,
		.body_bytes_max = HTTP_BODY_BYTES_MAX,
		.is_head = conn->head.method == HTTP_HEAD,
		.started_us = clock_now_us(),
	};
	conn->has_exchange = true;
	places_rest(conn, false);
	conn->state = CONN_BODY;
	conn->deadline_ms = conn->exchange.started_us / 1000 + conn_limits(conn)->read_ms;
	conn->server->options.on_head(conn->server->options.user, &conn->exchange);
	if (!conn->has_exchange || conn->state != CONN_BODY)
		return;
	if (conn->exchange.body_bytes_max > conn_limits(conn)->body_bytes_max)
		conn->exchange.body_bytes_max = conn_limits(conn)->body_bytes_max;
	if (conn->head.content_bytes > conn->exchange.body_bytes_max)
		conn_refuse(conn, 413, "the body is larger than this route takes");
	else if (conn->head.expects_continue && conn_unread(conn).len == 0)
		(void)!buf_add_text(&conn->out, "HTTP/1.1 100 Continue\r\n\r\n");
}

static uint32_t head_limit_ms(const struct http_conn *conn)
{
	uint32_t read_ms = conn_limits(conn)->read_ms;
	return read_ms < CONN_HEAD_LIMIT_MS ? read_ms : CONN_HEAD_LIMIT_MS;
}

static uint32_t first_limit_ms(const struct http_conn *conn)
{
	uint32_t idle_ms = conn_limits(conn)->idle_ms;
	return idle_ms < CONN_FIRST_LIMIT_MS ? idle_ms : CONN_FIRST_LIMIT_MS;
}

/* What was answered comes first: all of a file, and most of what is much. */
static bool is_ahead(const struct http_conn *conn)
{
	return conn->file_fd >= 0 || conn->out.len - conn->sent > HTTP_OUT_HIGH_BYTES;
}

/* true where it is worth looking again. */
static bool step_head(struct http_conn *conn)
{
	struct span have;
	if (is_ahead(conn))
		return false;
	/* Blank lines before a request are tolerated (RFC 9112, 2.2). */
	while ((have = conn_unread(conn)).len >= 2 && memcmp(have.data, "\r\n", 2) == 0)
		conn->in_used += 2;
	if (!have.len)
		return false;
	if (conn->scanned < conn->in_used)
		conn->scanned = conn->in_used;
	size_t from = conn->scanned - conn->in_used;
	from = from > 3 ? from - 3 : 0;
	size_t found = http_head_bytes(span_of(have.data + from, have.len - from));
	size_t bytes = found ? from + found : 0;
	uint64_t bytes_max = conn_limits(conn)->head_bytes_max;
	if (bytes > bytes_max || (!bytes && have.len >= bytes_max)) {
		conn_refuse(conn, 431, "the head of the request is too large; 64 KiB is the most");
		return false;
	}
	if (!bytes) {
		/* The clock of a head starts with its first byte and is not wound up again. */
		if (conn->scanned == conn->in_used)
			conn->deadline_ms = clock_now_ms() + head_limit_ms(conn);
		conn->scanned = conn->in.len;
		return false;
	}
	begin_exchange(conn, bytes);
	return true;
}

static void drop_lingering(struct http_conn *conn)
{
	conn->lingered += conn->in.len - conn->in_used;
	conn->in_used = conn->in.len;
	if (conn->lingered > CONN_LINGER_BYTES)
		conn->eof = true;
}

static void watch_input(struct http_conn *conn)
{
	bool full = conn->in.len - conn->in_used >= CONN_IN_BYTES_MAX - CONN_READ_BYTES;
	if (full == conn->was_full)
		return;
	conn->was_full = full;
	/* Nobody reads on while a pipeliner is ahead, so only this tells that it has gone. */
	if (full) {
		(void)event_del(conn->read);
		(void)event_add(conn->closed, NULL);
	} else {
		(void)event_del(conn->closed);
		(void)event_add(conn->read, NULL);
	}
}

static void take_requests(struct http_conn *conn)
{
	bool more = true;
	while (more && !conn->dead) {
		switch (conn->state) {
		case CONN_HEAD:
			more = step_head(conn);
			break;
		case CONN_BODY:
			more = conn->head.chunked ? conn_take_chunked(conn)
						  : conn_take_counted(conn);
			break;
		case CONN_BUSY:
			more = false;
			break;
		case CONN_LINGER:
			drop_lingering(conn);
			more = false;
			break;
		}
	}
}

void conn_go_on(struct http_conn *conn)
{
	conn->processing = true;
	take_requests(conn);
	bool was_ahead = is_ahead(conn);
	if (!conn->dead)
		conn_flush(conn);
	/* The socket took it all at once, so that no event of its own will tell. */
	if (was_ahead && !conn->dead && !is_ahead(conn))
		event_active(conn->write, EV_WRITE, 0);
	bool idle = conn->state == CONN_HEAD || conn->state == CONN_LINGER;
	bool all_sent = conn_all_sent(conn);
	if (!conn->dead && conn->state == CONN_LINGER && all_sent && !conn->eof)
		(void)shutdown(conn->fd, SHUT_WR);
	bool leaving = conn->eof || (conn->server->draining && conn_unread(conn).len == 0);
	conn->processing = false;
	if (conn->dead || (leaving && idle && all_sent))
		conn_close(conn);
	else
		watch_input(conn);
}

static void on_eof(struct http_conn *conn)
{
	conn->eof = true;
	(void)event_del(conn->read);
	(void)event_del(conn->closed);
	/* A request that is not complete never will be. */
	if (conn->state == CONN_BODY || (conn->has_exchange && conn->exchange.on_gone))
		conn_close(conn);
	else if (conn->state != CONN_BUSY && conn_all_sent(conn))
		conn_close(conn);
}

static void on_closed(evutil_socket_t fd, short what, void *context)
{
	(void)fd;
	(void)what;
	on_eof(context);
}

static void on_readable(evutil_socket_t fd, short what, void *context)
{
	struct http_conn *conn = context;
	(void)what;

	if (conn->in_used) {
		buf_drop(&conn->in, conn->in_used);
		conn->scanned -= conn->scanned < conn->in_used ? conn->scanned : conn->in_used;
		conn->in_used = 0;
	}
	unsigned char *room = buf_reserve(&conn->in, CONN_READ_BYTES);
	if (!room) {
		conn_close(conn);
		return;
	}
	ssize_t got = recv(fd, room, CONN_READ_BYTES, 0);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got < 0) {
		conn_close(conn);
	} else if (got == 0) {
		on_eof(conn);
	} else {
		conn->in.len += (size_t)got;
		conn_go_on(conn);
	}
}

static void on_writable(evutil_socket_t fd, short what, void *context)
{
	struct http_conn *conn = context;
	struct http_exchange *exchange = &conn->exchange;
	(void)fd;
	(void)what;

	conn->processing = true;
	conn_flush(conn);
	/* Half empty is the moment to go on: a stream that waits for nothing at all stutters. */
	if (!conn->dead && conn->has_exchange && exchange->streaming && exchange->on_room &&
		conn->out.len - conn->sent <= HTTP_OUT_HIGH_BYTES / 2)
		exchange->on_room(exchange);
	conn_go_on(conn);
}

void conn_open(struct http_server *server, int fd, const struct http_peer *peer)
{
	struct http_conn *conn = calloc(1, sizeof(*conn));
	if (!conn) {
		(void)close(fd);
		return;
	}
	conn->server = server;
	conn->fd = fd;
	conn->file_fd = -1;
	conn->exchange.peer = *peer;
	conn->deadline_ms = clock_now_ms() + first_limit_ms(conn);
	buf_init(&conn->in, CONN_IN_BYTES_MAX + CONN_READ_BYTES);
	buf_init(&conn->head_text, HTTP_HEAD_BYTES_MAX);
	buf_init(&conn->body, HTTP_BODY_BYTES_MAX);
	buf_init(&conn->out, HTTP_OUT_BYTES_MAX);
	buf_init(&conn->fields, FIELDS_BYTES_MAX);
	TAILQ_INSERT_TAIL(&server->conns, conn, link);
	server->conn_count++;
	server->door_count[conn_door(conn)]++;
	places_rest(conn, true);
	conn->read = event_new(server->options.base, fd, EV_READ | EV_PERSIST, on_readable, conn);
	conn->write = event_new(server->options.base, fd, EV_WRITE, on_writable, conn);
	conn->closed = event_new(server->options.base, fd, EV_CLOSED, on_closed, conn);
	if (!conn->read || !conn->write || !conn->closed || event_add(conn->read, NULL) < 0)
		conn_free(conn);
}

/* reply: from answers to bytes. */
#include "base/clock.h"
#include "base/fd.h"
#include "http/conn.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define FILE_PIECE_BYTES (64u * 1024u)

static const struct {
	int status;
	const char *text;
} texts[] = {
	{101, "Switching Protocols"},
	{200, "OK"},
	{201, "Created"},
	{202, "Accepted"},
	{204, "No Content"},
	{304, "Not Modified"},
	{400, "Bad Request"},
	{401, "Unauthorized"},
	{403, "Forbidden"},
	{404, "Not Found"},
	{405, "Method Not Allowed"},
	{406, "Not Acceptable"},
	{408, "Request Timeout"},
	{409, "Conflict"},
	{410, "Gone"},
	{411, "Length Required"},
	{413, "Content Too Large"},
	{415, "Unsupported Media Type"},
	{422, "Unprocessable Content"},
	{429, "Too Many Requests"},
	{431, "Request Header Fields Too Large"},
	{500, "Internal Server Error"},
	{501, "Not Implemented"},
	{502, "Bad Gateway"},
	{503, "Service Unavailable"},
	{505, "HTTP Version Not Supported"},
	{507, "Insufficient Storage"},
};

const char *http_status_text(int status)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].status == status)
			return texts[i].text;
	return "Unknown";
}

/* An answer that cannot be put together ends its connection: half of one must not be sent. */
static void check(struct http_conn *conn, int rc)
{
	if (rc < 0)
		conn->dead = true;
}

void http_add_field(struct http_exchange *exchange, const char *name, const char *value)
{
	struct http_conn *conn = exchange->conn;
	check(conn, buf_printf(&conn->fields, "%s: %s\r\n", name, value));
}

static void put_head(struct http_exchange *exchange, int status, const char *type)
{
	struct http_conn *conn = exchange->conn;
	exchange->status = status;
	if (conn_body_is_out(conn))
		conn->keep_alive = false;
	int rc = buf_printf(&conn->out, "HTTP/1.1 %d %s\r\nDate: %s\r\n", status,
		http_status_text(status), server_date(conn->server));
	if (!rc && conn->fields.len)
		rc = buf_add(&conn->out, conn->fields.data, conn->fields.len);
	if (!rc && type)
		rc = buf_printf(&conn->out, "Content-Type: %s\r\n", type);
	if (!rc)
		rc = buf_printf(&conn->out,
			"Cache-Control: %s\r\nX-Content-Type-Options: nosniff\r\n",
			exchange->revalidate ? "no-cache" : "no-store");
	if (!rc && !conn->keep_alive)
		rc = buf_add_text(&conn->out, "Connection: close\r\n");
	else if (!rc && conn->head.minor == 0)
		rc = buf_add_text(&conn->out, "Connection: keep-alive\r\n");
	check(conn, rc);
}

void http_answer(struct http_exchange *exchange, int status, const char *type, struct span body)
{
	struct http_conn *conn = exchange->conn;
	put_head(exchange, status, body.len ? type : NULL);
	int rc = 0;
	/* RFC 9110, 8.6: none with 204, and with 304 only that of the 200 it stands for. */
	if (status != 204 && status != 304)
		rc = buf_printf(&conn->out, "Content-Length: %zu\r\n", body.len);
	if (!rc)
		rc = buf_add_text(&conn->out, "\r\n");
	if (!rc && !exchange->is_head)
		rc = buf_add(&conn->out, body.data, body.len);
	check(conn, rc);
	conn_finish(conn);
}

void http_answer_file(struct http_exchange *exchange, const char *type, int fd, uint64_t bytes)
{
	struct http_conn *conn = exchange->conn;
	put_head(exchange, 200, type);
	check(conn, buf_printf(&conn->out, "Content-Length: %" PRIu64 "\r\n\r\n", bytes));
	if (exchange->is_head || !bytes) {
		(void)close(fd);
	} else {
		conn->file_fd = fd;
		conn->file_at = 0;
		conn->file_bytes = bytes;
	}
	conn_finish(conn);
}

void http_stream_begin(struct http_exchange *exchange, int status, const char *type)
{
	struct http_conn *conn = exchange->conn;
	if (conn->head.minor == 0)
		conn->keep_alive = false;
	put_head(exchange, status, type);
	int rc = buf_add_text(
		&conn->out, conn->head.minor == 0 ? "\r\n" : "Transfer-Encoding: chunked\r\n\r\n");
	check(conn, rc);
	exchange->streaming = true;
	if (!conn->processing)
		conn_flush(conn);
}

void http_stream_add(struct http_exchange *exchange, struct span piece)
{
	struct http_conn *conn = exchange->conn;
	if (!piece.len)
		return;
	int rc = 0;
	if (conn->head.minor)
		rc = buf_printf(&conn->out, "%zx\r\n", piece.len);
	if (!rc)
		rc = buf_add(&conn->out, piece.data, piece.len);
	if (!rc && conn->head.minor)
		rc = buf_add_text(&conn->out, "\r\n");
	check(conn, rc);
	if (!conn->processing)
		conn_flush(conn);
}

void http_stream_end(struct http_exchange *exchange)
{
	struct http_conn *conn = exchange->conn;
	if (conn->head.minor)
		check(conn, buf_add_text(&conn->out, "0\r\n\r\n"));
	conn_finish(conn);
}

bool http_stream_full(const struct http_exchange *exchange)
{
	return exchange->conn->out.len - exchange->conn->sent > HTTP_OUT_HIGH_BYTES;
}

static void refill_from_file(struct http_conn *conn)
{
	uint64_t left = conn->file_bytes - conn->file_at;
	size_t wanted = left < FILE_PIECE_BYTES ? (size_t)left : FILE_PIECE_BYTES;
	unsigned char *room = buf_reserve(&conn->out, FILE_PIECE_BYTES);
	ssize_t got = room ? pread(conn->file_fd, room, wanted, (off_t)conn->file_at) : -1;
	if (got <= 0) {
		conn->dead = true; /* the length was promised */
		return;
	}
	conn->out.len += (size_t)got;
	conn->file_at += (uint64_t)got;
	if (conn->file_at == conn->file_bytes)
		fd_close(&conn->file_fd);
}

/* What the kernel holds that the other side has not taken: a socket with large buffers takes the
 * next byte only when much of them is free. Source: tcp(7), unix(7), SIOCOUTQ. */
static uint64_t kernel_holds(const struct http_conn *conn)
{
	int bytes = 0;
	return ioctl(conn->fd, SIOCOUTQ, &bytes) == 0 && bytes > 0 ? (uint64_t)bytes : 0;
}

void conn_expect_taker(struct http_conn *conn, uint64_t now_ms)
{
	bool streams = conn->has_exchange && conn->exchange.streaming;
	conn->write_since_ms = now_ms;
	conn->write_deadline_ms = now_ms + (streams ? CONN_STREAM_LIMIT_MS : CONN_WRITE_LIMIT_MS);
	conn->handed_on = 0;
	conn->queued_then = kernel_holds(conn);
}

bool conn_has_taken(struct http_conn *conn)
{
	bool streams = conn->has_exchange && conn->exchange.streaming;
	uint64_t left = kernel_holds(conn), had = conn->queued_then + conn->handed_on;
	return had > left && had - left >= (streams ? CONN_STREAM_BYTES : CONN_WRITE_BYTES);
}

/* 1 the socket takes no more, 0 all is sent, -errno. */
static int send_out(struct http_conn *conn)
{
	while (conn->sent < conn->out.len) {
		ssize_t sent = send(conn->fd, conn->out.data + conn->sent,
			conn->out.len - conn->sent, MSG_NOSIGNAL);
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0)
			return errno == EAGAIN ? 1 : -errno;
		conn->sent += (size_t)sent;
		conn->handed_on += (uint64_t)sent;
	}
	conn->sent = 0;
	conn->out.len = 0;
	if (conn->out.room > 2 * HTTP_OUT_HIGH_BYTES) {
		buf_done(&conn->out);
		buf_init(&conn->out, HTTP_OUT_BYTES_MAX);
	}
	return 0;
}

void conn_flush(struct http_conn *conn)
{
	int rc = conn->dead ? -EPIPE : send_out(conn);
	while (!rc && conn->file_fd >= 0 && !conn->dead) {
		refill_from_file(conn);
		rc = conn->dead ? -EPIPE : send_out(conn);
	}
	if (rc == 1) {
		if (!conn->write_deadline_ms)
			conn_expect_taker(conn, clock_now_ms());
		(void)event_add(conn->write, NULL);
	} else if (!rc) {
		conn->write_deadline_ms = 0;
	}
	if (rc < 0) {
		/* Whoever is on the stack may still hold the exchange: closed from the loop. */
		conn->dead = true;
		event_active(conn->write, EV_WRITE, 0);
	}
}

int http_upgrade(struct http_exchange *exchange, const char *protocol, struct buf *ahead)
{
	struct http_conn *conn = exchange->conn;
	exchange->status = 101;
	int rc = buf_printf(&conn->out,
		"HTTP/1.1 101 Switching Protocols\r\nUpgrade: %s\r\nConnection: Upgrade\r\n\r\n",
		protocol);
	if (!rc)
		rc = buf_add(ahead, conn->in.data + conn->in_used, conn->in.len - conn->in_used);
	if (!rc)
		rc = send_out(conn);
	(void)event_del(conn->read);
	int fd = rc ? -ECONNRESET : TAKE_FD(conn->fd);
	exchange->on_gone = NULL;
	conn_close(conn);
	return fd;
}

/* conn_body: the body of a request, into memory within the server's budget, or to its sink. */
#include "http/conn.h"

static bool budget_body(struct http_conn *conn, uint64_t bytes)
{
	struct http_server *server = conn->server;
	uint64_t wanted = conn->budgeted + bytes;
	if (server->bodies_bytes + bytes > server->options.bodies_bytes_max)
		return false;
	server->bodies_bytes += bytes;
	conn->budgeted = wanted;
	return true;
}

bool http_keep(struct http_exchange *exchange, uint64_t bytes)
{
	return budget_body(exchange->conn, bytes);
}

/*
 * A piece of the body, to its sink or into memory. false where the request was refused. It has been
 * taken off what came before that: an answer from within counts what is left of the body.
 */
static bool take_piece(struct http_conn *conn, struct span piece)
{
	conn->body_bytes += piece.len;
	conn->deadline_ms += piece.len * 1000 / CONN_BODY_RATE;
	if (conn->body_bytes > conn->exchange.body_bytes_max) {
		conn_refuse(conn, 413, "the body is larger than this route takes");
		return false;
	}
	if (conn->exchange.sink) {
		if (conn->exchange.sink(&conn->exchange, piece) < 0)
			return false;
		return conn->has_exchange;
	}
	if (!budget_body(conn, piece.len) || buf_add(&conn->body, piece.data, piece.len) < 0) {
		conn_refuse(conn, 503, "too many large requests at once; try again");
		return false;
	}
	return true;
}

static void complete(struct http_conn *conn, struct span body)
{
	conn->state = CONN_BUSY;
	conn->deadline_ms = 0;
	conn->exchange.body = body;
	conn->server->options.on_request(conn->server->options.user, &conn->exchange);
}

bool conn_take_chunked(struct http_conn *conn)
{
	for (;;) {
		size_t used;
		struct span piece;
		int rc = chunked_next(&conn->chunked, conn_unread(conn), &used, &piece);
		if (rc < 0) {
			conn_refuse(conn, 400, "the chunked body is malformed");
			return false;
		}
		conn->in_used += used;
		if (piece.len && !take_piece(conn, piece))
			return conn->state != CONN_BODY;
		if (conn->chunked.state == CHUNKED_OVER)
			break;
		if (rc == 0)
			return false;
	}
	complete(conn, span_of(conn->body.data, conn->body.len));
	return true;
}

bool conn_take_counted(struct http_conn *conn)
{
	uint64_t left = conn->head.content_bytes - conn->body_bytes;
	struct span have = conn_unread(conn);
	/* The usual case: all of it is there, and is not copied. */
	if (!conn->body_bytes && !conn->exchange.sink && have.len >= left) {
		conn->in_used += (size_t)left;
		complete(conn, span_of(have.data, (size_t)left));
		return true;
	}
	size_t used = have.len < left ? have.len : (size_t)left;
	conn->in_used += used;
	if (used && !take_piece(conn, span_of(have.data, used)))
		return conn->state != CONN_BODY;
	if (conn->body_bytes < conn->head.content_bytes)
		return false;
	complete(conn, span_of(conn->body.data, conn->body.len));
	return true;
}

/*
 * server: HTTP/1.1 over listening sockets, on a libevent loop.
 *
 *	on_head(exchange)	the head is there, nothing of the body was taken yet: route it,
 *refuse it, or say where the body goes on_request(exchange)	the body is there: answer now or
 *later
 *
 * Requests of one connection are handled one after the other, so pipelined ones are answered in
 * order. An exchange ends with its answer, or with `on_gone` when the client went away: a handler
 * that answers later must set `on_gone` and forget the exchange there. `head` and `body` are good
 * until on_request returns; what is needed later is copied.
 *
 * libevent's own evhttp is not used; docs/http.md says why.
 *
 * Answering and streaming never call back: a connection that breaks then is closed from the loop.
 *
 * Threads: everything happens on the loop.
 */
#ifndef BRIG_HTTP_SERVER_H
#define BRIG_HTTP_SERVER_H

#include "base/buf.h"
#include "base/span.h"
#include "http/parse.h"

#include <event2/event.h>
#include <stdbool.h>
#include <sys/types.h>

#define HTTP_BODY_BYTES_MAX (16u * 1024u * 1024u)
/* What one connection may have waiting to be sent; a stream is to pause far below. */
#define HTTP_OUT_BYTES_MAX (48u * 1024u * 1024u)
#define HTTP_OUT_HIGH_BYTES (256u * 1024u)

struct http_server;
struct http_conn;

struct http_peer {
	bool is_unix;
	bool is_loopback; /* a TCP peer on this host */
	bool in_group;	  /* a Unix peer that is in options.socket_group */
	uid_t uid;	  /* of a Unix peer */
};

struct http_exchange {
	struct http_conn *conn;
	const struct http_head *head;
	struct span body;
	struct http_peer peer;

	/* Set in on_head: where the body goes instead of into memory. -errno refuses the rest; the
	 * sink has then answered. */
	int (*sink)(struct http_exchange *exchange, struct span piece);
	uint64_t body_bytes_max; /* HTTP_BODY_BYTES_MAX unless set in on_head */
	bool revalidate;	 /* the answer may be kept, if its ETag is asked for each time */

	void *user; /* the handler's */
	void (*on_gone)(struct http_exchange *exchange);
	/* In on_gone, where the server itself refuses the request: with what, and on_gone may put
	 * another in its place. Else its detail is NULL. */
	struct http_fault refused;
	void (*on_room)(struct http_exchange *exchange); /* a full stream has room again */

	/* The server's own. */
	int status; /* of the answer, 0 before it */
	bool streaming, is_head;
	uint64_t started_us;
};

/* What the operator may set; each within this room's own caps. */
struct http_limits {
	uint32_t read_ms; /* for a head from its first byte (10 s at most); for a body, and more
			   * for a large one */
	uint32_t idle_ms; /* between requests */
	uint64_t head_bytes_max;
	uint64_t body_bytes_max;
};

struct http_options {
	struct event_base *base;
	size_t connections_max;	   /* or a quarter of the descriptors that the process may have */
	uint64_t bodies_bytes_max; /* all bodies in memory together */
	struct http_limits limits;
	gid_t socket_group; /* (gid_t)-1: none */
	void (*on_head)(void *user, struct http_exchange *exchange);
	void (*on_request)(void *user, struct http_exchange *exchange);
	void (*on_answered)(void *user, const struct http_exchange *exchange); /* may be NULL */
	void *user;
};

int http_server_new(const struct http_options *options, struct http_server **ret_server) MUST_CHECK;

/* For requests that begin from now on. */
void http_server_set_limits(struct http_server *server, const struct http_limits *limits);

/* Closes all; handlers get on_gone. NULL-safe. */
void http_server_free(struct http_server *server);

/* Serves a listening socket; takes it, also on failure. */
int http_server_listen(struct http_server *server, int listen_fd) MUST_CHECK;

/* Accepts nothing more and closes each connection once it has answered. */
void http_server_drain(struct http_server *server);

size_t http_server_connections(const struct http_server *server);

/* Counts what a sink keeps in memory among all bodies, until the exchange is over. False where they
 * are too many. */
bool http_keep(struct http_exchange *exchange, uint64_t bytes) MUST_CHECK;

/*
 * One more field of the coming answer; call before the answer itself. Name and value must be free
 * of CR and LF: they are the program's own or have been checked.
 */
void http_add_field(struct http_exchange *exchange, const char *name, const char *value);

/* The whole answer. `type` may be NULL where there is no body. */
void http_answer(struct http_exchange *exchange, int status, const char *type, struct span body);

/* A file, by pread from its start; takes the descriptor. */
void http_answer_file(struct http_exchange *exchange, const char *type, int fd, uint64_t bytes);

/* An answer in pieces (chunked; for HTTP/1.0 until the connection closes). */
void http_stream_begin(struct http_exchange *exchange, int status, const char *type);
void http_stream_add(struct http_exchange *exchange, struct span piece);
void http_stream_end(struct http_exchange *exchange);
bool http_stream_full(const struct http_exchange *exchange);

/*
 * 101 with `protocol`, and the connection's descriptor goes to the caller; bytes that came ahead
 * are appended to `ahead`. The descriptor, or -errno (the exchange is over either way).
 */
int http_upgrade(
	struct http_exchange *exchange, const char *protocol, struct buf *ahead) MUST_CHECK;

const char *http_status_text(int status);

#endif

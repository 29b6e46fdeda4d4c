/* conn: one connection, shared by the files of this room. */
#ifndef BRIG_HTTP_CONN_H
#define BRIG_HTTP_CONN_H

#include "http/chunked.h"
#include "http/server.h"

#include <sys/queue.h>

#define CONN_IN_BYTES_MAX (HTTP_HEAD_BYTES_MAX + 64u * 1024u)
#define CONN_READ_BYTES (32u * 1024u)

#define CONN_FIRST_LIMIT_MS 5000u    /* until the first byte of a new connection */
#define CONN_HEAD_LIMIT_MS 10000u    /* from its first byte to its end, at most */
#define CONN_BODY_RATE (64u * 1024u) /* bytes of a body that buy it another second */
/* How long a client has to take as many bytes of what waits for it; less of a stream, for a job
 * waits behind that. */
#define CONN_WRITE_LIMIT_MS 30000u
#define CONN_STREAM_LIMIT_MS 10000u
#define CONN_WRITE_BYTES (4u * 1024u)
#define CONN_STREAM_BYTES (128u * 1024u)
#define CONN_STUCK_MS 5000u			/* of that, until it may have to make room */
#define CONN_LINGER_LIMIT_MS 2000u		/* for a client to read why it was refused */
#define CONN_LINGER_BYTES (64u * 1024u * 1024u) /* many send all before they read */

enum conn_state {
	CONN_HEAD,
	CONN_BODY,
	CONN_BUSY,   /* the handler has the request */
	CONN_LINGER, /* all is said: what still comes is dropped */
};

struct http_conn {
	TAILQ_ENTRY(http_conn) link;
	TAILQ_ENTRY(http_conn) by_rest; /* where `resting` */
	struct http_server *server;
	int fd;
	enum conn_state state;
	struct event *read, *write, *closed;
	struct buf in;
	size_t in_used, scanned;
	struct buf head_text, body, out;
	struct buf fields; /* of the answer, until its status is known */
	size_t sent;	   /* of out */
	struct http_head head;
	struct chunked chunked;
	uint64_t body_bytes; /* of this request so far */
	uint64_t budgeted;   /* of the server's bodies_bytes */
	struct http_exchange exchange;
	bool has_exchange;
	bool keep_alive, eof, dead, processing, was_full;
	bool resting;	    /* no request is under way */
	uint64_t rested_ms; /* since when */
	int file_fd;
	uint64_t file_at, file_bytes;
	uint64_t deadline_ms;		    /* 0: none */
	uint64_t write_deadline_ms;	    /* 0: nothing waits for the client */
	uint64_t write_since_ms, handed_on; /* since that was set: when, and bytes */
	uint64_t queued_then;		    /* in the kernel */
	uint64_t lingered;
};

/* Each has its own connections, so that one which is flooded leaves the other its places. */
enum conn_door { DOOR_TCP, DOOR_UNIX, DOORS };

struct conn_listener {
	struct http_server *server;
	struct event *event;
	int fd;
	enum conn_door door;
};

struct http_server {
	struct http_options options;
	TAILQ_HEAD(, http_conn) conns;
	TAILQ_HEAD(, http_conn) resting[DOORS]; /* the longest first */
	size_t conn_count, door_count[DOORS];
	uint64_t bodies_bytes;
	struct conn_listener listeners[4];
	size_t listener_count;
	struct event *sweep;
	bool draining, paused;
	char date[64];
	int64_t date_s;
};

void conn_open(struct http_server *server, int fd, const struct http_peer *peer);
void conn_close(struct http_conn *conn);
/* Takes requests out of what has come, and sends what there is to send. */
void conn_go_on(struct http_conn *conn);
/* Sends what the socket takes; refills from a file. */
void conn_flush(struct http_conn *conn);
/* Something waits for the client: its time begins, or begins again. */
void conn_expect_taker(struct http_conn *conn, uint64_t now_ms);
/* Its time is over. Whether it has taken enough, and may go on. */
bool conn_has_taken(struct http_conn *conn);
/* The answer is complete: the next request is taken from the loop, never from within. */
void conn_finish(struct http_conn *conn);
/* Nothing is under way and all is sent, now or as far as is known: how long that may last. */
void conn_expect_request(struct http_conn *conn, uint64_t now_ms);
/* An answer would come before the whole body does: the connection cannot go on after it. */
bool conn_body_is_out(const struct http_conn *conn);
void conn_refuse(struct http_conn *conn, int status, const char *detail);

/* conn_body.c: take what has come of the body. true where it is whole and was handed on, or the
 * request is over. */
bool conn_take_chunked(struct http_conn *conn);
bool conn_take_counted(struct http_conn *conn);

static inline const struct http_limits *conn_limits(const struct http_conn *conn)
{
	return &conn->server->options.limits;
}

/* What has come and has not been taken. */
static inline struct span conn_unread(const struct http_conn *conn)
{
	return span_of(conn->in.data + conn->in_used, conn->in.len - conn->in_used);
}

static inline bool conn_all_sent(const struct http_conn *conn)
{
	return conn->sent == conn->out.len && conn->file_fd < 0;
}

/* conn_places.c: how many connections there may be, and which gives way. */
static inline enum conn_door conn_door(const struct http_conn *conn)
{
	return conn->exchange.peer.is_unix ? DOOR_UNIX : DOOR_TCP;
}

/* Caps what the options say by the descriptors that the process may have. */
void places_init(struct http_server *server);
void places_rest(struct http_conn *conn, bool rests);
bool places_free(const struct http_server *server, enum conn_door door);
/* The connection that one more at `door` may have the place of, or NULL. */
struct http_conn *places_victim(struct http_server *server, enum conn_door door);

const char *server_date(struct http_server *server);
/* A connection is gone, or could give way now. */
void server_place_freed(struct http_server *server);

#endif

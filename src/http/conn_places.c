/*
 * conn_places: who has the table of connections when more come than it holds.
 *
 * Whoever reaches a port can fill the table without saying a word. So a connection on which no
 * request is under way gives its place to the next one, the longest at rest first, and neither door
 * can take the last eighth of the places from the other. A request that is being read or answered
 * keeps its place; where all have one, those that come wait in the kernel.
 */
#include "http/conn.h"

#include "base/clock.h"

#include <sys/resource.h>

#define KEPT_SHARE 8u

static size_t kept_places(const struct http_server *server)
{
	size_t kept = server->options.connections_max / KEPT_SHARE;
	return kept ? kept : 1;
}

void places_init(struct http_server *server)
{
	struct rlimit files;
	size_t *most = &server->options.connections_max;
	/* The rest is for what the requests need, and for the files that jobs leave. */
	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && *most > files.rlim_cur / 4)
		*most = (size_t)files.rlim_cur / 4;
	if (*most < 2)
		*most = 2;
	for (int door = 0; door < DOORS; door++)
		TAILQ_INIT(&server->resting[door]);
}

void places_rest(struct http_conn *conn, bool rests)
{
	struct http_server *server = conn->server;
	if (conn->resting == rests)
		return;
	conn->resting = rests;
	if (!rests) {
		TAILQ_REMOVE(&server->resting[conn_door(conn)], conn, by_rest);
		return;
	}
	conn->rested_ms = clock_now_ms();
	TAILQ_INSERT_TAIL(&server->resting[conn_door(conn)], conn, by_rest);
}

static bool door_is_full(const struct http_server *server, enum conn_door door)
{
	return server->door_count[door] + kept_places(server) >= server->options.connections_max;
}

bool places_free(const struct http_server *server, enum conn_door door)
{
	return server->conn_count < server->options.connections_max && !door_is_full(server, door);
}

/* The last answer is on its way, and the client takes it. */
static bool is_sending(const struct http_conn *conn, uint64_t now_ms)
{
	if (conn_all_sent(conn))
		return false;
	return !conn->write_deadline_ms || now_ms - conn->write_since_ms < CONN_STUCK_MS;
}

static struct http_conn *longest_at_rest(const struct http_server *server, enum conn_door door)
{
	uint64_t now_ms = clock_now_ms();
	struct http_conn *conn;
	TAILQ_FOREACH(conn, &server->resting[door], by_rest)
	if (!is_sending(conn, now_ms))
		return conn;
	return NULL;
}

struct http_conn *places_victim(struct http_server *server, enum conn_door door)
{
	struct http_conn *own = longest_at_rest(server, door);
	if (door_is_full(server, door))
		return own;
	struct http_conn *other = longest_at_rest(server, door == DOOR_TCP ? DOOR_UNIX : DOOR_TCP);
	if (!own || !other)
		return own ? own : other;
	return own->rested_ms <= other->rested_ms ? own : other;
}

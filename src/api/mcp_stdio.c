/* mcp_stdio: lines in, lines out. */
#include "api/mcp_stdio.h"

#include "api/log.h"
#include "api/mcp_serve.h"
#include "base/fd.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LINE_BYTES_MAX (24 * MIB)
#define OUT_BYTES_MAX (64 * MIB)
#define OUT_HIGH_BYTES (1 * MIB)
#define READ_BYTES (64u * 1024u)
#define LAST_SECONDS 5
#define STUCK_SECONDS 30 /* for a client at a connection to take anything at all */
#define LINES_SHARE 4u	 /* of the places for connections, which these are no more */

/* One message under way. */
struct pending {
	TAILQ_ENTRY(pending) link;
	struct mcp_stdio *stdio;
	struct mcp_exchange *exchange;
};

struct mcp_stdio {
	TAILQ_ENTRY(mcp_stdio) link;
	struct dispatcher *dispatcher;
	struct who who;
	char scope[MCP_SCOPE_BYTES];
	int in_fd, out_fd; /* the same for a connection */
	bool owns_fd;	   /* a connection's; else this process's own pipes */
	bool ended;	   /* the input has */
	struct event *read, *write, *last, *stuck;
	struct buf in, out;
	size_t scanned, sent;
	TAILQ_HEAD(, pending) pending;
};

static void leave_all(struct mcp_stdio *stdio)
{
	struct pending *pending;
	while ((pending = TAILQ_FIRST(&stdio->pending))) {
		TAILQ_REMOVE(&stdio->pending, pending, link);
		if (pending->exchange)
			mcp_exchange_leave(pending->exchange, true);
		free(pending);
	}
}

static void stdio_free(struct mcp_stdio *stdio)
{
	struct dispatcher *dispatcher = stdio->dispatcher;
	bool own = !stdio->owns_fd;
	leave_all(stdio);
	TAILQ_REMOVE(&dispatcher->stdios, stdio, link);
	if (stdio->read)
		event_free(stdio->read);
	if (stdio->write)
		event_free(stdio->write);
	if (stdio->last)
		event_free(stdio->last);
	if (stdio->stuck)
		event_free(stdio->stuck);
	if (stdio->owns_fd)
		(void)close(stdio->in_fd);
	buf_done(&stdio->in);
	buf_done(&stdio->out);
	who_done(&stdio->who);
	free(stdio);
	if (own)
		dispatcher_drain(dispatcher);
}

/* All is answered and sent, and nothing more will come. */
static bool is_over(const struct mcp_stdio *stdio)
{
	return stdio->ended && TAILQ_EMPTY(&stdio->pending) && stdio->sent == stdio->out.len;
}

/* Freed from the loop: whoever is on the stack may still look at it. */
static void settle(struct mcp_stdio *stdio)
{
	if (stdio->out.len > stdio->sent || is_over(stdio))
		event_active(stdio->write, EV_WRITE, 0);
}

/* What waits for a client begins to wait, or goes on after some of it was taken. */
static void expect_taker(struct mcp_stdio *stdio, bool has_taken)
{
	const struct timeval limit = {.tv_sec = STUCK_SECONDS};
	if (!stdio->out.len)
		(void)event_del(stdio->stuck);
	else if (stdio->owns_fd && (has_taken || !event_pending(stdio->stuck, EV_TIMEOUT, NULL)))
		(void)event_add(stdio->stuck, &limit);
}

static void on_writable(evutil_socket_t fd, short what, void *context)
{
	struct mcp_stdio *stdio = context;
	size_t left = stdio->out.len - stdio->sent;
	(void)what;
	/* A pipe of the client's stays blocking, and takes this much once it is writable. */
	if (!stdio->owns_fd && left > PIPE_BUF)
		left = PIPE_BUF;
	ssize_t wrote = left ? write(fd, stdio->out.data + stdio->sent, left) : 0;
	if (wrote < 0 && errno != EAGAIN && errno != EINTR) {
		stdio_free(stdio);
		return;
	}
	stdio->sent += wrote > 0 ? (size_t)wrote : 0;
	if (stdio->sent == stdio->out.len)
		stdio->sent = stdio->out.len = 0;
	if (is_over(stdio)) {
		stdio_free(stdio);
		return;
	}
	expect_taker(stdio, wrote > 0);
	if (stdio->out.len)
		(void)event_add(stdio->write, NULL);
	if (!stdio->ended && stdio->out.len < OUT_HIGH_BYTES)
		(void)event_add(stdio->read, NULL);
}

static void send_line(struct mcp_stdio *stdio, const json_t *message)
{
	size_t mark = stdio->out.len;
	int rc = json_write(message, &stdio->out);
	if (!rc)
		rc = buf_add_text(&stdio->out, "\n");
	if (rc < 0) {
		log_line("fault", "error", "a client does not read what it asked for", NULL);
		stdio->out.len = mark;
		stdio->ended = true;
	}
	settle(stdio);
}

static void forget(struct pending *pending)
{
	struct mcp_stdio *stdio = pending->stdio;
	TAILQ_REMOVE(&stdio->pending, pending, link);
	free(pending);
	settle(stdio);
}

static void on_reply(void *user, int status, const json_t *reply)
{
	struct pending *pending = user;
	(void)status;
	send_line(pending->stdio, reply);
	forget(pending);
}

static void on_nothing(void *user)
{
	forget(user);
}

static void on_notify(void *user, const json_t *notification)
{
	struct pending *pending = user;
	send_line(pending->stdio, notification);
}

/* What the caller is since the last reload, which may have taken rights, or all of them. */
static bool know_again(struct mcp_stdio *stdio)
{
	const struct who *who = &stdio->who;
	struct config *config = stdio->dispatcher->config;
	struct who now;
	if (who->config == config)
		return true;
	const struct who_made made = {who->role->name, who->token, who->owner};
	bool known = who_again(config, &made, who->secret, who->door, &now);
	if (known) {
		who_done(&stdio->who);
		stdio->who = now;
	}
	return known;
}

static void take_line(struct mcp_stdio *stdio, struct span line)
{
	static const struct mcp_transport transport = {.reply = on_reply,
		.nothing = on_nothing,
		.notify = on_notify,
		.drops_cancelled = true};
	struct pending *pending = line.len ? calloc(1, sizeof(*pending)) : NULL;
	if (!pending)
		return;
	if (!know_again(stdio)) {
		free(pending);
		stdio->ended = true;
		(void)event_del(stdio->read);
		settle(stdio);
		return;
	}
	pending->stdio = stdio;
	TAILQ_INSERT_TAIL(&stdio->pending, pending, link);
	struct mcp_exchange *exchange = mcp_serve(
		stdio->dispatcher, &stdio->who, stdio->scope, line, NULL, "", &transport, pending);
	if (exchange)
		pending->exchange = exchange;
}

static struct span without_return(struct span line)
{
	if (line.len && line.data[line.len - 1] == '\r')
		line.len--;
	return line;
}

static void take_lines(struct mcp_stdio *stdio)
{
	size_t used = 0;
	for (;;) {
		size_t from = stdio->scanned > used ? stdio->scanned : used;
		const unsigned char *end =
			stdio->in.len > from
				? memchr(stdio->in.data + from, '\n', stdio->in.len - from)
				: NULL;
		if (!end)
			break;
		size_t length = (size_t)(end - stdio->in.data) - used;
		take_line(stdio, without_return(span_of(stdio->in.data + used, length)));
		used += length + 1;
	}
	buf_drop(&stdio->in, used);
	stdio->scanned = stdio->in.len;
}

static void on_last(evutil_socket_t fd, short what, void *context)
{
	struct mcp_stdio *stdio = context;
	(void)fd;
	(void)what;
	stdio_free(stdio);
}

static void on_end(struct mcp_stdio *stdio)
{
	const struct timeval last = {.tv_sec = LAST_SECONDS};
	stdio->ended = true;
	(void)event_del(stdio->read);
	/* A last line without its end is a line all the same. */
	struct span rest = without_return(span_of(stdio->in.data, stdio->in.len));
	if (rest.len)
		take_line(stdio, rest);
	stdio->in.len = 0;
	(void)event_add(stdio->last, &last);
	settle(stdio);
}

static void on_readable(evutil_socket_t fd, short what, void *context)
{
	struct mcp_stdio *stdio = context;
	unsigned char *room = buf_reserve(&stdio->in, READ_BYTES);
	(void)what;
	ssize_t got = room ? read(fd, room, READ_BYTES) : -1;
	if (room && got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0) {
		if (!room)
			log_line("fault", "error", "a message is larger than 24 MiB", NULL);
		on_end(stdio);
		return;
	}
	stdio->in.len += (size_t)got;
	take_lines(stdio);
	if (stdio->out.len > OUT_HIGH_BYTES)
		(void)event_del(stdio->read);
}

static struct mcp_stdio *open_stdio(
	struct dispatcher *dispatcher, const struct who *who, int in_fd, int out_fd, bool owns_fd)
{
	static uint64_t count;
	struct mcp_stdio *stdio = calloc(1, sizeof(*stdio));
	if (!stdio) {
		if (owns_fd)
			(void)close(in_fd);
		return NULL;
	}
	stdio->dispatcher = dispatcher;
	stdio->in_fd = in_fd;
	stdio->out_fd = out_fd;
	stdio->owns_fd = owns_fd;
	who_copy(&stdio->who, who);
	(void)snprintf(
		stdio->scope, sizeof(stdio->scope), "lines %llu", (unsigned long long)++count);
	buf_init(&stdio->in, LINE_BYTES_MAX + READ_BYTES);
	buf_init(&stdio->out, OUT_BYTES_MAX);
	TAILQ_INIT(&stdio->pending);
	TAILQ_INSERT_TAIL(&dispatcher->stdios, stdio, link);
	stdio->read = event_new(dispatcher->base, in_fd, EV_READ | EV_PERSIST, on_readable, stdio);
	stdio->write = event_new(dispatcher->base, out_fd, EV_WRITE, on_writable, stdio);
	stdio->last = event_new(dispatcher->base, -1, 0, on_last, stdio);
	stdio->stuck = event_new(dispatcher->base, -1, 0, on_last, stdio);
	if (!stdio->read || !stdio->write || !stdio->last || !stdio->stuck ||
		event_add(stdio->read, NULL) < 0) {
		stdio_free(stdio);
		return NULL;
	}
	return stdio;
}

int mcp_stdio_serve(struct dispatcher *dispatcher, int in_fd, int out_fd, const char *role)
{
	struct who who;
	int rc = who_of_name(dispatcher->config, role, "mcp", &who);
	if (rc < 0)
		return rc;
	struct mcp_stdio *stdio = open_stdio(dispatcher, &who, in_fd, out_fd, false);
	who_done(&who);
	return stdio ? 0 : -ENOMEM;
}

void mcp_stdio_adopt(
	struct dispatcher *dispatcher, const struct who *who, int fd, struct span ahead)
{
	struct mcp_stdio *stdio = open_stdio(dispatcher, who, fd, fd, true);
	if (stdio && buf_add(&stdio->in, ahead.data, ahead.len) == 0)
		take_lines(stdio);
}

bool mcp_stdio_has_place(const struct dispatcher *dispatcher, const struct who *who)
{
	const size_t most = dispatcher->started->server.connections_max / LINES_SHARE + 1;
	const struct mcp_stdio *stdio;
	size_t count = 0, own = 0;
	TAILQ_FOREACH(stdio, &dispatcher->stdios, link)
	{
		const struct who *by = &stdio->who;
		const struct who_made made = {by->role->name, by->token, by->owner};
		count += stdio->owns_fd;
		own += stdio->owns_fd && who_is_maker(who, &made);
	}
	return count < most && own < most / 2 + 1;
}

void mcp_stdio_drain(struct dispatcher *dispatcher)
{
	struct mcp_stdio *stdio;
	TAILQ_FOREACH(stdio, &dispatcher->stdios, link)
	{
		stdio->ended = true;
		(void)event_del(stdio->read);
		settle(stdio);
	}
}

void mcp_stdio_free_all(struct dispatcher *dispatcher)
{
	struct mcp_stdio *next;
	for (struct mcp_stdio *stdio = TAILQ_FIRST(&dispatcher->stdios); stdio; stdio = next) {
		next = TAILQ_NEXT(stdio, link);
		stdio_free(stdio);
	}
}

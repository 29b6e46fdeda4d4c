/* calc_client: frames of a length and that many bytes, both ways. */
#include "api/calc_client.h"

#include "api/log.h"
#include "base/fd.h"
#include "calc/worker.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define HEAD_BYTES 4u
#define READ_BYTES (64u * 1024u)
#define OUT_BYTES_MAX (8u * 1024u * 1024u)
#define RESTART_US 50000

int calc_worker_main(void)
{
	const char *stage;
	int rc = calc_worker_run(STDIN_FILENO, STDIN_FILENO, &stage);
	return rc < 0 ? 125 : 0;
}

static void put_length(unsigned char *at, size_t length)
{
	for (unsigned i = 0; i < HEAD_BYTES; i++)
		at[i] = (unsigned char)(length >> 8 * i);
}

static size_t get_length(const unsigned char *at)
{
	return at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16 | (size_t)at[3] << 24;
}

static int spawn(struct calc_client *client, int worker_fd)
{
	char program[] = "brig", verb[] = CALC_WORKER_VERB, flag[] = CALC_WORKER_FLAG;
	char *arguments[] = {program, verb, flag, NULL};
	char *environment[] = {NULL};
	posix_spawn_file_actions_t actions;
	int rc = posix_spawn_file_actions_init(&actions);
	if (rc)
		return -rc;
	rc = posix_spawn_file_actions_adddup2(&actions, worker_fd, STDIN_FILENO);
	if (!rc)
		rc = posix_spawn(
			&client->pid, "/proc/self/exe", &actions, NULL, arguments, environment);
	(void)posix_spawn_file_actions_destroy(&actions);
	return -rc;
}

static void on_readable(evutil_socket_t fd, short what, void *context);
static void on_writable(evutil_socket_t fd, short what, void *context);

static int start(struct calc_client *client)
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	client->fd = pair[0];
	int rc = spawn(client, pair[1]);
	(void)close(pair[1]);
	if (!rc)
		rc = fd_set_nonblock(client->fd, true);
	client->read =
		event_new(client->base, client->fd, EV_READ | EV_PERSIST, on_readable, client);
	client->write = event_new(client->base, client->fd, EV_WRITE, on_writable, client);
	if (!rc && (!client->read || !client->write || event_add(client->read, NULL) < 0))
		rc = -ENOMEM;
	return rc;
}

static void end_worker(struct calc_client *client)
{
	int status;
	if (client->read)
		event_free(client->read);
	if (client->write)
		event_free(client->write);
	client->read = client->write = NULL;
	fd_close(&client->fd);
	if (client->pid > 0) {
		(void)kill(client->pid, SIGKILL);
		(void)waitpid(client->pid, &status, 0);
	}
	client->pid = 0;
	client->in.len = client->out.len = client->sent = 0;
}

/* The clock of a request begins, or begins again with each answer before it. */
static void expect_answer(struct calc_client *client)
{
	const struct timeval limit = {.tv_sec = CALC_SILENCE_SECONDS};
	(void)event_add(client->silence, &limit);
}

static void answer_first(struct calc_client *client, struct span answer)
{
	struct calc_wait *wait = TAILQ_FIRST(&client->waits);
	TAILQ_REMOVE(&client->waits, wait, link);
	wait->answered(wait, answer);
}

static void on_restart(evutil_socket_t fd, short what, void *context)
{
	struct calc_client *client = context;
	(void)fd;
	(void)what;
	int rc = start(client);
	if (rc < 0) {
		struct err err;
		(void)err_sys(&err, rc, "calc", "starting the worker for arithmetic");
		log_fault("fault", &err);
		end_worker(client);
		const struct timeval later = {.tv_sec = 1};
		(void)event_add(client->restart, &later);
	}
}

/* A worker that dies again and again is started ever less often. */
static unsigned pause_s(unsigned failures)
{
	return failures / 2;
}

static void on_death(struct calc_client *client)
{
	unsigned failures = client->failures < 16 ? client->failures++ : client->failures;
	const struct timeval soon = {.tv_usec = RESTART_US, .tv_sec = pause_s(failures)};
	end_worker(client);
	(void)event_del(client->silence);
	log_line("calc_worker_ended", NULL);
	(void)event_add(client->restart, &soon);
	while (!TAILQ_EMPTY(&client->waits))
		answer_first(client, span_of(NULL, 0));
}

/* Hands out whole answers. false where the worker speaks nonsense. */
static bool take_answers(struct calc_client *client)
{
	size_t used = 0;
	while (client->in.len - used >= HEAD_BYTES) {
		size_t bytes = get_length(client->in.data + used);
		if (bytes > CALC_ANSWER_MAX || TAILQ_EMPTY(&client->waits))
			return false;
		if (client->in.len - used < HEAD_BYTES + bytes)
			break;
		client->failures = 0;
		answer_first(client, span_of(client->in.data + used + HEAD_BYTES, bytes));
		used += HEAD_BYTES + bytes;
	}
	buf_drop(&client->in, used);
	if (TAILQ_EMPTY(&client->waits))
		(void)event_del(client->silence);
	else if (used)
		expect_answer(client);
	return true;
}

static void on_silence(evutil_socket_t fd, short what, void *context)
{
	(void)fd;
	(void)what;
	log_line("calc_worker_silent", NULL);
	on_death(context);
}

static void on_readable(evutil_socket_t fd, short what, void *context)
{
	struct calc_client *client = context;
	(void)what;
	unsigned char *room = buf_reserve(&client->in, READ_BYTES);
	ssize_t got = room ? recv(fd, room, READ_BYTES, 0) : 0;
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got > 0)
		client->in.len += (size_t)got;
	if (got <= 0 || !take_answers(client))
		on_death(client);
}

static void on_writable(evutil_socket_t fd, short what, void *context)
{
	struct calc_client *client = context;
	(void)what;
	ssize_t sent = send(
		fd, client->out.data + client->sent, client->out.len - client->sent, MSG_NOSIGNAL);
	if (sent > 0)
		client->sent += (size_t)sent;
	if (client->sent == client->out.len)
		client->sent = client->out.len = 0;
	else /* an end of the worker shows on the reading side */
		(void)event_add(client->write, NULL);
}

int calc_client_start(struct calc_client *client, struct event_base *base)
{
	*client = (struct calc_client){.base = base, .fd = -1};
	TAILQ_INIT(&client->waits);
	buf_init(&client->in, CALC_ANSWER_MAX + 2 * READ_BYTES);
	buf_init(&client->out, OUT_BYTES_MAX);
	client->restart = event_new(base, -1, 0, on_restart, client);
	client->silence = event_new(base, -1, 0, on_silence, client);
	int rc = client->restart && client->silence ? start(client) : -ENOMEM;
	if (rc < 0)
		end_worker(client);
	return rc;
}

void calc_client_stop(struct calc_client *client)
{
	if (client->base)
		end_worker(client);
	while (client->base && !TAILQ_EMPTY(&client->waits))
		answer_first(client, span_of(NULL, 0));
	if (client->restart)
		event_free(client->restart);
	if (client->silence)
		event_free(client->silence);
	buf_done(&client->in);
	buf_done(&client->out);
	*client = (struct calc_client){.fd = -1};
}

int calc_client_ask(struct calc_client *client, struct calc_wait *wait, struct span expression)
{
	unsigned char head[HEAD_BYTES];
	if (client->fd < 0)
		return -ENOTCONN;
	if (expression.len > CALC_REQUEST_MAX)
		return -EAGAIN;
	size_t mark = client->out.len;
	put_length(head, expression.len);
	int rc = buf_add(&client->out, head, sizeof(head));
	if (!rc)
		rc = buf_add(&client->out, expression.data, expression.len);
	if (rc < 0) {
		client->out.len = mark;
		return rc == -ENOSPC ? -EAGAIN : rc;
	}
	if (TAILQ_EMPTY(&client->waits))
		expect_answer(client);
	TAILQ_INSERT_TAIL(&client->waits, wait, link);
	/* Sent at the end of this turn, with what else it brings. */
	event_active(client->write, EV_WRITE, 0);
	return 0;
}

uint32_t calc_client_retry_s(const struct calc_client *client)
{
	unsigned before = client->failures ? client->failures - 1 : 0;
	return client->fd < 0 ? pause_s(before) + 1 : 1;
}

/* audit_reader: a child, a pipe, a clock. */
#include "api/audit_reader.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define READERS_MAX 4u
#define SAID_BYTES_MAX (16 * MIB) /* one call's code as JSON is 6 MiB at most */
#define READ_BYTES (64u * 1024u)
#define TIME_LIMIT_S 60

struct audit_reader {
	pid_t pid;
	int fd;
	struct event *read;
	struct buf said;
	audit_reader_done *done;
	void *user;
};

static unsigned reader_count;

static int reap(struct audit_reader *reader)
{
	int status = 0;
	while (waitpid(reader->pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void reader_free(struct audit_reader *reader)
{
	if (reader->read)
		event_free(reader->read);
	fd_close(&reader->fd);
	buf_done(&reader->said);
	free(reader);
	reader_count--;
}

static void finish(struct audit_reader *reader, bool whole)
{
	if (!whole)
		(void)kill(reader->pid, SIGKILL);
	int status = reap(reader);
	reader->done(
		reader->user, whole ? status : -1, span_of(reader->said.data, reader->said.len));
	reader_free(reader);
}

static void on_readable(evutil_socket_t fd, short what, void *context)
{
	struct audit_reader *reader = context;
	if (what & EV_TIMEOUT) {
		finish(reader, false);
		return;
	}
	unsigned char *room = buf_reserve(&reader->said, READ_BYTES);
	ssize_t got = room ? read(fd, room, READ_BYTES) : -ENOSPC;
	if (got < 0 && room && (errno == EAGAIN || errno == EINTR))
		return;
	if (got > 0)
		reader->said.len += (size_t)got;
	else
		finish(reader, got == 0);
}

static int spawn(struct audit_reader *reader, const char *const *words, int out_fd)
{
	char *arguments[AUDIT_READER_WORDS_MAX + 3] = {NULL}, *environment[] = {NULL};
	posix_spawn_file_actions_t actions;
	size_t count = 0;
	int rc = 0;
	for (; words[count] && count < AUDIT_READER_WORDS_MAX && !rc; count++) {
		arguments[count + 2] = strdup(words[count]);
		rc = arguments[count + 2] ? 0 : ENOMEM;
	}
	arguments[0] = strdup("brig");
	arguments[1] = strdup("audit");
	if (rc || !arguments[0] || !arguments[1])
		rc = ENOMEM;
	else
		rc = posix_spawn_file_actions_init(&actions);
	if (!rc) {
		rc = posix_spawn_file_actions_addopen(
			&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
		rc = rc ? rc : posix_spawn_file_actions_adddup2(&actions, out_fd, STDOUT_FILENO);
		rc = rc ? rc : posix_spawn_file_actions_adddup2(&actions, out_fd, STDERR_FILENO);
		rc = rc ? rc
			: posix_spawn(&reader->pid, "/proc/self/exe", &actions, NULL, arguments,
				  environment);
		(void)posix_spawn_file_actions_destroy(&actions);
	}
	for (size_t i = 0; i < count + 2; i++)
		free(arguments[i]);
	return -rc;
}

int audit_reader_start(struct dispatcher *dispatcher, const char *const *words,
	audit_reader_done *done, void *user, struct audit_reader **ret_reader)
{
	const struct timeval limit = {.tv_sec = TIME_LIMIT_S};
	int pair[2];
	if (reader_count >= READERS_MAX)
		return -EAGAIN;
	struct audit_reader *reader = calloc(1, sizeof(*reader));
	if (!reader)
		return -ENOMEM;
	reader_count++;
	*reader = (struct audit_reader){.fd = -1, .done = done, .user = user};
	buf_init(&reader->said, SAID_BYTES_MAX + READ_BYTES);
	int rc = pipe2(pair, O_CLOEXEC) < 0 ? -errno : 0;
	if (!rc) {
		reader->fd = pair[0];
		rc = fd_set_nonblock(reader->fd, true);
		if (!rc)
			rc = spawn(reader, words, pair[1]);
		(void)close(pair[1]);
	}
	if (!rc)
		reader->read = event_new(
			dispatcher->base, reader->fd, EV_READ | EV_PERSIST, on_readable, reader);
	if (!rc && (!reader->read || event_add(reader->read, &limit) < 0))
		rc = -ENOMEM;
	if (rc < 0) {
		if (reader->pid > 0) {
			(void)kill(reader->pid, SIGKILL);
			(void)reap(reader);
		}
		reader_free(reader);
		return rc;
	}
	*ret_reader = reader;
	return 0;
}

void audit_reader_leave(struct audit_reader *reader)
{
	(void)kill(reader->pid, SIGKILL);
	(void)reap(reader);
	reader_free(reader);
}

/*
 * session_call: what a call of a session has beyond a job in a cell of its own: it finds the cell
 * frozen and leaves it so, it is interrupted before it is stopped, and its end decides whether the
 * session can go on.
 */
#include "service/session.h"

#include "base/clock.h"
#include "base/fd.h"
#include "jail/fsid.h"
#include "service/folder.h"
#include "wire/cell.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define GRACE_US (1000u * 1000)
#define PIECE_BYTES (1u << 20)
#define SPOOLED_STDIN CELL_SPOOL_NAME "/" CELL_STDIN_NAME

static const char refusal_hint[] =
	"none of the code has run: mend what the message names, then send the same call again";

/* What was added to the items since `offset`. */
static void end_item(struct job *job, enum item_kind kind, size_t offset)
{
	job->item[job->item_count].kind = kind;
	job->item[job->item_count].offset = offset;
	job->item[job->item_count].bytes = job->items.len - offset;
	job->item_count++;
}

/* The caller's fault or the session's own state, told as the code's own error would be. */
static void refuse_call(struct cell *cell, const char *type, const char *text)
{
	struct job *job = cell->job;
	int rc = buf_printf(&job->items,
		"{\"type\":\"%s\",\"message\":\"%s\",\"traceback\":\"%s: %s\"}", type, text, type,
		text);
	if (rc == 0)
		end_item(job, ITEM_ERROR, 0);
	size_t offset = job->items.len;
	if (rc == 0)
		rc = buf_add_text(&job->items, refusal_hint);
	if (rc == 0)
		end_item(job, ITEM_HINT, offset);
	job->facts.error_item = true;
	job->facts.exit_code = 1;
	job->facts.cause = END_DONE;
	job->done = true;
	run_unstarted(cell);
}

void session_input_failed(struct cell *cell, const struct err *err)
{
	if (cell->job->spec.session.use == SESSION_NEW && err->code != -ENOSPC)
		cell_fail(cell, err); /* an empty folder takes every input: brig's own fault */
	else if (err->code == -EISDIR || err->code == -EPERM)
		refuse_call(cell, "IsADirectoryError",
			"a given file has the name of a folder in /mnt/data: give it another name");
	else if (err->code == -EAGAIN)
		refuse_call(cell, "OSError",
			"this machine has no memory left for the given files now: try again later");
	else if (err->code == -ENOSPC)
		refuse_call(
			cell, "OSError", "/mnt/data is full: there is no room for the given files");
	else
		refuse_call(cell, "OSError",
			"a given file could not be placed in /mnt/data: the session's code is in "
			"the way");
}

static struct job_input *find_input(const struct session *session, const char *name)
{
	for (uint32_t i = 0; i < session->input_count; i++)
		if (strcmp(session->inputs[i].name, name) == 0)
			return &session->inputs[i];
	return NULL;
}

/* All that the session was ever given has the bounds of one call's, whatever was replaced. */
static const char *add_inputs(struct session *session, const struct job_spec *spec)
{
	uint64_t bytes = 0;
	struct job_input *grown = reallocarray(
		session->inputs, session->input_count + spec->input_count + 1, sizeof(*grown));
	if (!grown)
		return "there is no memory for the names of the given files";
	session->inputs = grown;
	for (uint32_t i = 0; i < spec->input_count; i++) {
		struct job_input *known = find_input(session, spec->inputs[i].name);
		if (!known && session->input_count == SESSION_INPUTS_MAX)
			return "too many files were given to this session: begin a new one";
		if (!known)
			known = &session->inputs[session->input_count++];
		*known = spec->inputs[i];
		known->fd = -1;
	}
	for (uint32_t i = 0; i < session->input_count; i++)
		bytes += session->inputs[i].bytes;
	return bytes > LIMIT_INPUT_BYTES
		       ? "the files given to this session have more than 256 MiB together: begin a "
			 "new one"
		       : NULL;
}

const struct job_input *session_inputs(const struct session *session, uint32_t *ret_count)
{
	*ret_count = session->input_count;
	return session->inputs;
}

struct seen_list *session_seen(struct session *session)
{
	return &session->seen;
}

#define RAISE(member)                                                                              \
	do {                                                                                       \
		if (limits->member < session->limits.member)                                       \
			limits->member = session->limits.member;                                   \
	} while (0)

/* A folder that is smaller than before could be smaller than what lies in it. Memory is the
 * kernel's to refuse: run_limits.c. */
static void raise_limits(const struct session *session, struct job_limits *limits)
{
	RAISE(work_bytes);
	RAISE(work_inodes);
}

static void go_on(struct cell *cell)
{
	struct err err;
	int rc = cell->frozen ? cgroup_resume(&cell->cgroup) : 0;
	if (rc < 0) {
		(void)err_sys(&err, rc, "session", "thawing the cell");
		cell_fail(cell, &err);
		return;
	}
	cell->frozen = false;
	run_place(cell);
}

/* Into the spool, as the job: a file that its runtime opens, unlinks and reads as descriptor 0. It
 * counts as the session's: session_memory.c. */
static int open_stdin(struct cell *cell)
{
	struct fsid before;
	struct err err;
	int rc = fsid_become(cell_uid(cell), &before, &err);
	if (rc < 0)
		return rc;
	if (mkdirat(cell->tmp_fd, CELL_SPOOL_NAME, 0700) < 0 && errno != EEXIST)
		rc = -errno;
	cleanup_fd int spool_fd =
		rc ? -1 : folder_open(cell->tmp_fd, CELL_SPOOL_NAME, O_RDONLY | O_DIRECTORY, 0);
	if (!rc && spool_fd < 0)
		rc = spool_fd;
	if (!rc && unlinkat(spool_fd, CELL_STDIN_NAME, 0) < 0 && errno != ENOENT)
		rc = -errno;
	if (!rc)
		rc = folder_open(spool_fd, CELL_STDIN_NAME, O_CREAT | O_EXCL | O_WRONLY, 0600);
	fsid_return(&before);
	return rc;
}

static void store_stdin(evutil_socket_t fd, short what, void *context)
{
	static unsigned char piece[PIECE_BYTES];
	struct cell *cell = context;
	struct job *job = cell->job;
	(void)fd;
	(void)what;

	uint64_t left = job->spec.stdin_bytes - job->copied_bytes;
	ssize_t got = pread(job->spec.stdin_fd, piece,
		left < sizeof(piece) ? (size_t)left : sizeof(piece), (off_t)job->copied_bytes);
	int rc = got < 0 ? -errno : 0;
	if (got > 0)
		rc = fd_write_all(cell->input_copy_fd, piece, (size_t)got);
	job->copied_bytes += got > 0 ? (uint64_t)got : 0;
	session_gave(cell->session, got > 0 ? (uint64_t)got : 0);
	bool more = !rc && got > 0 && job->copied_bytes < job->spec.stdin_bytes;
	if (more && job->facts.cause == END_NONE &&
		cell_timer(cell, WATCH_COPY, 0, store_stdin) == 0)
		return;
	cell_unwatch(cell, WATCH_COPY);
	fd_close(&cell->input_copy_fd);
	job->stdin_errno = rc ? -rc : more ? ENOMEM : 0;
	go_on(cell);
}

/* From a cell that stands, parked or frozen, to the placing of inputs. */
void session_prepare(struct cell *cell)
{
	struct session *session = cell->session;
	struct job *job = cell->job;

	/* A role's own zygote may make room for another's while this cell lives. */
	if (cell->zygote && cell->zygote->role[0])
		cell->zygote = NULL;
	cell->collected = false;
	raise_limits(session, &job->spec.limits);
	if (session->memory_bytes < job->spec.limits.memory_bytes)
		session->memory_bytes = job->spec.limits.memory_bytes;
	const char *fault = add_inputs(session, &job->spec);
	if (fault) {
		refuse_call(cell, "ValueError", fault);
		return;
	}
	if (job->spec.stdin_fd < 0) {
		go_on(cell);
		return;
	}
	cell->input_copy_fd = open_stdin(cell);
	if (cell->input_copy_fd >= 0) {
		store_stdin(-1, 0, cell);
		return;
	}
	job->stdin_errno = -cell->input_copy_fd;
	cell->input_copy_fd = -1;
	go_on(cell);
}

void session_call(struct session *session, struct job *job)
{
	struct cell *cell = session->cell;
	job->cell = cell;
	cell->job = job;
	run_begin(cell);
}

/* Whether the call ends here: it was cancelled while it was prepared, has no code, or its session
 * is spoiled. */
bool session_holds_back(struct cell *cell)
{
	struct job *job = cell->job;
	cell->session->limits = job->spec.limits;
	job->wall_asked_ms = job->spec.limits.wall_ms;
	(void)!session_cut_wall(cell->session); /* it has no clock yet */
	if (job->facts.cause == END_NONE && !cell->spoiled && job->spec.code.len)
		return false;
	if (job->facts.cause == END_NONE)
		job->facts.exit_code = cell->spoiled ? 1 : 0;
	job->done = !cell->spoiled;
	run_unstarted(cell);
	return true;
}

/* Its limit of memory is lower than what the session holds: the call ends before it begins. */
void session_refuse_memory(struct cell *cell)
{
	cell->job->facts.cause = END_MEMORY;
	cell->job->done = true;
	run_unstarted(cell);
}

static void interrupt(const struct cell *cell)
{
	if (cell->runner_pidfd >= 0)
		(void)syscall(SYS_pidfd_send_signal, cell->runner_pidfd, SIGINT, NULL, 0);
}

static void on_grace(evutil_socket_t fd, short what, void *context)
{
	(void)fd;
	(void)what;
	end_job(context, END_WALL);
}

/* Instead of stopping a call: KeyboardInterrupt, and a second in which its code may put its affairs
 * in order. A second of wall is at most one of CPU on each CPU it has. */
bool session_interrupts(struct cell *cell, enum end_cause cause)
{
	struct job *job = cell->job;
	bool overrun = cause == END_WALL || cause == END_CPU || cause == END_OUTPUT ||
		       cause == END_CANCELLED;

	/* Without a number nothing of it was sent: it is about to end. */
	if (!cell->session || cell->session->closing || !overrun || !job->call)
		return false;
	if (job->interrupted)
		return cause != END_WALL; /* nothing but the grace's own end is its end */
	if (cell_timer(cell, WATCH_WALL, GRACE_US, on_grace) < 0)
		return false;
	cell_unwatch(cell, WATCH_CPU);
	job->interrupted = true;
	job->facts.cause = cause;
	/* A write that waits for a slow client would wait out the grace. */
	run_pause_output(cell, false);
	/* Before it has begun the signal would be lost: it then comes with the beginning. */
	if (job->begun)
		interrupt(cell);
	return true;
}

void session_on_begun(struct cell *cell)
{
	if (!cell->session || cell->job->begun)
		return;
	cell->job->begun = true;
	if (cell->job->interrupted)
		interrupt(cell);
}

/* Why the session cannot go on after this call, or NULL. */
static const char *lost_why(const struct cell *cell, const struct job *job)
{
	const struct session *session = cell->session;
	if (session->closing)
		return session->why;
	/* Without a number it held more than it may have from now on, and nothing was killed. */
	if (job->facts.oom_kills || (job->facts.cause == END_MEMORY && job->call))
		return "its code used more memory than its limit";
	if (job->facts.cause == END_DENIED)
		return "its code made a forbidden system call";
	if (cell->spoiled)
		return SESSION_WHY_SPOILED;
	if (job->facts.exited && job->facts.signal)
		return "a signal ended its process";
	if (job->facts.exited || cell->runner_pidfd < 0 || cell->init_pidfd < 0)
		return "its code ended the process";
	if (cell->kill_first)
		return "its code could not be stopped";
	if (job->interrupted && !job->done)
		return "its code went on after KeyboardInterrupt";
	if (!job->done)
		return "its call could not be ended in order";
	if (job->control_out.len)
		return "its code said that it was done before it had begun";
	bool over = session_is_over(session) || (job->life_cut && job->interrupted);
	return over ? SESSION_WHY_OVER : NULL;
}

static void fill_lost(struct job *job, const char *why)
{
	job->status = (struct session_status){.state = SESSION_LOST};
	(void)snprintf(job->status.lost_why, sizeof(job->status.lost_why), "%s", why);
}

/* Decides, before the answer, whether the session goes on; the answer says so. */
bool session_stays(struct cell *cell, struct job *job)
{
	struct session *session = cell->session;
	const char *why = lost_why(cell, job);

	if (why) {
		fill_lost(job, why);
		return false;
	}
	session_status(session, &job->status);
	job->status.state = job->interrupted ? SESSION_INTERRUPTED : SESSION_ALIVE;
	cell->frozen = true;
	cell->state = CELL_SESSION_IDLE;
	return true;
}

/* The cell breaks under it, or is taken from it. `job` may be NULL. */
void session_lose(struct cell *cell, struct job *job, char why[96])
{
	const struct session *session = cell->session;
	const char *words = "its cell broke";
	if (session->closing)
		words = session->why;
	else if (job && job->facts.cause == END_CANCELLED)
		words = FIRST_CALL_CANCELLED;
	else if (job && job->facts.exited)
		words = lost_why(cell, job);
	(void)snprintf(why, 96, "%s", words);
	if (job)
		fill_lost(job, why);
}

/* Behind the answer. */
void session_rest(struct cell *cell, const struct session_status *status)
{
	if (status->state == SESSION_LOST)
		session_end(cell->session, status->lost_why);
	else
		session_served(cell->session);
}

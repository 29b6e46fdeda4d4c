/*
 * inputs: files that the job can read and can neither write, remove, rename nor chmod.
 *
 * Small ones are written by the cell's init, which owns them, into the sticky work folder. Large
 * ones, and all where init and job share a uid, are copied into the service's own store, and a
 * detached read-only mount of the copy is placed by init. That store is memory beside the job's own
 * limit, of LIMIT_INPUT_BYTES a job, and stays away from the machine's last. The client's own file
 * is never bound: a lease or a page-cache fault on it would reach the host.
 */
#include "service/service.h"

#include "base/fd.h"
#include "jail/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_BYTES (1u << 20) /* in one turn of the loop */
/* An init that has not answered by then is stopped, or starved of everything. */
#define ANSWER_LIMIT_US (20u * 1000 * 1000)

static void fail(struct cell *cell, int rc, const char *what)
{
	struct err err;
	(void)err_sys(&err, rc, "work", what);
	cell_fail(cell, &err);
}

static void store_name(const struct cell *cell, char *name, size_t room)
{
	(void)snprintf(name, room, "%u-%llu", cell->slot, (unsigned long long)cell->sequence);
}

/* The mount keeps the copy alive; its name goes once it is placed: move_mount refuses a mount whose
 * root has no name any more. */
static void drop_name(struct cell *cell)
{
	char name[48];
	if (!cell->input_named)
		return;
	cell->input_named = false;
	store_name(cell, name, sizeof(name));
	(void)unlinkat(cell->service->inputs_fd, name, 0);
}

void inputs_forget(struct cell *cell)
{
	drop_name(cell);
	fd_close(&cell->input_copy_fd);
	fd_close(&cell->input_mount_fd);
}

static void on_answer_limit(evutil_socket_t fd, short what, void *context)
{
	struct err err;
	(void)fd;
	(void)what;
	(void)err_set(&err, -ETIMEDOUT, "work", "the cell's init does not answer");
	cell_fail(context, &err);
}

int inputs_await_init(struct cell *cell, struct err *err)
{
	int rc = cell_timer(cell, WATCH_WALL, ANSWER_LIMIT_US, on_answer_limit);
	return rc < 0 ? err_sys(err, rc, "work", "waiting for the cell's init") : 0;
}

static void await_init(struct cell *cell)
{
	struct err err;
	if (inputs_await_init(cell, &err) < 0)
		cell_fail(cell, &err);
}

static void place_inline(struct cell *cell, const struct job_input *input)
{
	struct {
		struct init_request request;
		unsigned char file[CELL_INLINE_FILE_BYTES];
	} message;

	memset(&message.request, 0, sizeof(message.request));
	message.request.verb = INIT_FILE;
	message.request.file_bytes = (uint32_t)input->bytes;
	message.request.replace = cell->session != NULL;
	memcpy(message.request.name, input->name, sizeof(message.request.name));
	ssize_t got = pread(input->fd, message.file, (size_t)input->bytes, 0);
	if (got != (ssize_t)input->bytes) {
		fail(cell, got < 0 ? -errno : -ESTALE, "reading an input");
		return;
	}
	ssize_t sent = fd_send(
		cell->init_socket_fd, &message, sizeof(message.request) + (size_t)got, NULL, 0);
	if (sent < 0)
		fail(cell, (int)sent, "sending an input to the cell's init");
	else
		await_init(cell);
}

static void place_mount(struct cell *cell, const struct job_input *input)
{
	struct init_request request = {.verb = INIT_MOUNT, .replace = cell->session != NULL};
	struct err err;
	char name[48];

	store_name(cell, name, sizeof(name));
	int mount_fd = mountfd_clone(cell->service->inputs_fd, name, false,
		MOUNT_LOCKED_DOWN | MOUNT_ATTR_RDONLY, "work", &err);
	if (mount_fd < 0) {
		cell_fail(cell, &err);
		return;
	}
	memcpy(request.name, input->name, sizeof(request.name));
	ssize_t sent = fd_send(cell->init_socket_fd, &request, sizeof(request), &mount_fd, 1);
	(void)close(mount_fd);
	fd_close(&cell->input_copy_fd);
	if (sent < 0)
		fail(cell, (int)sent, "sending an input to the cell's init");
	else
		await_init(cell);
}

static void copy_piece(evutil_socket_t fd, short what, void *context)
{
	struct cell *cell = context;
	struct job *job = cell->job;
	const struct job_input *input = &job->spec.inputs[job->next_input];
	(void)fd;
	(void)what;

	uint64_t left = input->bytes - job->copied_bytes;
	if (left) {
		static unsigned char piece[COPY_BYTES];
		size_t want = left < COPY_BYTES ? (size_t)left : COPY_BYTES;
		ssize_t got = pread(input->fd, piece, want, (off_t)job->copied_bytes);
		if (got <= 0) {
			fail(cell, got < 0 ? -errno : -ESTALE, "reading an input");
			return;
		}
		int rc = fd_write_all(cell->input_copy_fd, piece, (size_t)got);
		if (rc < 0) {
			fail(cell, rc, "storing an input");
			return;
		}
		job->copied_bytes += (uint64_t)got;
	}
	if (job->copied_bytes == input->bytes)
		place_mount(cell, input);
	else if (cell_timer(cell, WATCH_COPY, 0, copy_piece) < 0)
		fail(cell, -ENOMEM, "storing an input");
}

/* A session outlives what its call could not be given. */
static void give_up(struct cell *cell, const struct err *err)
{
	if (cell->session)
		session_input_failed(cell, err);
	else
		cell_fail(cell, err);
}

static void start_copy(struct cell *cell)
{
	const struct job_input *input = &cell->job->spec.inputs[cell->job->next_input];
	struct err err;
	char name[48];
	if (input->bytes > pool_spare_bytes(cell->service)) {
		(void)err_set(&err, -EAGAIN, "memory",
			"this machine has no memory left for the given files now; try again later");
		give_up(cell, &err);
		return;
	}
	cell_unwatch(cell, WATCH_WALL); /* the copy is the service's own work, and init waits */
	store_name(cell, name, sizeof(name));
	cell->job->copied_bytes = 0;
	cell->input_copy_fd =
		openat(cell->service->inputs_fd, name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0444);
	if (cell->input_copy_fd < 0) {
		fail(cell, -errno, "storing an input");
		return;
	}
	cell->input_named = true;
	copy_piece(-1, 0, cell);
}

bool inputs_is_inline(const struct service *service, const struct job_input *input)
{
	return input->bytes <= CELL_INLINE_FILE_BYTES && !service->start.one_uid;
}

void inputs_place(struct cell *cell)
{
	struct job *job = cell->job;

	/* A session's call that is cancelled meanwhile ends here, once init owes nothing. */
	if (job->next_input == job->spec.input_count || job->facts.cause != END_NONE) {
		run_start(cell);
		return;
	}
	const struct job_input *input = &job->spec.inputs[job->next_input];
	if (inputs_is_inline(cell->service, input))
		place_inline(cell, input);
	else
		start_copy(cell);
}

void inputs_on_answer(struct cell *cell, const struct init_answer *answer)
{
	if (answer->verb == INIT_MOUNT)
		drop_name(cell);
	if (answer->err.code) {
		give_up(cell, &answer->err);
		return;
	}
	/* The answer to the resize comes first and stands for no input. */
	if (answer->verb == INIT_FILE || answer->verb == INIT_MOUNT)
		cell->job->next_input++;
	inputs_place(cell);
}

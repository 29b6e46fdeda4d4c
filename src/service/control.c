/*
 * control: frames from the runner. From the moment the job runs they are hostile: lengths, order
 * and number are checked, payloads are kept as bytes, and nothing in them decides a verdict.
 */
#include "service/service.h"

#include "base/fd.h"

#include <errno.h>
#include <unistd.h>

#define CONTROL_BYTES_MAX (LIMIT_FRAME_BYTES + 1 * KIB)
#define READ_BYTES (64u * 1024u)

void control_init(struct cell *cell)
{
	/* Up to the last byte of the largest frame there is room for one read more. */
	buf_init(&cell->control, CONTROL_BYTES_MAX + WIRE_HEADER_BYTES + READ_BYTES);
}

/* From the first code on whoever writes the frames may be that code, also between the calls of its
 * session. */
static bool is_the_jobs(const struct cell *cell)
{
	return cell->calls > 0;
}

/* A frame that makes no sense: before the job it is brig's fault, after it the job's own doing. */
static void on_nonsense(struct cell *cell, const char *what)
{
	struct err err;
	if (is_the_jobs(cell)) {
		/* The job has spoiled its own report: nothing more is read from it. */
		cell_unwatch(cell, WATCH_CONTROL);
		cell->spoiled = true;
		/* A session's process waits for its next call, which could never end. */
		if (cell->session && cell->state == CELL_RUNNING && cell->job) {
			cell->job->facts.exit_code = 1;
			end_job(cell, END_DONE);
		}
		return;
	}
	(void)err_set(&err, -EBADMSG, "cell", "%s", what);
	cell_fail(cell, &err);
}

/* What a call of a session leaves in the pipe, or a thread of it sends late, is not the next one's.
 */
static bool is_of_call(const struct cell *cell, struct span fields)
{
	struct wire_field field;
	uint64_t call = 0;
	while (wire_next(&fields, &field) > 0)
		if (field.tag == CELL_TAG_CALL && wire_u64(&field, UINT32_MAX, &call) < 0)
			return false;
	return call && call == cell->job->call;
}

static void on_item(struct cell *cell, struct span fields)
{
	struct job *job = cell->job;
	struct wire_field field;
	struct span payload = span_of(NULL, 0);
	uint64_t kind = 0;

	while (wire_next(&fields, &field) > 0) {
		if (field.tag == CELL_TAG_KIND && wire_u64(&field, ITEM_NOTE, &kind) < 0)
			return;
		if (field.tag == CELL_TAG_PAYLOAD)
			payload = field.value;
	}
	if (kind < ITEM_VALUE || job->item_count == RESULT_ITEMS_MAX)
		return;
	size_t offset = job->items.len;
	if (buf_add(&job->items, payload.data, payload.len) < 0)
		return; /* beyond the cap of a job: the runtime in the cell keeps below it */
	job->item[job->item_count].kind = (enum item_kind)kind;
	job->item[job->item_count].offset = offset;
	job->item[job->item_count].bytes = payload.len;
	job->item_count++;
	if (kind == ITEM_ERROR)
		job->facts.error_item = true;
}

static void on_failed(struct cell *cell, struct span fields)
{
	struct wire_field field;
	struct err err;

	(void)err_set(&err, -EPROTO, "cell", "the runner failed and did not say why");
	while (wire_next(&fields, &field) > 0)
		if (field.tag == CELL_TAG_ERR && field.value.len == sizeof(err))
			memcpy(&err, field.value.data, sizeof(err));
	err.stage[sizeof(err.stage) - 1] = 0;
	err.text[sizeof(err.text) - 1] = 0;
	cell_fail(cell, &err);
}

static void on_done(struct cell *cell, struct span fields)
{
	struct wire_field field;
	uint64_t code = 0;

	while (wire_next(&fields, &field) > 0)
		if (field.tag == CELL_TAG_EXIT && wire_u64(&field, 255, &code) < 0)
			code = 255;
	cell->job->facts.exit_code = (int)code;
	cell->job->done = true;
	end_job(cell, END_DONE);
}

static void on_sealed(struct cell *cell, struct span fields)
{
	struct wire_field field;
	uint64_t number;
	int listener = -1;

	while (wire_next(&fields, &field) > 0)
		if (field.tag == CELL_TAG_LISTENER && wire_u64(&field, 1024, &number) == 0)
			listener = (int)number;
	cell_on_sealed(cell, listener);
}

static void on_frame(struct cell *cell, const struct wire_frame *frame)
{
	bool running = cell->state == CELL_RUNNING && cell->job;
	/* What the pipe still holds when the job is stopped was shown before it was. */
	bool collecting = cell->state == CELL_FREEZING && cell->job;
	switch (frame->type) {
	case CELL_SEALED:
		if (cell->state == CELL_SEALING)
			on_sealed(cell, frame->fields);
		else
			on_nonsense(cell, "sealed twice");
		return;
	case CELL_PARKED:
		if (cell->state == CELL_PARKING)
			cell_on_parked(cell);
		else
			on_nonsense(cell, "parked twice");
		return;
	case CELL_FAILED:
		/* The job may say so itself: how its process ends is the verdict. */
		if (is_the_jobs(cell))
			on_nonsense(cell, "failed while it ran");
		else
			on_failed(cell, frame->fields);
		return;
	case CELL_ITEM:
		if ((running || collecting) && is_of_call(cell, frame->fields))
			on_item(cell, frame->fields);
		return;
	case CELL_DONE:
		if (running && is_of_call(cell, frame->fields))
			on_done(cell, frame->fields);
		return;
	case CELL_BEGUN:
		if (running && is_of_call(cell, frame->fields))
			session_on_begun(cell);
		return;
	default:
		on_nonsense(cell, "unknown frame");
	}
}

/* Takes whole frames off the buffer, which moves but once for all of them: a job may send them by
 * the thousand. false once nothing more is to be read. */
static bool take_frames(struct cell *cell)
{
	const uint64_t sequence = cell->sequence;
	for (;;) {
		struct wire_frame frame;
		size_t left = cell->control.len - cell->control_taken;
		int rc = left ? wire_peek(cell->control.data + cell->control_taken, left,
					CONTROL_BYTES_MAX, &frame)
			      : 0;
		if (rc == 0) {
			buf_drop(&cell->control, cell->control_taken);
			cell->control_taken = 0;
			return true;
		}
		if (rc < 0) {
			on_nonsense(cell, "an oversized frame");
			return false;
		}
		if (cell->job)
			cell->job->frames_bytes += frame.bytes;
		if (cell->job && cell->job->frames_bytes > 2 * LIMIT_FRAMES_BYTES) {
			on_nonsense(cell, "too many frames");
			return false;
		}
		/* What ends the job drains the pipe from in there, behind this frame. */
		cell->control_taken += frame.bytes;
		on_frame(cell, &frame);
		/* The frame may have ended the cell, and the slot may even have a new one. */
		if (cell->sequence != sequence || cell->state == CELL_DYING ||
			cell->state == CELL_FREE || cell->collected)
			return false;
	}
}

/* 1 something was read, 0 nothing there, -errno at the end. */
static int read_some(struct cell *cell)
{
	unsigned char *room = buf_reserve(&cell->control, READ_BYTES);
	if (!room)
		return -ENOMEM;
	ssize_t got = read(cell->control_out_fd, room, READ_BYTES);
	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (got == 0)
		return -EPIPE;
	cell->control.len += (size_t)got;
	return 1;
}

void control_on_readable(evutil_socket_t fd, short what, void *context)
{
	struct cell *cell = context;
	(void)fd;
	(void)what;

	int rc = read_some(cell);
	if (rc == -ENOMEM) {
		struct err err;
		(void)err_sys(&err, rc, "cell", "reading what its runner reports");
		cell_fail(cell, &err);
	} else if (rc < 0) {
		cell_unwatch(cell, WATCH_CONTROL); /* the runner's pidfd tells how it ended */
	} else if (rc > 0) {
		(void)take_frames(cell);
	}
}

void control_drain(struct cell *cell)
{
	/* The runner has ended or stands still: what is in the pipe is all there is. */
	bool more = cell->watch[WATCH_CONTROL] && take_frames(cell);
	while (more && cell->watch[WATCH_CONTROL] && read_some(cell) > 0)
		more = take_frames(cell);
}

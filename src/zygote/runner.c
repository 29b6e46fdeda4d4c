/*
 * runner: seal → release → park → job → done, and in a session job → done again.
 *
 * Until the seal, faults go to the service as CELL_FAILED through the control pipe as it came; from
 * then on the pipes are descriptors 3 and 4.
 */
#include "zygote/runner.h"

#include "base/buf.h"
#include "base/fd.h"
#include "wire/frame.h"
#include "wire/limits.h"
#include "zygote/embed.h"
#include "zygote/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#define JOB_BYTES_MAX (2 * MIB)
#define STOP_LIMIT_MS 500

static int send_frame(
	int fd, enum cell_type type, enum cell_tag tag, const void *data, size_t bytes)
{
	struct buf frame cleanup_buf;
	size_t mark;
	buf_init(&frame, 4096);
	int rc = wire_begin(&frame, type, &mark);
	if (!rc && data)
		rc = wire_add(&frame, tag, data, bytes);
	if (!rc)
		rc = wire_end(&frame, mark, 0);
	return rc ? rc : fd_write_all(fd, frame.data, frame.len);
}

static int send_number(enum cell_type type, enum cell_tag tag, uint64_t number)
{
	struct buf frame cleanup_buf;
	size_t mark;
	buf_init(&frame, 64);
	int rc = wire_begin(&frame, type, &mark);
	if (!rc)
		rc = wire_add_u64(&frame, tag, number);
	if (!rc)
		rc = wire_end(&frame, mark, 0);
	return rc ? rc : fd_write_all(CELL_FD_CONTROL_OUT, frame.data, frame.len);
}

_Noreturn static void fail(int fd, const struct err *err)
{
	(void)!send_frame(fd, CELL_FAILED, CELL_TAG_ERR, err, sizeof(*err));
	_exit(125);
}

/* Reads one whole frame into `buf`. */
static int read_frame(struct buf *buf, struct wire_frame *ret_frame)
{
	unsigned char *head = buf_reserve(buf, WIRE_HEADER_BYTES);
	if (!head)
		return -ENOMEM;
	int rc = fd_read_all(CELL_FD_CONTROL_IN, head, WIRE_HEADER_BYTES);
	if (rc < 0)
		return rc;
	buf->len += WIRE_HEADER_BYTES;
	uint32_t fields;
	memcpy(&fields, head, sizeof(fields)); /* little-endian, as the host is */
	unsigned char *body = fields <= JOB_BYTES_MAX ? buf_reserve(buf, fields) : NULL;
	if (!body)
		return -EMSGSIZE;
	rc = fd_read_all(CELL_FD_CONTROL_IN, body, fields);
	if (rc < 0)
		return rc;
	buf->len += fields;
	return wire_peek(buf->data, buf->len, JOB_BYTES_MAX, ret_frame) == 1 ? 0 : -EBADMSG;
}

static int expect(enum cell_type type, struct buf *buf, struct wire_frame *ret_frame)
{
	buf_drop(buf, buf->len);
	int rc = read_frame(buf, ret_frame);
	if (!rc && ret_frame->type != type)
		rc = -EPROTO;
	return rc;
}

static void report_sealed(int listener)
{
	int rc = listener < 0 ? send_frame(CELL_FD_CONTROL_OUT, CELL_SEALED, 0, NULL, 0)
			      : send_number(CELL_SEALED, CELL_TAG_LISTENER, (uint64_t)listener);
	if (rc < 0)
		_exit(125);
}

/*
 * The service stops the cell as soon as it has read that the job is done, and takes it down behind
 * the answer. A process on its way out cannot be frozen before its memory is gone: ending now would
 * put that on the answer's path. Where nobody comes (a job that spoiled its own report, so that no
 * more of it is read) the process ends by itself.
 */
_Noreturn static void wait_to_be_stopped(int exit_code)
{
	(void)poll(NULL, 0, STOP_LIMIT_MS);
	_exit(exit_code);
}

static int send_of_call(enum cell_type type, const struct embed_call *call, uint64_t exit_code)
{
	struct buf frame cleanup_buf;
	size_t mark;
	buf_init(&frame, 128);
	int rc = wire_begin(&frame, type, &mark);
	if (!rc)
		rc = wire_add_u64(&frame, CELL_TAG_CALL, call->number);
	if (!rc)
		rc = wire_add_u64(&frame, CELL_TAG_EXIT, exit_code);
	if (!rc)
		rc = wire_end(&frame, mark, 0);
	return rc ? rc : fd_write_all(CELL_FD_CONTROL_OUT, frame.data, frame.len);
}

static void read_call(struct span fields, struct embed_call *ret_call)
{
	struct wire_field field;
	*ret_call = (struct embed_call){0};
	while (wire_next(&fields, &field) > 0) {
		if (field.tag == CELL_TAG_CALL &&
			wire_u32(&field, UINT32_MAX, &ret_call->number) < 0)
			return;
		ret_call->session = ret_call->session || field.tag == CELL_TAG_SESSION;
	}
}

/* One call; whether another may come. Whoever has taken the pipe away ends the process. */
static bool run_call(struct span fields)
{
	struct embed_call call;
	struct err err = {0};
	int exit_code = 0;

	read_call(fields, &call);
	if (call.session) {
		interrupt_allow();
		if (send_of_call(CELL_BEGUN, &call, 0) < 0)
			_exit(125);
	}
	if (embed_run(fields, &call, CELL_FD_CONTROL_OUT, &exit_code, &err) < 0)
		fail(CELL_FD_CONTROL_OUT, &err);
	if (call.session)
		interrupt_hold();
	int rc = send_of_call(CELL_DONE, &call, (uint64_t)exit_code);
	if (!call.session)
		wait_to_be_stopped(exit_code);
	return rc == 0;
}

static bool is_awaited(struct span fields)
{
	struct wire_field field;
	bool awaited = false;
	while (wire_next(&fields, &field) > 0)
		awaited = awaited || field.tag == CELL_TAG_AWAITED;
	return awaited;
}

_Noreturn void runner_main(const struct jail_plan *plan)
{
	struct err err = {0};
	struct buf buf;
	struct wire_frame frame;
	int listener = -1;
	/* place_descriptors moves the control pipe; a copy serves for the report of a failure. */
	int report_fd = dup(plan->stdio_fds[CELL_FD_CONTROL_OUT]);

	buf_init(&buf, JOB_BYTES_MAX + WIRE_HEADER_BYTES);
	if (jail_seal(plan, &listener, &err) < 0) {
		/* The golden set has no place for the copy: from then on the pipe is its number 4.
		 */
		bool placed = fcntl(report_fd, F_GETFD) < 0;
		fail(placed ? CELL_FD_CONTROL_OUT : report_fd, &err);
	}
	report_sealed(listener);
	if (expect(CELL_RELEASE, &buf, &frame) < 0)
		_exit(125);
	if (listener >= 0)
		(void)close(listener);
	if (embed_make_ready(is_awaited(frame.fields), &err) < 0)
		fail(CELL_FD_CONTROL_OUT, &err);
	if (send_frame(CELL_FD_CONTROL_OUT, CELL_PARKED, 0, NULL, 0) < 0)
		_exit(125);
	while (expect(CELL_JOB, &buf, &frame) == 0 && run_call(frame.fields))
		;
	_exit(125);
}

/*
 * session: encoding and judging what is asked about a session and what is answered.
 *
 * The request comes from a client and is checked here to the byte. Names in an answer come from
 * the cell's work folder: any bytes but NUL.
 */
#include "wire/session.h"

#include "base/fd.h"
#include "wire/fault.h"
#include "wire/job.h"
#include "wire/number.h"

#include <errno.h>
#include <stdlib.h>

enum request_tag {
	TAG_VERB = 1,
	TAG_ID = 2,
	TAG_PATH = 3,
	TAG_TARGET = 4,
	TAG_DEPTH = 5,
	TAG_IDLE_MS = 6,
	TAG_LIFE_MS = 7,
	TAG_BYTES = 8, /* of the descriptor that comes along */
	TAG_MEMORY_BYTES = 9,
};

enum answer_tag {
	ANSWER_FAULT = 1,  /* nested: wire/fault.h; absent where all went well */
	ANSWER_STATUS = 2, /* nested: the STATUS_ fields */
	ANSWER_BYTES = 3,  /* of the descriptor that comes along */
	ANSWER_ENTRY = 4,  /* nested: the ENTRY_ fields */
	ANSWER_MORE = 5,
	ANSWER_ROOM = 6,
};

enum status_tag { STATUS_STATE = 1, STATUS_IDLE_LEFT_MS, STATUS_LIFE_LEFT_MS, STATUS_LOST_WHY };
enum entry_tag { ENTRY_PATH = 1, ENTRY_BYTES, ENTRY_MODIFIED_MS, ENTRY_MODE };

#define NAME_BYTES_MAX 255u /* of one part of a path, as the file system has it */

#define REQUEST(tag, member, max) WIRE_NUMBER(tag, struct session_request, member, 0, max)
static const struct wire_number request_fields[] = {
	REQUEST(TAG_DEPTH, depth, LIMIT_ARTIFACT_DEPTH),
	REQUEST(TAG_IDLE_MS, idle_ms, SESSION_LIFE_MS_MAX),
	REQUEST(TAG_LIFE_MS, life_ms, SESSION_LIFE_MS_MAX),
	REQUEST(TAG_MEMORY_BYTES, memory_bytes, LIMIT_MEMORY_BYTES_MAX),
};
#define REQUEST_FIELDS (sizeof(request_fields) / sizeof(request_fields[0]))

void session_request_init(struct session_request *request)
{
	*request = (struct session_request){.verb = SESSION_STATE, .depth = 1, .fd = -1};
}

void session_request_done(struct session_request *request)
{
	if (!request)
		return;
	fd_close(&request->fd);
	session_request_init(request);
}

void session_answer_init(struct session_answer *answer)
{
	*answer = (struct session_answer){.fd = -1};
	buf_init(&answer->storage, SESSION_FRAME_BYTES_MAX);
}

void session_answer_done(struct session_answer *answer)
{
	if (!answer)
		return;
	fd_close(&answer->fd);
	free(answer->entries);
	buf_done(&answer->storage);
	session_answer_init(answer);
}

static int part_check(struct span part, bool is_new, struct err *err)
{
	if (part.len == 0)
		return err_set(err, -EINVAL, "path",
			"a path has an empty part; separate its names by one '/', with none at "
			"its ends");
	if (span_is(part, ".") || span_is(part, ".."))
		return err_set(err, -EINVAL, "path",
			"a path holds '%s'; name the file from the work folder on",
			part.len == 1 ? "." : "..");
	if (part.len > NAME_BYTES_MAX)
		return err_set(err, -EINVAL, "path",
			"a name in a path has %zu bytes, the most is %u; give it a shorter one",
			part.len, NAME_BYTES_MAX);
	return is_new ? job_input_name_check(part.data, part.len, err) : 0;
}

static int path_check(const void *path, size_t bytes, bool root_too, bool is_new, struct err *err)
{
	const unsigned char *at = path, *end = at + bytes;
	int rc = 0;

	if (bytes == 0)
		return root_too ? 0 : err_set(err, -EINVAL, "path", "the path is empty; name it");
	if (bytes >= SESSION_PATH_BYTES)
		return err_set(err, -EINVAL, "path",
			"a path has %zu bytes, the most is %u; give a shorter one", bytes,
			SESSION_PATH_BYTES - 1);
	if (memchr(at, 0, bytes))
		return err_set(err, -EINVAL, "path", "a path holds a NUL; give it another name");
	while (!rc && at) {
		const unsigned char *slash = memchr(at, '/', (size_t)(end - at));
		rc = part_check(span_of(at, (size_t)((slash ? slash : end) - at)), is_new, err);
		at = slash ? slash + 1 : NULL;
	}
	return rc;
}

int session_path_check(const void *path, size_t bytes, bool root_too, struct err *err)
{
	return path_check(path, bytes, root_too, false, err);
}

int session_new_path_check(const void *path, size_t bytes, struct err *err)
{
	return path_check(path, bytes, false, true, err);
}

static bool verb_makes_path(enum session_verb verb)
{
	return verb == SESSION_WRITE || verb == SESSION_MKDIR;
}

/* The folder itself can be listed and looked at, and nothing else. */
static bool verb_takes_root(enum session_verb verb)
{
	return verb == SESSION_LIST || verb == SESSION_STAT;
}

static int request_check(const struct session_request *request, struct err *err)
{
	int rc = 0;
	if (!request->id[0])
		return err_set(err, -EBADMSG, "request", "no session's id");
	if (request->verb >= SESSION_WRITE)
		rc = path_check(request->path, strlen(request->path),
			verb_takes_root(request->verb), verb_makes_path(request->verb), err);
	if (!rc && request->verb == SESSION_MOVE)
		rc = session_new_path_check(request->target, strlen(request->target), err);
	if (!rc && request->verb == SESSION_LIST && request->depth == 0)
		rc = err_set(err, -EINVAL, "request", "a listing of depth 0; the least is 1");
	return rc;
}

int session_request_encode(const struct session_request *request, struct buf *out, int *ret_fd)
{
	bool has_fd = request->verb == SESSION_WRITE;
	size_t mark;
	int rc = wire_begin(out, CHANNEL_SESSION, &mark);
	if (!rc)
		rc = wire_add_u64(out, TAG_VERB, request->verb);
	if (!rc)
		rc = wire_add_text(out, TAG_ID, request->id);
	if (!rc)
		rc = wire_add_text(out, TAG_PATH, request->path);
	if (!rc)
		rc = wire_add_text(out, TAG_TARGET, request->target);
	if (!rc)
		rc = wire_add_numbers(out, request_fields, REQUEST_FIELDS, request);
	if (!rc && has_fd)
		rc = wire_add_u64(out, TAG_BYTES, request->bytes);
	if (!rc)
		rc = wire_end(out, mark, has_fd ? 1 : 0);
	if (!rc)
		*ret_fd = has_fd ? request->fd : -1;
	return rc;
}

static int request_field(
	const struct wire_field *field, struct session_request *request, bool *has_fd)
{
	uint32_t verb = 0;
	int rc;

	switch (field->tag) {
	case TAG_VERB:
		rc = wire_u32(field, SESSION_MOVE, &verb);
		request->verb = (enum session_verb)verb;
		return rc < 0 || verb == 0 ? -EBADMSG : 0;
	case TAG_ID:
		return wire_word(field, request->id, sizeof(request->id));
	case TAG_PATH:
		return wire_text(field, request->path, sizeof(request->path));
	case TAG_TARGET:
		return wire_text(field, request->target, sizeof(request->target));
	case TAG_BYTES:
		*has_fd = true;
		return wire_u64(field, LIMIT_WORK_BYTES_MAX, &request->bytes);
	default:
		rc = wire_take_number(field, request_fields, REQUEST_FIELDS, request);
		return rc < 0 ? rc : 0;
	}
}

int session_request_decode(struct span fields, int *fds, size_t fd_count,
	struct session_request *request, struct err *err)
{
	struct wire_field field = {0};
	bool has_fd = false, has_verb = false;
	int rc;

	while ((rc = wire_next(&fields, &field)) > 0) {
		rc = request_field(&field, request, &has_fd);
		if (rc < 0)
			break;
		has_verb = has_verb || field.tag == TAG_VERB;
	}
	if (rc < 0)
		rc = err_set(err, -EBADMSG, "request", "field %u is malformed or too large",
			(unsigned)field.tag);
	else if (!has_verb)
		rc = err_set(err, -EBADMSG, "request", "no verb");
	if (!rc && (fd_count != (has_fd ? 1u : 0u) || has_fd != (request->verb == SESSION_WRITE)))
		rc = err_set(err, -EBADMSG, "request",
			"%zu descriptors came, which is wrong for this verb", fd_count);
	if (!rc && has_fd)
		request->fd = TAKE_FD(fds[0]);
	for (size_t i = 0; i < fd_count; i++)
		fd_close(&fds[i]);
	return rc ? rc : request_check(request, err);
}

int session_status_encode(const struct session_status *status, uint16_t tag, struct buf *out)
{
	size_t mark;
	int rc = wire_open(out, tag, &mark);
	if (!rc)
		rc = wire_add_u64(out, STATUS_STATE, status->state);
	if (!rc)
		rc = wire_add_u64(out, STATUS_IDLE_LEFT_MS, status->idle_left_ms);
	if (!rc)
		rc = wire_add_u64(out, STATUS_LIFE_LEFT_MS, status->life_left_ms);
	if (!rc)
		rc = wire_add_text(out, STATUS_LOST_WHY, status->lost_why);
	if (!rc)
		wire_close(out, mark);
	return rc;
}

static int status_field(const struct wire_field *field, struct session_status *status)
{
	uint32_t state = SESSION_ALONE;
	int rc;

	switch (field->tag) {
	case STATUS_STATE:
		rc = wire_u32(field, SESSION_LOST, &state);
		status->state = (enum session_state)state;
		return rc;
	case STATUS_IDLE_LEFT_MS:
		return wire_u64(field, SESSION_LIFE_MS_MAX, &status->idle_left_ms);
	case STATUS_LIFE_LEFT_MS:
		return wire_u64(field, SESSION_LIFE_MS_MAX, &status->life_left_ms);
	case STATUS_LOST_WHY:
		for (size_t i = 0; i < field->value.len; i++)
			if (field->value.data[i] < 0x20 || field->value.data[i] > 0x7e)
				return -EBADMSG;
		return wire_text(field, status->lost_why, sizeof(status->lost_why));
	default:
		return 0;
	}
}

int session_status_decode(struct span fields, struct session_status *status)
{
	struct wire_field field;
	int rc;
	while ((rc = wire_next(&fields, &field)) > 0)
		if (status_field(&field, status) < 0)
			return -EBADMSG;
	return rc;
}

static int encode_entry(const struct session_entry *entry, struct buf *out)
{
	size_t mark;
	int rc = wire_open(out, ANSWER_ENTRY, &mark);
	if (!rc)
		rc = wire_add(out, ENTRY_PATH, entry->path.data, entry->path.len);
	if (!rc)
		rc = wire_add_u64(out, ENTRY_BYTES, entry->bytes);
	if (!rc)
		rc = wire_add_u64(out, ENTRY_MODIFIED_MS, (uint64_t)entry->modified_ms);
	if (!rc)
		rc = wire_add_u64(out, ENTRY_MODE, entry->mode);
	if (!rc)
		wire_close(out, mark);
	return rc;
}

int session_answer_encode(const struct session_answer *answer, struct buf *out, int *ret_fd)
{
	size_t mark;
	int rc = wire_begin(out, CHANNEL_SESSION_DONE, &mark);
	if (!rc && answer->err.code)
		rc = wire_add_fault(out, ANSWER_FAULT, &answer->err);
	if (!rc)
		rc = session_status_encode(&answer->status, ANSWER_STATUS, out);
	for (uint32_t i = 0; !rc && i < answer->entry_count; i++)
		rc = encode_entry(&answer->entries[i], out);
	if (!rc && answer->more)
		rc = wire_add_u64(out, ANSWER_MORE, 1);
	if (!rc && answer->room_bytes)
		rc = wire_add_u64(out, ANSWER_ROOM, answer->room_bytes);
	if (!rc && answer->fd >= 0)
		rc = wire_add_u64(out, ANSWER_BYTES, answer->bytes);
	if (!rc)
		rc = wire_end(out, mark, answer->fd >= 0 ? 1 : 0);
	if (!rc)
		*ret_fd = answer->fd;
	return rc;
}

static int entry_field(const struct wire_field *field, struct session_entry *entry)
{
	uint64_t modified = 0;
	int rc;

	switch (field->tag) {
	case ENTRY_PATH:
		entry->path = field->value;
		return field->value.len >= SESSION_PATH_BYTES ||
				       memchr(field->value.data, 0, field->value.len)
			       ? -EBADMSG
			       : 0;
	case ENTRY_BYTES:
		return wire_u64(field, UINT64_MAX, &entry->bytes);
	case ENTRY_MODIFIED_MS:
		rc = wire_u64(field, UINT64_MAX, &modified);
		entry->modified_ms = (int64_t)modified;
		return rc;
	case ENTRY_MODE:
		return wire_u32(field, UINT32_MAX, &entry->mode);
	default:
		return 0;
	}
}

static int decode_entry(struct span rest, struct session_answer *answer)
{
	struct session_entry entry = {0};
	struct wire_field field;
	int rc;

	while ((rc = wire_next(&rest, &field)) > 0)
		if (entry_field(&field, &entry) < 0)
			return -EBADMSG;
	if (rc < 0 || answer->entry_count >= SESSION_ENTRIES_MAX)
		return -EBADMSG;
	answer->entries[answer->entry_count++] = entry;
	return 0;
}

static int answer_field(const struct wire_field *field, struct session_answer *answer, bool *has_fd)
{
	switch (field->tag) {
	case ANSWER_FAULT:
		return wire_fault(field->value, &answer->err);
	case ANSWER_STATUS:
		return session_status_decode(field->value, &answer->status);
	case ANSWER_ENTRY:
		return decode_entry(field->value, answer);
	case ANSWER_MORE:
		return wire_bool(field, &answer->more);
	case ANSWER_ROOM:
		return wire_u64(field, INT64_MAX, &answer->room_bytes);
	case ANSWER_BYTES:
		*has_fd = true;
		return wire_u64(field, INT64_MAX, &answer->bytes);
	default:
		return 0;
	}
}

int session_answer_decode(
	struct span fields, int *fds, size_t fd_count, struct session_answer *answer)
{
	struct wire_field field;
	bool has_fd = false;

	answer->entries = calloc(SESSION_ENTRIES_MAX, sizeof(*answer->entries));
	int rc = answer->entries ? buf_add(&answer->storage, fields.data, fields.len) : -ENOMEM;
	struct span rest = span_of(answer->storage.data, answer->storage.len);
	while (!rc && (rc = wire_next(&rest, &field)) > 0)
		rc = answer_field(&field, answer, &has_fd);
	if (!rc && fd_count != (has_fd ? 1u : 0u))
		rc = -EBADMSG;
	if (!rc && has_fd)
		answer->fd = TAKE_FD(fds[0]);
	for (size_t i = 0; i < fd_count; i++)
		fd_close(&fds[i]);
	return rc == -ENOSPC ? -EBADMSG : rc;
}

/*
 * job: encoding and judging one request.
 *
 * What is decoded here comes from a client. The service trusts nothing of it: names, counts and
 * limits are checked again, whatever the client's own half has checked before.
 */
#include "wire/job.h"

#include "base/fd.h"
#include "base/utf8.h"
#include "wire/number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum job_tag {
	TAG_ID = 1,
	TAG_CODE = 2,
	TAG_WALL_MS = 3,
	TAG_CPU_MS = 4,
	TAG_MEMORY_BYTES = 5,
	TAG_OUTPUT_BYTES = 6,
	TAG_WORK_BYTES = 7,
	TAG_WORK_INODES = 8,
	TAG_PROCESSES = 9,
	TAG_CPUS = 10,
	TAG_INPUT = 11, /* nested: the INPUT_ fields; one for each input */
	TAG_STDIN_BYTES = 12,
	TAG_CHART_FORMAT = 13,
	TAG_TABLE_CSV = 14,
	TAG_STREAM = 15,
	TAG_RECEIPT = 16,
	TAG_LEVEL = 17,
	TAG_ROLE = 18,
	TAG_ISOLATE = 19,
	TAG_SESSION = 20, /* nested: the SESSION_TAG_ fields; absent where the job is alone */
};

enum session_tag {
	SESSION_TAG_USE = 1,
	SESSION_TAG_ID = 2,
	SESSION_TAG_CONTEXT = 3,
	SESSION_TAG_IDLE_MS = 4,
	SESSION_TAG_LIFE_MS = 5,
};

enum input_tag {
	INPUT_NAME = 1,
	INPUT_BYTES = 2,
	INPUT_SHA256 = 3,
};

/* Each limit between its least sensible value (zero is nonsense, not "none") and its ceiling. */
#define LIMIT(tag, member, min, max) WIRE_NUMBER(tag, struct job_limits, member, min, max)
static const struct wire_number limit_fields[] = {
	LIMIT(TAG_WALL_MS, wall_ms, 1, LIMIT_WALL_MS_MAX),
	LIMIT(TAG_CPU_MS, cpu_ms, 1, LIMIT_CPU_MS_MAX),
	LIMIT(TAG_MEMORY_BYTES, memory_bytes, LIMIT_MEMORY_BYTES_MIN, LIMIT_MEMORY_BYTES_MAX),
	LIMIT(TAG_OUTPUT_BYTES, output_bytes, 1, LIMIT_OUTPUT_BYTES_MAX),
	LIMIT(TAG_WORK_BYTES, work_bytes, 1, LIMIT_WORK_BYTES_MAX),
	LIMIT(TAG_WORK_INODES, work_inodes, 1, LIMIT_WORK_INODES_MAX),
	LIMIT(TAG_PROCESSES, processes, 1, LIMIT_PROCESSES_MAX),
	LIMIT(TAG_CPUS, cpus, 1, LIMIT_CPUS_MAX),
};
#define LIMIT_FIELDS (sizeof(limit_fields) / sizeof(limit_fields[0]))

#define TIME(tag, member) WIRE_NUMBER(tag, struct job_session, member, 1, SESSION_LIFE_MS_MAX)
static const struct wire_number session_fields[] = {
	TIME(SESSION_TAG_IDLE_MS, idle_ms),
	TIME(SESSION_TAG_LIFE_MS, life_ms),
};
#define SESSION_FIELDS (sizeof(session_fields) / sizeof(session_fields[0]))

void job_spec_init(struct job_spec *spec)
{
	*spec = (struct job_spec){.limits = limits_default,
		.stdin_fd = -1,
		.session = {
			.idle_ms = SESSION_IDLE_MS_DEFAULT, .life_ms = SESSION_LIFE_MS_DEFAULT}};
	buf_init(&spec->code, LIMIT_CODE_BYTES);
}

void job_spec_done(struct job_spec *spec)
{
	if (!spec)
		return;
	for (uint32_t i = 0; i < spec->input_count; i++)
		fd_close(&spec->inputs[i].fd);
	free(spec->inputs);
	fd_close(&spec->stdin_fd);
	buf_done(&spec->code);
	spec->inputs = NULL;
	spec->input_count = 0;
}

int job_input_name_check(const void *name, size_t bytes, struct err *err)
{
	const unsigned char *at = name;
	size_t bad;

	if (bytes == 0)
		return err_set(err, -EINVAL, "input", "a file's name is empty; name it");
	if (bytes > LIMIT_INPUT_NAME_BYTES)
		return err_set(err, -EINVAL, "input",
			"a file's name has %zu bytes, the most is %u; give it a shorter one", bytes,
			LIMIT_INPUT_NAME_BYTES);
	if (!utf8_valid(name, bytes, &bad))
		return err_set(err, -EINVAL, "input",
			"a file's name is not UTF-8 at byte %zu; give it another", bad);
	for (size_t i = 0; i < bytes; i++) {
		/* U+0080 to U+009F are control characters too: C2 80 to C2 9F. */
		bool c1 = at[i] == 0xc2 && i + 1 < bytes && at[i + 1] < 0xa0;
		if (at[i] < 0x20 || at[i] == 0x7f || c1)
			return err_set(err, -EINVAL, "input",
				"a file's name holds a control character at byte %zu; "
				"give it another",
				i);
		if (at[i] == '/')
			return err_set(err, -EINVAL, "input",
				"the file name '%.*s' holds a '/'; give a plain name",
				(int)utf8_cut_head(at, bytes < 120 ? bytes : 120),
				(const char *)at);
	}
	if (span_is(span_of(name, bytes), ".") || span_is(span_of(name, bytes), ".."))
		return err_set(err, -EINVAL, "input", "'%.*s' names a folder; give a file's name",
			(int)bytes, (const char *)at);
	return 0;
}

static uint64_t inputs_bytes(const struct job_spec *spec)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < spec->input_count; i++)
		sum += spec->inputs[i].bytes;
	return sum;
}

static int input_check(
	const struct job_spec *spec, const char *name, uint64_t bytes, struct err *err)
{
	int rc = job_input_name_check(name, strlen(name), err);
	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < spec->input_count; i++)
		if (strcmp(spec->inputs[i].name, name) == 0)
			return err_set(err, -EEXIST, "input",
				"two files have the name '%.*s'; rename one",
				(int)utf8_cut_head((const unsigned char *)name,
					strlen(name) < 120 ? strlen(name) : 120),
				name);
	if (spec->input_count >= LIMIT_INPUTS)
		return err_set(err, -E2BIG, "input",
			"more than %u files; give fewer, or put them into one archive",
			LIMIT_INPUTS);
	if (bytes > LIMIT_INPUT_BYTES - inputs_bytes(spec))
		return err_set(err, -E2BIG, "input",
			"the files have more than %llu MiB together; give less",
			LIMIT_INPUT_BYTES / MIB);
	return 0;
}

int job_spec_add_input(struct job_spec *spec, const char *name, uint64_t bytes,
	const unsigned char sha256[32], int fd, struct err *err)
{
	cleanup_fd int owned_fd = fd;
	int rc = input_check(spec, name, bytes, err);
	if (rc < 0)
		return rc;
	struct job_input *inputs =
		reallocarray(spec->inputs, spec->input_count + 1, sizeof(*inputs));
	if (!inputs)
		return err_sys(err, -ENOMEM, "input", "cannot list the files");
	spec->inputs = inputs;
	struct job_input *input = &inputs[spec->input_count++];
	*input = (struct job_input){.bytes = bytes, .fd = TAKE_FD(owned_fd)};
	memcpy(input->name, name, strlen(name) + 1);
	memcpy(input->sha256, sha256, sizeof(input->sha256));
	return 0;
}

static int encode_input(struct buf *out, const struct job_input *input)
{
	size_t mark;
	int rc = wire_open(out, TAG_INPUT, &mark);
	if (!rc)
		rc = wire_add_text(out, INPUT_NAME, input->name);
	if (!rc)
		rc = wire_add_u64(out, INPUT_BYTES, input->bytes);
	if (!rc)
		rc = wire_add(out, INPUT_SHA256, input->sha256, sizeof(input->sha256));
	if (!rc)
		wire_close(out, mark);
	return rc;
}

static int encode_session(struct buf *out, const struct job_session *session)
{
	size_t mark;
	if (session->use == SESSION_NONE)
		return 0;
	int rc = wire_open(out, TAG_SESSION, &mark);
	if (!rc)
		rc = wire_add_u64(out, SESSION_TAG_USE, session->use);
	if (!rc)
		rc = wire_add_text(out, SESSION_TAG_ID, session->id);
	if (!rc)
		rc = wire_add_text(out, SESSION_TAG_CONTEXT, session->context);
	if (!rc)
		rc = wire_add_numbers(out, session_fields, SESSION_FIELDS, session);
	if (!rc)
		wire_close(out, mark);
	return rc;
}

static int encode_options(struct buf *out, const struct job_spec *spec)
{
	int rc = wire_add_u64(out, TAG_CHART_FORMAT, spec->chart_format);
	if (!rc)
		rc = wire_add_u64(out, TAG_TABLE_CSV, spec->table_csv);
	if (!rc)
		rc = wire_add_u64(out, TAG_STREAM, spec->stream);
	if (!rc)
		rc = wire_add_u64(out, TAG_RECEIPT, spec->receipt);
	if (!rc && spec->level[0])
		rc = wire_add_text(out, TAG_LEVEL, spec->level);
	if (!rc && spec->role[0])
		rc = wire_add_text(out, TAG_ROLE, spec->role);
	if (!rc && spec->isolate)
		rc = wire_add_u64(out, TAG_ISOLATE, 1);
	if (!rc)
		rc = encode_session(out, &spec->session);
	return rc;
}

int job_spec_encode(const struct job_spec *spec, struct buf *out, int *fds, size_t *ret_fd_count)
{
	size_t mark, count = 0;
	int rc = wire_begin(out, CHANNEL_JOB, &mark);
	if (!rc)
		rc = wire_add_text(out, TAG_ID, spec->id);
	if (!rc)
		rc = wire_add(out, TAG_CODE, spec->code.data, spec->code.len);
	if (!rc)
		rc = wire_add_numbers(out, limit_fields, LIMIT_FIELDS, &spec->limits);
	if (!rc)
		rc = encode_options(out, spec);
	for (uint32_t i = 0; !rc && i < spec->input_count; i++) {
		rc = encode_input(out, &spec->inputs[i]);
		fds[count++] = spec->inputs[i].fd;
	}
	if (!rc && spec->stdin_fd >= 0) {
		rc = wire_add_u64(out, TAG_STDIN_BYTES, spec->stdin_bytes);
		fds[count++] = spec->stdin_fd;
	}
	if (!rc)
		rc = wire_end(out, mark, count);
	if (!rc)
		*ret_fd_count = count;
	return rc;
}

static int decode_session(struct span rest, struct job_session *session)
{
	uint32_t use = SESSION_NONE;
	struct wire_field field;
	int rc;

	while ((rc = wire_next(&rest, &field)) > 0) {
		if (field.tag == SESSION_TAG_USE)
			rc = wire_u32(&field, SESSION_USE, &use);
		else if (field.tag == SESSION_TAG_ID)
			rc = wire_word(&field, session->id, sizeof(session->id));
		else if (field.tag == SESSION_TAG_CONTEXT)
			rc = wire_word(&field, session->context, sizeof(session->context));
		else
			rc = wire_take_number(&field, session_fields, SESSION_FIELDS, session);
		if (rc < 0)
			return rc;
	}
	session->use = (enum session_use)use;
	return rc < 0 || use == SESSION_NONE || !session->id[0] ? -EBADMSG : 0;
}

static int decode_input(struct span rest, struct job_spec *spec, struct err *err)
{
	char name[LIMIT_INPUT_NAME_BYTES + 1] = "";
	const unsigned char *sha256 = NULL;
	uint64_t bytes = UINT64_MAX;
	struct wire_field field;
	int rc;

	while ((rc = wire_next(&rest, &field)) > 0) {
		if (field.tag == INPUT_NAME)
			rc = wire_text(&field, name, sizeof(name));
		else if (field.tag == INPUT_BYTES)
			rc = wire_u64(&field, LIMIT_INPUT_BYTES, &bytes);
		else if (field.tag == INPUT_SHA256 && field.value.len == 32)
			sha256 = field.value.data;
		if (rc < 0)
			break;
	}
	if (rc < 0 || bytes == UINT64_MAX || !sha256)
		return err_set(err, -EBADMSG, "request", "a malformed input");
	rc = job_spec_add_input(spec, name, bytes, sha256, -1, err);
	return rc == -EINVAL || rc == -EEXIST ? -EBADMSG : rc;
}

static int decode_field(const struct wire_field *field, struct job_spec *spec, bool *has_stdin)
{
	uint32_t format;
	int rc;

	switch (field->tag) {
	case TAG_ID:
		return wire_word(field, spec->id, sizeof(spec->id));
	case TAG_CODE:
		spec->code.len = 0;
		rc = buf_add(&spec->code, field->value.data, field->value.len);
		return rc == -ENOSPC ? -E2BIG : rc;
	case TAG_STDIN_BYTES:
		*has_stdin = true;
		return wire_u64(field, LIMIT_STDIN_BYTES, &spec->stdin_bytes);
	case TAG_CHART_FORMAT:
		rc = wire_u32(field, CHART_SVG, &format);
		spec->chart_format = !rc && format == CHART_SVG ? CHART_SVG : CHART_PNG;
		return rc;
	case TAG_TABLE_CSV:
		return wire_bool(field, &spec->table_csv);
	case TAG_STREAM:
		return wire_bool(field, &spec->stream);
	case TAG_RECEIPT:
		return wire_bool(field, &spec->receipt);
	case TAG_LEVEL:
		return wire_text(field, spec->level, sizeof(spec->level));
	case TAG_ROLE:
		return wire_text(field, spec->role, sizeof(spec->role));
	case TAG_ISOLATE:
		return wire_bool(field, &spec->isolate);
	case TAG_SESSION:
		return decode_session(field->value, &spec->session);
	default:
		rc = wire_take_number(field, limit_fields, LIMIT_FIELDS, &spec->limits);
		return rc < 0 ? rc : 0;
	}
}

static int decode_fields(struct span rest, struct job_spec *spec, bool *has_stdin, struct err *err)
{
	struct wire_field field = {0};
	int rc;

	while ((rc = wire_next(&rest, &field)) > 0) {
		if (field.tag == TAG_INPUT) {
			rc = decode_input(field.value, spec, err);
			if (rc < 0)
				return rc;
			continue;
		}
		rc = decode_field(&field, spec, has_stdin);
		if (rc == -E2BIG)
			return err_set(err, rc, "request", "the code is larger than %llu KiB",
				LIMIT_CODE_BYTES / KIB);
		if (rc < 0)
			return err_set(err, rc, "request", "field %u is malformed or too large",
				(unsigned)field.tag);
	}
	if (rc < 0)
		return err_set(err, rc, "request", "a malformed frame");
	if (!spec->id[0])
		return err_set(err, -EBADMSG, "request", "no job id");
	return 0;
}

int job_spec_decode(
	struct span fields, int *fds, size_t fd_count, struct job_spec *spec, struct err *err)
{
	bool has_stdin = false;
	int rc = decode_fields(fields, spec, &has_stdin, err);
	size_t wanted = spec->input_count + (has_stdin ? 1u : 0u);
	if (!rc && wanted != fd_count)
		rc = err_set(err, -EBADMSG, "request", "%zu descriptors came where %zu belong",
			fd_count, wanted);
	size_t at = 0;
	for (; !rc && at < spec->input_count; at++)
		spec->inputs[at].fd = TAKE_FD(fds[at]);
	if (!rc && has_stdin)
		spec->stdin_fd = TAKE_FD(fds[at]);
	for (size_t i = 0; i < fd_count; i++)
		fd_close(&fds[i]);
	return rc;
}

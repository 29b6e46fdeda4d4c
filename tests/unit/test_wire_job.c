/* job: what a client may ask, to the byte, and descriptors that are closed on every way out. */
#include "check.h"

#include "alloc_fail.h"
#include "base/fd.h"
#include "wire/job.h"

static const unsigned char sha256[32] = "0123456789abcdef0123456789abcde";

static void fill(struct job_spec *spec)
{
	struct err err;
	job_spec_init(spec);
	(void)strcpy(spec->id, "job-1");
	assert_int_equal(buf_add(&spec->code, "print(1)\0x", 10), 0);
	assert_int_equal(
		job_spec_add_input(spec, "a.csv", 3, sha256, check_memfd("abc", 3), &err), 0);
	assert_int_equal(
		job_spec_add_input(spec, "b c.txt", 0, sha256, check_memfd("", 0), &err), 0);
	spec->stdin_fd = check_memfd("in", 2);
	spec->stdin_bytes = 2;
	spec->limits.wall_ms = 1234;
	spec->limits.memory_bytes = 8 * GIB;
	spec->chart_format = CHART_SVG;
	spec->table_csv = true;
	spec->stream = true;
	spec->receipt = true;
	(void)strcpy(spec->level, "data");
	spec->session = (struct job_session){.use = SESSION_USE,
		.id = "s-1",
		.context = "side",
		.idle_ms = 1,
		.life_ms = SESSION_LIFE_MS_MAX};
}

struct frame {
	struct buf bytes;
	struct wire_frame frame;
	int fds[LIMIT_INPUTS + 1]; /* the test's own copies */
	size_t fd_count;
};

static void encode(const struct job_spec *spec, struct frame *frame)
{
	buf_init(&frame->bytes, JOB_FRAME_BYTES_MAX + WIRE_HEADER_BYTES);
	assert_int_equal(job_spec_encode(spec, &frame->bytes, frame->fds, &frame->fd_count), 0);
	for (size_t i = 0; i < frame->fd_count; i++) {
		frame->fds[i] = fcntl(frame->fds[i], F_DUPFD_CLOEXEC, 0);
		assert_true(frame->fds[i] >= 0);
	}
	assert_int_equal(
		wire_peek(frame->bytes.data, frame->bytes.len, JOB_FRAME_BYTES_MAX, &frame->frame),
		1);
	assert_int_equal(frame->frame.fds, frame->fd_count);
}

static void close_frame(struct frame *frame)
{
	for (size_t i = 0; i < frame->fd_count; i++)
		fd_close(&frame->fds[i]);
	buf_done(&frame->bytes);
}

static void copy_fds(const struct frame *frame, int *fds)
{
	for (size_t i = 0; i < frame->fd_count; i++) {
		fds[i] = fcntl(frame->fds[i], F_DUPFD_CLOEXEC, 0);
		assert_true(fds[i] >= 0);
	}
}

static void round_trip(void **state)
{
	(void)state;
	size_t before = check_fds();
	struct job_spec sent, got;
	struct frame frame;
	struct err err = {0};
	char byte;
	fill(&sent);
	encode(&sent, &frame);
	job_spec_init(&got);
	assert_int_equal(
		job_spec_decode(frame.frame.fields, frame.fds, frame.fd_count, &got, &err), 0);
	for (size_t i = 0; i < frame.fd_count; i++)
		assert_int_equal(frame.fds[i], -1);
	assert_string_equal(got.id, "job-1");
	assert_int_equal(got.code.len, 10);
	assert_memory_equal(got.code.data, "print(1)\0x", 10);
	assert_memory_equal(&got.limits, &sent.limits, sizeof(got.limits));
	assert_int_equal(got.input_count, 2);
	assert_string_equal(got.inputs[0].name, "a.csv");
	assert_string_equal(got.inputs[1].name, "b c.txt");
	assert_int_equal(got.inputs[0].bytes, 3);
	assert_memory_equal(got.inputs[0].sha256, sha256, 32);
	assert_int_equal(pread(got.inputs[0].fd, &byte, 1, 2), 1);
	assert_int_equal(byte, 'c');
	assert_int_equal(got.stdin_bytes, 2);
	assert_int_equal(pread(got.stdin_fd, &byte, 1, 0), 1);
	assert_int_equal(byte, 'i');
	assert_int_equal(got.chart_format, CHART_SVG);
	assert_true(got.table_csv && got.stream && got.receipt);
	assert_string_equal(got.level, "data");
	assert_memory_equal(&got.session, &sent.session, sizeof(got.session));
	job_spec_done(&got);
	job_spec_done(&got);
	job_spec_done(NULL);
	job_spec_done(&sent);
	close_frame(&frame);
	assert_int_equal(check_fds(), before);
}

static void every_truncation_is_refused_and_closes(void **state)
{
	(void)state;
	struct job_spec sent;
	struct frame frame;
	fill(&sent);
	encode(&sent, &frame);
	size_t before = check_fds();
	for (size_t n = 0; n < frame.frame.fields.len; n++) {
		struct job_spec got;
		struct err err = {0};
		int fds[LIMIT_INPUTS + 1];
		copy_fds(&frame, fds);
		job_spec_init(&got);
		int rc = job_spec_decode(
			span_of(frame.frame.fields.data, n), fds, frame.fd_count, &got, &err);
		if (rc == 0) {
			/* Cut between two fields: what is missing has a default, and what is
			 * there adds up. */
			assert_int_equal(
				got.input_count + (got.stdin_fd >= 0 ? 1u : 0u), frame.fd_count);
		} else {
			assert_int_equal(rc, -EBADMSG);
			assert_true(strlen(err.text) > 0);
		}
		job_spec_done(&got);
		assert_int_equal(check_fds(), before);
	}
	job_spec_done(&sent);
	close_frame(&frame);
}

static void wrong_numbers_of_descriptors(void **state)
{
	(void)state;
	struct job_spec sent;
	struct frame frame;
	fill(&sent);
	encode(&sent, &frame);
	size_t before = check_fds();
	for (size_t count = 0; count < frame.fd_count + 2; count++) {
		struct job_spec got;
		struct err err;
		int fds[LIMIT_INPUTS + 1];
		for (size_t i = 0; i < count; i++)
			fds[i] = check_memfd("", 0);
		job_spec_init(&got);
		assert_int_equal(job_spec_decode(frame.frame.fields, fds, count, &got, &err),
			count == frame.fd_count ? 0 : -EBADMSG);
		job_spec_done(&got);
		assert_int_equal(check_fds(), before);
	}
	job_spec_done(&sent);
	close_frame(&frame);
}

/* Decodes a frame of an id and one more field. */
static int decode_with(uint16_t tag, const void *data, size_t bytes, struct err *err)
{
	struct job_spec got;
	struct buf fields;
	buf_init(&fields, 4 * MIB);
	assert_int_equal(wire_add_text(&fields, 1, "x"), 0);
	assert_int_equal(wire_add(&fields, tag, data, bytes), 0);
	job_spec_init(&got);
	int rc = job_spec_decode(span_of(fields.data, fields.len), NULL, 0, &got, err);
	job_spec_done(&got);
	buf_done(&fields);
	return rc;
}

static int decode_number(uint16_t tag, uint64_t value)
{
	struct err err;
	return decode_with(tag, &value, sizeof(value), &err);
}

static void limits_at_and_beyond_their_ceilings(void **state)
{
	(void)state;
	static const struct {
		uint16_t tag;
		uint64_t min, max;
	} cases[] = {
		{3, 1, 300000}, /* wall */
		{4, 1, 300000}, /* CPU */
		{5, 64 * MIB, 8 * GIB},
		{6, 1, 32 * MIB},
		{7, 1, 256 * MIB},
		{8, 1, 16384},
		{9, 1, 64},
		{10, 1, 1},
		{13, 0, 1}, /* chart format, and three truths */
		{14, 0, 1},
		{15, 0, 1},
		{16, 0, 1},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_int_equal(decode_number(cases[i].tag, cases[i].min), 0);
		assert_int_equal(decode_number(cases[i].tag, cases[i].max), 0);
		assert_int_equal(decode_number(cases[i].tag, cases[i].max + 1), -EBADMSG);
		assert_int_equal(decode_number(cases[i].tag, UINT64_MAX), -EBADMSG);
		if (cases[i].min)
			assert_int_equal(decode_number(cases[i].tag, cases[i].min - 1), -EBADMSG);
	}
	assert_int_equal(decode_number(99, 1), 0);
}

static void code_at_and_beyond_its_cap(void **state)
{
	(void)state;
	struct err err;
	char *code = calloc(1, LIMIT_CODE_BYTES + 1);
	assert_non_null(code);
	assert_int_equal(decode_with(2, code, LIMIT_CODE_BYTES, &err), 0);
	assert_int_equal(decode_with(2, code, LIMIT_CODE_BYTES + 1, &err), -E2BIG);
	assert_non_null(strstr(err.text, "1024 KiB"));
	free(code);
}

static void ids(void **state)
{
	(void)state;
	static const struct {
		const char *id;
		int rc;
	} cases[] = {
		{"a", 0},
		{"AZaz09-", 0},
		{"012345678901234567890123456789012345678", 0},
		{"0123456789012345678901234567890123456789", -EBADMSG},
		{"", -EBADMSG},
		{"a b", -EBADMSG},
		{"../x", -EBADMSG},
		{"\xc3\xa9", -EBADMSG},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err;
		assert_int_equal(
			decode_with(1, cases[i].id, strlen(cases[i].id), &err), cases[i].rc);
	}
	struct job_spec got;
	struct err err;
	job_spec_init(&got);
	assert_int_equal(job_spec_decode(span_of(NULL, 0), NULL, 0, &got, &err), -EBADMSG);
	assert_string_equal(err.text, "no job id");
	job_spec_done(&got);
}

static void names(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		size_t bytes;
		const char *fault; /* NULL: allowed */
	} cases[] = {
		{"a", 1, NULL},
		{"Bericht \xc3\xa4\xc3\xb6 [2].csv", 20, NULL},
		{".hidden", 7, NULL},
		{"...", 3, NULL},
		{"a\xc2\xa0z", 4, NULL}, /* a no-break space is no control character */
		{"", 0, "empty"},
		{".", 1, "folder"},
		{"..", 2, "folder"},
		{"a/b", 3, "'/'"},
		{"/etc/passwd", 11, "'/'"},
		{"../x", 4, "'/'"},
		{"a\nb", 3, "control character at byte 1"},
		{"a\0b", 3, "control character at byte 1"},
		{"\x1b[31m", 5, "control character"},
		{"x\x7f", 2, "control character"},
		{"x\xc2\x85", 3, "control character at byte 1"},
		{"ab\xff", 3, "not UTF-8 at byte 2"},
		{"\xed\xa0\x80", 3, "not UTF-8"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err = {0};
		int rc = job_input_name_check(cases[i].name, cases[i].bytes, &err);
		assert_int_equal(rc, cases[i].fault ? -EINVAL : 0);
		if (cases[i].fault)
			assert_non_null(strstr(err.text, cases[i].fault));
	}
	char large[257];
	memset(large, 'n', sizeof(large));
	struct err err = {0};
	assert_int_equal(job_input_name_check(large, 255, &err), 0);
	assert_int_equal(job_input_name_check(large, 256, &err), -EINVAL);
	assert_non_null(strstr(err.text, "256 bytes"));
}

static void inputs_at_and_beyond_their_caps(void **state)
{
	(void)state;
	size_t before = check_fds();
	struct job_spec spec;
	struct err err = {0};
	char name[16];
	job_spec_init(&spec);
	for (unsigned i = 0; i < LIMIT_INPUTS; i++) {
		(void)snprintf(name, sizeof(name), "f%u", i);
		assert_int_equal(
			job_spec_add_input(&spec, name, 4 * MIB, sha256, check_memfd("", 0), &err),
			0);
	}
	assert_int_equal(check_fds(), before + LIMIT_INPUTS);
	assert_int_equal(
		job_spec_add_input(&spec, "more", 0, sha256, check_memfd("", 0), &err), -E2BIG);
	assert_non_null(strstr(err.text, "more than 64 files"));
	assert_int_equal(check_fds(), before + LIMIT_INPUTS);
	job_spec_done(&spec);

	job_spec_init(&spec);
	assert_int_equal(job_spec_add_input(&spec, "all", 256 * MIB, sha256, -1, &err), 0);
	assert_int_equal(job_spec_add_input(&spec, "none", 0, sha256, -1, &err), 0);
	assert_int_equal(job_spec_add_input(&spec, "one", 1, sha256, -1, &err), -E2BIG);
	assert_int_equal(job_spec_add_input(&spec, "wrap", UINT64_MAX, sha256, -1, &err), -E2BIG);
	assert_int_equal(
		job_spec_add_input(&spec, "all", 0, sha256, check_memfd("", 0), &err), -EEXIST);
	assert_non_null(strstr(err.text, "two files have the name 'all'"));
	assert_int_equal(
		job_spec_add_input(&spec, "a/b", 0, sha256, check_memfd("", 0), &err), -EINVAL);
	job_spec_done(&spec);
	assert_int_equal(check_fds(), before);
}

/* A client that skips its own checks meets them here. */
static void hostile_inputs_are_refused(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		uint64_t bytes;
		size_t hash_bytes;
	} cases[] = {
		{"../x", 0, 32},
		{"", 0, 32},
		{"a", 256 * MIB + 1, 32},
		{"a", 0, 31},
		{"a", 0, 0},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf record;
		struct err err = {0};
		buf_init(&record, 1024);
		assert_int_equal(wire_add_text(&record, 1, cases[i].name), 0);
		assert_int_equal(wire_add_u64(&record, 2, cases[i].bytes), 0);
		assert_int_equal(wire_add(&record, 3, sha256, cases[i].hash_bytes), 0);
		assert_int_equal(decode_with(11, record.data, record.len, &err), -EBADMSG);
		buf_done(&record);
	}
}

/* Decodes a job whose session has these fields. */
static int decode_session(uint64_t use, const char *id, const char *context, uint64_t idle_ms)
{
	struct buf record;
	struct err err = {0};
	buf_init(&record, 1024);
	assert_int_equal(wire_add_u64(&record, 1, use), 0);
	assert_int_equal(wire_add_text(&record, 2, id), 0);
	assert_int_equal(wire_add_text(&record, 3, context), 0);
	assert_int_equal(wire_add_u64(&record, 4, idle_ms), 0);
	int rc = decode_with(20, record.data, record.len, &err);
	assert_true(rc == 0 || strlen(err.text) > 0);
	buf_done(&record);
	return rc;
}

static void sessions(void **state)
{
	(void)state;
	static const char full[] = "012345678901234567890123456789012345678";
	assert_int_equal(decode_session(SESSION_NEW, "s", "", 1), 0);
	assert_int_equal(decode_session(SESSION_USE, full, full, SESSION_LIFE_MS_MAX), 0);
	assert_int_equal(decode_session(SESSION_NONE, "s", "", 1), -EBADMSG);
	assert_int_equal(decode_session(SESSION_USE + 1, "s", "", 1), -EBADMSG);
	assert_int_equal(decode_session(SESSION_NEW, "", "", 1), -EBADMSG);
	assert_int_equal(decode_session(SESSION_NEW, "a/b", "", 1), -EBADMSG);
	assert_int_equal(decode_session(SESSION_NEW, "s", "a b", 1), -EBADMSG);
	assert_int_equal(decode_session(SESSION_NEW, "s", "", 0), -EBADMSG);
	assert_int_equal(decode_session(SESSION_NEW, "s", "", SESSION_LIFE_MS_MAX + 1), -EBADMSG);
	char longer[SESSION_ID_BYTES + 1];
	memset(longer, 'x', SESSION_ID_BYTES);
	longer[SESSION_ID_BYTES] = 0;
	assert_int_equal(decode_session(SESSION_NEW, longer, "", 1), -EBADMSG);
	assert_int_equal(decode_session(SESSION_NEW, "s", longer, 1), -EBADMSG);
}

static void a_job_alone_says_nothing_of_sessions(void **state)
{
	(void)state;
	struct job_spec sent, got;
	struct frame frame;
	struct err err;
	fill(&sent);
	sent.session.use = SESSION_NONE;
	encode(&sent, &frame);
	job_spec_init(&got);
	assert_int_equal(
		job_spec_decode(frame.frame.fields, frame.fds, frame.fd_count, &got, &err), 0);
	assert_int_equal(got.session.use, SESSION_NONE);
	assert_string_equal(got.session.id, "");
	assert_int_equal(got.session.idle_ms, SESSION_IDLE_MS_DEFAULT);
	assert_int_equal(got.session.life_ms, SESSION_LIFE_MS_DEFAULT);
	job_spec_done(&got);
	job_spec_done(&sent);
	close_frame(&frame);
}

static void stdin_at_and_beyond_its_cap(void **state)
{
	(void)state;
	for (uint64_t over = 0; over < 2; over++) {
		struct job_spec got;
		struct buf fields;
		struct err err;
		size_t before = check_fds();
		int fd = check_memfd("", 0);
		buf_init(&fields, 1024);
		assert_int_equal(wire_add_text(&fields, 1, "x"), 0);
		assert_int_equal(wire_add_u64(&fields, 12, LIMIT_STDIN_BYTES + over), 0);
		job_spec_init(&got);
		assert_int_equal(
			job_spec_decode(span_of(fields.data, fields.len), &fd, 1, &got, &err),
			over ? -EBADMSG : 0);
		job_spec_done(&got);
		buf_done(&fields);
		assert_int_equal(check_fds(), before);
	}
}

static void a_frame_that_does_not_fit_says_so(void **state)
{
	(void)state;
	struct job_spec sent;
	struct frame frame;
	fill(&sent);
	encode(&sent, &frame);
	for (size_t cap = 0; cap < frame.bytes.len; cap++) {
		struct buf out;
		int fds[LIMIT_INPUTS + 1];
		size_t count = 77;
		buf_init(&out, cap);
		assert_int_equal(job_spec_encode(&sent, &out, fds, &count), -ENOSPC);
		assert_int_equal(count, 77);
		buf_done(&out);
	}
	close_frame(&frame);
	job_spec_done(&sent);
}

static void no_memory_closes_and_frees(void **state)
{
	(void)state;
	ALLOC_FAIL_OR_SKIP();
	struct job_spec sent;
	struct frame frame;
	fill(&sent);
	encode(&sent, &frame);
	size_t before = check_fds();
	size_t n = 0;
	for (bool failed = true; failed; n++) {
		struct job_spec got;
		struct err err;
		int fds[LIMIT_INPUTS + 1];
		copy_fds(&frame, fds);
		long live = alloc_live;
		job_spec_init(&got);
		alloc_fail_at(n);
		int rc = job_spec_decode(frame.frame.fields, fds, frame.fd_count, &got, &err);
		failed = alloc_fail_end();
		assert_int_equal(rc, failed ? -ENOMEM : 0);
		job_spec_done(&got);
		assert_int_equal(alloc_live, live);
		assert_int_equal(check_fds(), before);
	}
	assert_true(n > 2);
	close_frame(&frame);
	job_spec_done(&sent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(every_truncation_is_refused_and_closes),
		cmocka_unit_test(wrong_numbers_of_descriptors),
		cmocka_unit_test(limits_at_and_beyond_their_ceilings),
		cmocka_unit_test(code_at_and_beyond_its_cap),
		cmocka_unit_test(ids),
		cmocka_unit_test(names),
		cmocka_unit_test(inputs_at_and_beyond_their_caps),
		cmocka_unit_test(hostile_inputs_are_refused),
		cmocka_unit_test(sessions),
		cmocka_unit_test(a_job_alone_says_nothing_of_sessions),
		cmocka_unit_test(stdin_at_and_beyond_its_cap),
		cmocka_unit_test(a_frame_that_does_not_fit_says_so),
		cmocka_unit_test(no_memory_closes_and_frees),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

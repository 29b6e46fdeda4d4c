/* session: what may be asked about one and what is answered, to the byte. */
#include "check.h"

#include "alloc_fail.h"
#include "base/fd.h"
#include "wire/job.h"

static const char part_255[] =
	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn";

struct frame {
	struct buf bytes;
	struct span fields;
	int fd; /* borrowed */
};

static void fill(struct session_request *request, enum session_verb verb)
{
	session_request_init(request);
	request->verb = verb;
	(void)strcpy(request->id, "session-1");
	(void)strcpy(request->path, "out/data.csv");
	(void)strcpy(request->target, "in/data.csv");
	request->depth = 3;
	request->idle_ms = 5;
	request->life_ms = SESSION_LIFE_MS_MAX;
	request->memory_bytes = LIMIT_MEMORY_BYTES_MAX;
	if (verb == SESSION_WRITE) {
		request->fd = check_memfd("abc", 3);
		request->bytes = 3;
	}
}

static void encode(const struct session_request *request, struct frame *frame)
{
	struct wire_frame peeked;
	buf_init(&frame->bytes, SESSION_FRAME_BYTES_MAX + WIRE_HEADER_BYTES);
	assert_int_equal(session_request_encode(request, &frame->bytes, &frame->fd), 0);
	assert_int_equal(
		wire_peek(frame->bytes.data, frame->bytes.len, SESSION_FRAME_BYTES_MAX, &peeked),
		1);
	assert_int_equal(peeked.type, CHANNEL_SESSION);
	assert_int_equal(peeked.fds, frame->fd >= 0 ? 1 : 0);
	frame->fields = peeked.fields;
}

static int decode(struct span fields, int fd, struct session_request *got, struct err *err)
{
	int copy = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
	session_request_init(got);
	int rc = session_request_decode(fields, &copy, fd >= 0 ? 1 : 0, got, err);
	assert_int_equal(copy, -1);
	return rc;
}

/* Encodes, decodes, and says what came of it. */
static int carry(const struct session_request *sent, struct err *err)
{
	struct session_request got;
	struct frame frame;
	encode(sent, &frame);
	int rc = decode(frame.fields, frame.fd, &got, err);
	session_request_done(&got);
	buf_done(&frame.bytes);
	return rc;
}

static void requests_round_trip(void **state)
{
	(void)state;
	size_t before = check_fds();
	for (unsigned verb = SESSION_CLOSE; verb <= SESSION_MOVE; verb++) {
		struct session_request sent, got;
		struct frame frame;
		struct err err;
		char text[4] = "";
		fill(&sent, (enum session_verb)verb);
		encode(&sent, &frame);
		assert_int_equal(decode(frame.fields, frame.fd, &got, &err), 0);
		assert_int_equal(got.verb, verb);
		assert_string_equal(got.id, "session-1");
		assert_string_equal(got.path, "out/data.csv");
		assert_string_equal(got.target, "in/data.csv");
		assert_int_equal(got.depth, 3);
		assert_int_equal(got.idle_ms, 5);
		assert_int_equal(got.life_ms, SESSION_LIFE_MS_MAX);
		assert_int_equal(got.memory_bytes, LIMIT_MEMORY_BYTES_MAX);
		assert_int_equal(got.fd >= 0, verb == SESSION_WRITE);
		if (verb == SESSION_WRITE) {
			assert_int_equal(got.bytes, 3);
			assert_int_equal(pread(got.fd, text, 3, 0), 3);
			assert_string_equal(text, "abc");
		}
		session_request_done(&got);
		session_request_done(&got);
		session_request_done(NULL);
		session_request_done(&sent);
		buf_done(&frame.bytes);
	}
	assert_int_equal(check_fds(), before);
}

static void every_truncation_is_refused_and_closes(void **state)
{
	(void)state;
	struct session_request sent;
	struct frame frame;
	fill(&sent, SESSION_WRITE);
	encode(&sent, &frame);
	size_t before = check_fds();
	for (size_t n = 0; n < frame.fields.len; n++) {
		struct session_request got;
		struct err err = {0};
		int rc = decode(span_of(frame.fields.data, n), frame.fd, &got, &err);
		/* The size comes last: without it, a descriptor is one too many. */
		assert_int_equal(rc, -EBADMSG);
		assert_true(strlen(err.text) > 0);
		session_request_done(&got);
		assert_int_equal(check_fds(), before);
	}
	session_request_done(&sent);
	buf_done(&frame.bytes);
}

static void wrong_numbers_of_descriptors(void **state)
{
	(void)state;
	size_t before = check_fds();
	for (unsigned write = 0; write < 2; write++) {
		struct session_request sent;
		struct frame frame;
		fill(&sent, write ? SESSION_WRITE : SESSION_READ);
		encode(&sent, &frame);
		for (size_t count = 0; count < 4; count++) {
			struct session_request got;
			struct err err;
			int fds[4];
			for (size_t i = 0; i < count; i++)
				fds[i] = check_memfd("", 0);
			session_request_init(&got);
			assert_int_equal(
				session_request_decode(frame.fields, fds, count, &got, &err),
				count == write ? 0 : -EBADMSG);
			session_request_done(&got);
		}
		buf_done(&frame.bytes);
		session_request_done(&sent);
	}
	assert_int_equal(check_fds(), before);
}

static void requests_that_make_no_sense(void **state)
{
	(void)state;
	struct session_request request;
	struct err err = {0};

	fill(&request, SESSION_STATE);
	request.id[0] = 0;
	assert_int_equal(carry(&request, &err), -EBADMSG);
	(void)strcpy(request.id, "a/b");
	assert_int_equal(carry(&request, &err), -EBADMSG);
	fill(&request, (enum session_verb)0);
	assert_int_equal(carry(&request, &err), -EBADMSG);
	fill(&request, (enum session_verb)(SESSION_MOVE + 1));
	assert_int_equal(carry(&request, &err), -EBADMSG);

	fill(&request, SESSION_LIST);
	request.path[0] = 0;
	request.depth = LIMIT_ARTIFACT_DEPTH;
	assert_int_equal(carry(&request, &err), 0);
	request.depth++;
	assert_int_equal(carry(&request, &err), -EBADMSG);
	request.depth = 0;
	assert_int_equal(carry(&request, &err), -EINVAL);

	fill(&request, SESSION_READ);
	request.path[0] = 0;
	assert_int_equal(carry(&request, &err), -EINVAL);
	fill(&request, SESSION_MOVE);
	(void)strcpy(request.target, "../x");
	assert_int_equal(carry(&request, &err), -EINVAL);
	fill(&request, SESSION_EXTEND);
	request.idle_ms = SESSION_LIFE_MS_MAX + 1;
	assert_int_equal(carry(&request, &err), -EBADMSG);
	request.idle_ms = 0;
	request.path[0] = 0;
	assert_int_equal(carry(&request, &err), 0);

	fill(&request, SESSION_WRITE);
	request.bytes = LIMIT_WORK_BYTES_MAX;
	assert_int_equal(carry(&request, &err), 0);
	request.bytes++;
	assert_int_equal(carry(&request, &err), -EBADMSG);
	session_request_done(&request);
}

static void paths(void **state)
{
	(void)state;
	static const struct {
		const char *path;
		size_t bytes;
		const char *fault; /* NULL: allowed */
	} cases[] = {
		{"a", 1, NULL},
		{"a/b/c.txt", 9, NULL},
		{"...", 3, NULL},
		{".hidden/x", 9, NULL},
		{"a b\n\xff", 5, NULL},
		{part_255, 255, NULL},
		{"/a", 2, "empty part"},
		{"a/", 2, "empty part"},
		{"a//b", 4, "empty part"},
		{"/", 1, "empty part"},
		{".", 1, "'.'"},
		{"..", 2, "'..'"},
		{"a/../b", 6, "'..'"},
		{"a/.", 3, "'.'"},
		{"a\0b", 3, "NUL"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err = {0};
		int rc = session_path_check(cases[i].path, cases[i].bytes, false, &err);
		assert_int_equal(rc, cases[i].fault ? -EINVAL : 0);
		if (cases[i].fault)
			assert_non_null(strstr(err.text, cases[i].fault));
	}
	char large[SESSION_PATH_BYTES];
	for (size_t i = 0; i < sizeof(large); i++)
		large[i] = i % 2 ? '/' : 'x';
	struct err err = {0};
	assert_int_equal(session_path_check(large, SESSION_PATH_BYTES - 1, false, &err), 0);
	assert_int_equal(session_path_check(large, SESSION_PATH_BYTES, false, &err), -EINVAL);
	memset(large, 'x', sizeof(large));
	assert_int_equal(session_path_check(large, 256, false, &err), -EINVAL);
	assert_non_null(strstr(err.text, "256 bytes"));
	assert_int_equal(session_path_check("", 0, true, &err), 0);
	assert_int_equal(session_path_check("", 0, false, &err), -EINVAL);

	/* What code has made may have any name; what a caller makes may not. */
	assert_int_equal(session_path_check("a\nb", 3, false, &err), 0);
	assert_int_equal(session_new_path_check("d/a\nb", 5, &err), -EINVAL);
	assert_int_equal(session_new_path_check("d/\xff", 3, &err), -EINVAL);
	assert_int_equal(session_new_path_check("d/\xc3\xa9", 4, &err), 0);
}

static void fill_answer(struct session_answer *answer, bool has_fd)
{
	session_answer_init(answer);
	answer->err = (struct err){.code = -ENOENT, .stage = "session", .text = "no such file"};
	answer->status = (struct session_status){.state = SESSION_INTERRUPTED,
		.idle_left_ms = 600000,
		.life_left_ms = SESSION_LIFE_MS_MAX,
		.lost_why = "it ended"};
	answer->fd = has_fd ? check_memfd("xyz", 3) : -1;
	answer->bytes = has_fd ? 3 : 0;
	answer->room_bytes = 5 * MIB;
	answer->entries = calloc(2, sizeof(*answer->entries));
	assert_non_null(answer->entries);
	answer->entries[0] = (struct session_entry){
		.path = span_text("a/b"), .bytes = UINT64_MAX, .modified_ms = -5, .mode = 0100644};
	answer->entries[1] = (struct session_entry){.path = span_text("\xff\n"), .mode = 040755};
	answer->entry_count = 2;
	answer->more = true;
}

static void encode_answer(const struct session_answer *answer, struct frame *frame)
{
	struct wire_frame peeked;
	buf_init(&frame->bytes, SESSION_FRAME_BYTES_MAX + WIRE_HEADER_BYTES);
	assert_int_equal(session_answer_encode(answer, &frame->bytes, &frame->fd), 0);
	assert_int_equal(
		wire_peek(frame->bytes.data, frame->bytes.len, SESSION_FRAME_BYTES_MAX, &peeked),
		1);
	assert_int_equal(peeked.type, CHANNEL_SESSION_DONE);
	assert_int_equal(peeked.fds, frame->fd >= 0 ? 1 : 0);
	frame->fields = peeked.fields;
}

static int decode_answer(struct span fields, int fd, struct session_answer *got)
{
	int copy = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
	session_answer_init(got);
	int rc = session_answer_decode(fields, &copy, fd >= 0 ? 1 : 0, got);
	assert_int_equal(copy, -1);
	return rc;
}

static void answers_round_trip(void **state)
{
	(void)state;
	size_t before = check_fds();
	for (unsigned has_fd = 0; has_fd < 2; has_fd++) {
		struct session_answer sent, got;
		struct frame frame;
		fill_answer(&sent, has_fd);
		encode_answer(&sent, &frame);
		assert_int_equal(decode_answer(frame.fields, frame.fd, &got), 0);
		buf_done(&frame.bytes); /* nothing points into the frame any more */
		assert_memory_equal(&got.err, &sent.err, sizeof(got.err));
		assert_memory_equal(&got.status, &sent.status, sizeof(got.status));
		assert_int_equal(got.fd >= 0, has_fd);
		assert_int_equal(got.bytes, sent.bytes);
		assert_int_equal(got.room_bytes, 5 * MIB);
		assert_int_equal(got.entry_count, 2);
		assert_bytes(got.entries[0].path.data, got.entries[0].path.len, "a/b");
		assert_true(got.entries[0].bytes == UINT64_MAX);
		assert_int_equal(got.entries[0].modified_ms, -5);
		assert_int_equal(got.entries[0].mode, 0100644);
		assert_bytes(got.entries[1].path.data, got.entries[1].path.len, "\xff\n");
		assert_true(got.more);
		session_answer_done(&got);
		session_answer_done(&got);
		session_answer_done(NULL);
		session_answer_done(&sent);
	}
	assert_int_equal(check_fds(), before);
}

static void answers_cut_or_beyond_their_caps(void **state)
{
	(void)state;
	struct session_answer sent, got;
	struct frame frame;
	fill_answer(&sent, true);
	encode_answer(&sent, &frame);
	size_t before = check_fds();
	for (size_t n = 0; n < frame.fields.len; n++) {
		assert_int_equal(
			decode_answer(span_of(frame.fields.data, n), frame.fd, &got), -EBADMSG);
		session_answer_done(&got);
		assert_int_equal(check_fds(), before);
	}
	assert_int_equal(decode_answer(frame.fields, -1, &got), -EBADMSG);
	session_answer_done(&got);
	buf_done(&frame.bytes);
	(void)strcpy(sent.status.lost_why, "line\nfeed");
	encode_answer(&sent, &frame);
	assert_int_equal(decode_answer(frame.fields, frame.fd, &got), -EBADMSG);
	session_answer_done(&got);
	buf_done(&frame.bytes);
	session_answer_done(&sent);

	session_answer_init(&sent);
	sent.entries = calloc(SESSION_ENTRIES_MAX + 1, sizeof(*sent.entries));
	assert_non_null(sent.entries);
	for (unsigned over = 0; over < 2; over++) {
		sent.entry_count = SESSION_ENTRIES_MAX + over;
		encode_answer(&sent, &frame);
		assert_int_equal(decode_answer(frame.fields, frame.fd, &got), over ? -EBADMSG : 0);
		session_answer_done(&got);
		buf_done(&frame.bytes);
	}
	session_answer_done(&sent);
}

static void frames_that_do_not_fit_say_so(void **state)
{
	(void)state;
	struct session_request request;
	struct session_answer answer;
	struct frame asked, answered;
	fill(&request, SESSION_WRITE);
	encode(&request, &asked);
	fill_answer(&answer, true);
	encode_answer(&answer, &answered);
	for (size_t cap = 0; cap < asked.bytes.len || cap < answered.bytes.len; cap++) {
		struct buf out;
		int fd = 77;
		buf_init(&out, cap);
		if (cap < asked.bytes.len)
			assert_int_equal(session_request_encode(&request, &out, &fd), -ENOSPC);
		out.len = 0;
		if (cap < answered.bytes.len)
			assert_int_equal(session_answer_encode(&answer, &out, &fd), -ENOSPC);
		assert_int_equal(fd, 77);
		buf_done(&out);
	}
	buf_done(&asked.bytes);
	buf_done(&answered.bytes);
	session_request_done(&request);
	session_answer_done(&answer);
}

static void no_memory_closes_and_frees(void **state)
{
	(void)state;
	ALLOC_FAIL_OR_SKIP();
	struct session_answer sent;
	struct frame frame;
	fill_answer(&sent, true);
	encode_answer(&sent, &frame);
	size_t before = check_fds();
	size_t n = 0;
	for (bool failed = true; failed; n++) {
		struct session_answer got;
		long live = alloc_live;
		alloc_fail_at(n);
		int rc = decode_answer(frame.fields, frame.fd, &got);
		failed = alloc_fail_end();
		assert_int_equal(rc, failed ? -ENOMEM : 0);
		session_answer_done(&got);
		assert_int_equal(alloc_live, live);
		assert_int_equal(check_fds(), before);
	}
	assert_int_equal(n, 3);
	buf_done(&frame.bytes);
	session_answer_done(&sent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_round_trip),
		cmocka_unit_test(every_truncation_is_refused_and_closes),
		cmocka_unit_test(wrong_numbers_of_descriptors),
		cmocka_unit_test(requests_that_make_no_sense),
		cmocka_unit_test(paths),
		cmocka_unit_test(answers_round_trip),
		cmocka_unit_test(answers_cut_or_beyond_their_caps),
		cmocka_unit_test(frames_that_do_not_fit_say_so),
		cmocka_unit_test(no_memory_closes_and_frees),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

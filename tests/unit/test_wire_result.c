/* result: what the service says, to the byte, and descriptors closed on every way out. */
#include "sample_result.h"

#include "alloc_fail.h"

struct frame {
	struct buf bytes;
	struct span fields;
	int fds[FD_MESSAGE_MAX]; /* the result's own */
	size_t fd_count;
};

static void encode(const struct job_result *result, struct frame *frame)
{
	struct wire_frame peeked;
	buf_init(&frame->bytes, RESULT_FRAME_BYTES_MAX + WIRE_HEADER_BYTES);
	assert_int_equal(job_result_encode(result, &frame->bytes, frame->fds, &frame->fd_count), 0);
	assert_int_equal(
		wire_peek(frame->bytes.data, frame->bytes.len, RESULT_FRAME_BYTES_MAX, &peeked), 1);
	assert_int_equal(peeked.type, CHANNEL_RESULT);
	assert_int_equal(peeked.fds, frame->fd_count);
	frame->fields = peeked.fields;
}

static void copy_fds(const struct frame *frame, int *fds)
{
	for (size_t i = 0; i < frame->fd_count; i++) {
		fds[i] = fcntl(frame->fds[i], F_DUPFD_CLOEXEC, 0);
		assert_true(fds[i] >= 0);
	}
}

static void same_span(struct span a, struct span b)
{
	assert_int_equal(a.len, b.len);
	if (a.len)
		assert_memory_equal(a.data, b.data, a.len);
}

static void same_lists(const struct job_result *got, const struct job_result *sent)
{
	assert_int_equal(got->item_count, sent->item_count);
	for (size_t i = 0; i < got->item_count; i++) {
		assert_int_equal(got->items[i].kind, sent->items[i].kind);
		same_span(got->items[i].payload, sent->items[i].payload);
		assert_int_equal(got->items[i].fd >= 0, sent->items[i].fd >= 0);
		assert_int_equal(got->items[i].bytes, sent->items[i].bytes);
	}
	assert_int_equal(got->artifact_count, sent->artifact_count);
	for (size_t i = 0; i < got->artifact_count; i++) {
		same_span(got->artifacts[i].name, sent->artifacts[i].name);
		assert_int_equal(got->artifacts[i].bytes, sent->artifacts[i].bytes);
	}
	assert_int_equal(got->skipped_count, sent->skipped_count);
	same_span(got->skipped[0].name, sent->skipped[0].name);
	same_span(got->skipped[0].why, sent->skipped[0].why);
}

static void round_trip(void **state)
{
	(void)state;
	size_t before = check_fds();
	struct job_result sent, got;
	struct frame frame;
	int fds[FD_MESSAGE_MAX];
	char text[9] = "";
	sample_full(&sent);
	encode(&sent, &frame);
	copy_fds(&frame, fds);
	job_result_init(&got);
	assert_int_equal(job_result_decode(frame.fields, fds, frame.fd_count, &got), 0);
	assert_int_equal(got.outcome, OUTCOME_ERROR);
	assert_int_equal(got.exit_code, 1);
	assert_int_equal(got.signal, 11);
	assert_int_equal(got.syscall, 101);
	assert_int_equal(got.syscall_arch, 0xc000003e);
	assert_int_equal(got.limit_hit, 512 * MIB);
	same_span(got.out.head, sent.out.head);
	same_span(got.out.tail, sent.out.tail);
	assert_int_equal(got.out.bytes, 1000);
	same_span(got.err.head, sent.err.head);
	same_lists(&got, &sent);
	assert_int_equal(pread(got.artifacts[0].fd, text, 8, 0), 8);
	assert_string_equal(text, "a,b\n1,2\n");
	assert_memory_equal(&got.usage, &sent.usage, sizeof(got.usage));
	assert_memory_equal(&got.stages, &sent.stages, sizeof(got.stages));
	assert_memory_equal(&got.limits, &sent.limits, sizeof(got.limits));
	assert_memory_equal(&got.receipt, &sent.receipt, sizeof(got.receipt));
	assert_memory_equal(&got.session, &sent.session, sizeof(got.session));
	assert_memory_equal(&got.fault, &sent.fault, sizeof(got.fault));
	buf_done(&frame.bytes); /* nothing points into the frame any more */
	assert_memory_equal(got.out.head.data, "head", 4);
	job_result_done(&got);
	job_result_done(&got);
	job_result_done(NULL);
	job_result_done(&sent);
	assert_int_equal(check_fds(), before);
}

static void absent_figures_stay_absent(void **state)
{
	(void)state;
	struct job_result sent, got;
	struct frame frame;
	job_result_init(&sent);
	sent.outcome = OUTCOME_OK;
	encode(&sent, &frame);
	job_result_init(&got);
	assert_int_equal(job_result_decode(frame.fields, NULL, 0, &got), 0);
	assert_int_equal(got.exit_code, -1);
	assert_int_equal(got.syscall, -1);
	assert_int_equal(got.signal, 0);
	assert_false(got.receipt.present);
	assert_int_equal(got.session.state, SESSION_ALONE);
	assert_int_equal(got.fault.code, 0);
	job_result_done(&got);
	job_result_done(&sent);
	buf_done(&frame.bytes);
}

static void every_truncation_is_refused_and_closes(void **state)
{
	(void)state;
	struct job_result sent;
	struct frame frame;
	sample_full(&sent);
	encode(&sent, &frame);
	size_t before = check_fds();
	size_t accepted = 0;
	for (size_t n = 0; n < frame.fields.len; n++) {
		struct job_result got;
		int fds[FD_MESSAGE_MAX];
		copy_fds(&frame, fds);
		job_result_init(&got);
		int rc =
			job_result_decode(span_of(frame.fields.data, n), fds, frame.fd_count, &got);
		/* Only a cut behind the last descriptor, between two fields, still adds up. */
		assert_true(rc == 0 || rc == -EBADMSG);
		accepted += rc == 0;
		job_result_done(&got);
		assert_int_equal(check_fds(), before);
	}
	assert_true(accepted < 45);
	job_result_done(&sent);
	buf_done(&frame.bytes);
}

static void wrong_numbers_of_descriptors(void **state)
{
	(void)state;
	struct job_result sent;
	struct frame frame;
	sample_full(&sent);
	encode(&sent, &frame);
	size_t before = check_fds();
	for (size_t count = 0; count < frame.fd_count + 3; count++) {
		struct job_result got;
		int fds[FD_MESSAGE_MAX];
		for (size_t i = 0; i < count; i++)
			fds[i] = check_memfd("", 0);
		job_result_init(&got);
		assert_int_equal(job_result_decode(frame.fields, fds, count, &got),
			count == frame.fd_count ? 0 : -EBADMSG);
		job_result_done(&got);
		assert_int_equal(check_fds(), before);
	}
	job_result_done(&sent);
	buf_done(&frame.bytes);
}

/* Encodes, decodes, and says what came of it. */
static int carry(const struct job_result *sent)
{
	struct frame frame;
	struct job_result got;
	int fds[FD_MESSAGE_MAX];
	encode(sent, &frame);
	copy_fds(&frame, fds);
	job_result_init(&got);
	int rc = job_result_decode(frame.fields, fds, frame.fd_count, &got);
	job_result_done(&got);
	buf_done(&frame.bytes);
	return rc;
}

static void lists_at_and_beyond_their_caps(void **state)
{
	(void)state;
	size_t before = check_fds();
	struct job_result result;
	sample_begin(&result, OUTCOME_OK);
	for (unsigned i = 0; i < LIMIT_ARTIFACTS; i++)
		sample_artifact(&result, span_text("f"), "", 0);
	assert_int_equal(carry(&result), 0);
	result.artifacts[0].bytes = 64 * MIB;
	assert_int_equal(carry(&result), 0);
	result.artifacts[1].bytes = 1;
	assert_int_equal(carry(&result), -EBADMSG);
	result.artifacts[1].bytes = 0;
	result.artifacts =
		reallocarray(result.artifacts, LIMIT_ARTIFACTS + 1, sizeof(*result.artifacts));
	sample_artifact(&result, span_text("f"), "", 0);
	assert_int_equal(carry(&result), -EBADMSG);
	job_result_done(&result);

	sample_begin(&result, OUTCOME_OK);
	for (unsigned i = 0; i < RESULT_ITEMS_MAX; i++)
		sample_item(&result, ITEM_NOTE, "n");
	assert_int_equal(carry(&result), 0);
	result.items = reallocarray(result.items, RESULT_ITEMS_MAX + 1, sizeof(*result.items));
	sample_item(&result, ITEM_NOTE, "n");
	assert_int_equal(carry(&result), -EBADMSG);
	job_result_done(&result);

	sample_begin(&result, OUTCOME_OK);
	for (unsigned i = 0; i < RESULT_SKIPPED_MAX; i++)
		sample_skipped(&result, "s", "w");
	assert_int_equal(carry(&result), 0);
	result.skipped =
		reallocarray(result.skipped, RESULT_SKIPPED_MAX + 1, sizeof(*result.skipped));
	sample_skipped(&result, "s", "w");
	assert_int_equal(carry(&result), -EBADMSG);
	job_result_done(&result);
	assert_int_equal(check_fds(), before);
}

static void sizes_at_and_beyond_their_caps(void **state)
{
	(void)state;
	static char large[RESULT_PATH_BYTES_MAX + LIMIT_TEXT_HEAD_BYTES + 2];
	memset(large, 'x', sizeof(large));
	struct job_result result;
	sample_begin(&result, OUTCOME_OK);
	sample_artifact(&result, span_of(large, RESULT_PATH_BYTES_MAX), "", 0);
	assert_int_equal(carry(&result), 0);
	result.artifacts[0].name.len++;
	assert_int_equal(carry(&result), -EBADMSG);
	result.artifacts[0].name = span_of("", 0);
	assert_int_equal(carry(&result), -EBADMSG);
	result.artifacts[0].name = span_of("a\0b", 3);
	assert_int_equal(carry(&result), -EBADMSG);
	result.artifacts[0].name = span_text("ok");

	result.out = (struct job_output){.head = span_of(large, LIMIT_TEXT_HEAD_BYTES),
		.tail = span_of(large, LIMIT_TEXT_TAIL_BYTES),
		.bytes = LIMIT_TEXT_BYTES};
	assert_int_equal(carry(&result), 0);
	result.out.bytes--;
	assert_int_equal(carry(&result), -EBADMSG);
	result.out.bytes = UINT64_MAX;
	assert_int_equal(carry(&result), 0);
	result.out.head.len++;
	assert_int_equal(carry(&result), -EBADMSG);
	result.out.head.len--;
	result.out.tail.len++;
	assert_int_equal(carry(&result), -EBADMSG);
	result.out = (struct job_output){0};

	sample_chart(&result, "{}", "", 0);
	result.items[0].bytes = LIMIT_CHART_BYTES;
	assert_int_equal(carry(&result), 0);
	result.items[0].bytes++;
	assert_int_equal(carry(&result), -EBADMSG);
	job_result_done(&result);
}

static void figures_out_of_range(void **state)
{
	(void)state;
	struct job_result result;
	sample_begin(&result, OUTCOME_OK);
	assert_int_equal(carry(&result), 0);
	result.outcome = OUTCOME_REJECTED; /* never the service's word */
	assert_int_equal(carry(&result), -EBADMSG);
	result.outcome = OUTCOME_COUNT;
	assert_int_equal(carry(&result), -EBADMSG);
	result.outcome = OUTCOME_OK;
	result.exit_code = 255;
	assert_int_equal(carry(&result), 0);
	result.exit_code = 256;
	assert_int_equal(carry(&result), -EBADMSG);
	result.exit_code = 0;
	result.signal = 65;
	assert_int_equal(carry(&result), -EBADMSG);
	result.signal = 0;
	sample_item(&result, (enum item_kind)0, "");
	assert_int_equal(carry(&result), -EBADMSG);
	result.items[0].kind = (enum item_kind)7;
	assert_int_equal(carry(&result), -EBADMSG);
	job_result_done(&result);

	struct job_result got;
	job_result_init(&got);
	assert_int_equal(job_result_decode(span_of(NULL, 0), NULL, 0, &got), -EBADMSG);
	job_result_done(&got);
}

static void too_many_descriptors_for_one_message(void **state)
{
	(void)state;
	struct job_result result;
	struct buf out;
	int fds[FD_MESSAGE_MAX];
	size_t count;
	sample_begin(&result, OUTCOME_OK);
	for (unsigned i = 0; i < FD_MESSAGE_MAX; i++)
		sample_chart(&result, "{}", "", 0);
	buf_init(&out, RESULT_FRAME_BYTES_MAX);
	assert_int_equal(job_result_encode(&result, &out, fds, &count), 0);
	assert_int_equal(count, FD_MESSAGE_MAX);
	sample_chart(&result, "{}", "", 0);
	assert_int_equal(job_result_encode(&result, &out, fds, &count), -E2BIG);
	buf_done(&out);
	job_result_done(&result);
}

static void a_frame_that_does_not_fit_says_so(void **state)
{
	(void)state;
	struct job_result result;
	struct frame frame;
	sample_full(&result);
	encode(&result, &frame);
	for (size_t cap = 0; cap < frame.bytes.len; cap++) {
		struct buf out;
		int fds[FD_MESSAGE_MAX];
		size_t count = 77;
		buf_init(&out, cap);
		assert_int_equal(job_result_encode(&result, &out, fds, &count), -ENOSPC);
		assert_int_equal(count, 77);
		buf_done(&out);
	}
	buf_done(&frame.bytes);
	job_result_done(&result);
}

static void no_memory_closes_and_frees(void **state)
{
	(void)state;
	ALLOC_FAIL_OR_SKIP();
	struct job_result sent;
	struct frame frame;
	sample_full(&sent);
	encode(&sent, &frame);
	size_t before = check_fds();
	size_t n = 0;
	for (bool failed = true; failed; n++) {
		struct job_result got;
		int fds[FD_MESSAGE_MAX];
		copy_fds(&frame, fds);
		long live = alloc_live;
		job_result_init(&got);
		alloc_fail_at(n);
		int rc = job_result_decode(frame.fields, fds, frame.fd_count, &got);
		failed = alloc_fail_end();
		assert_int_equal(rc, failed ? -ENOMEM : 0);
		job_result_done(&got);
		assert_int_equal(alloc_live, live);
		assert_int_equal(check_fds(), before);
	}
	assert_int_equal(n, 5);
	buf_done(&frame.bytes);
	job_result_done(&sent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(absent_figures_stay_absent),
		cmocka_unit_test(every_truncation_is_refused_and_closes),
		cmocka_unit_test(wrong_numbers_of_descriptors),
		cmocka_unit_test(lists_at_and_beyond_their_caps),
		cmocka_unit_test(sizes_at_and_beyond_their_caps),
		cmocka_unit_test(figures_out_of_range),
		cmocka_unit_test(too_many_descriptors_for_one_message),
		cmocka_unit_test(a_frame_that_does_not_fit_says_so),
		cmocka_unit_test(no_memory_closes_and_frees),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* cell_stream and cell_client: results in pieces, services that misbehave, cancelling. */
#include "fake_service.h"

#include "tool/cell_client.h"
#include "tool/cell_stream.h"

#include <signal.h>

struct script {
	struct buf bytes;
	int fds[FD_MESSAGE_MAX];
	size_t fd_count;
	struct job_result result;
};

static void add_output(struct buf *out, enum channel_type type, const char *text)
{
	size_t mark;
	assert_int_equal(wire_begin(out, (uint16_t)type, &mark), 0);
	assert_int_equal(wire_add_text(out, CHANNEL_TAG_DATA, text), 0);
	assert_int_equal(wire_end(out, mark, 0), 0);
}

static void make_script(struct script *script)
{
	buf_init(&script->bytes, RESULT_FRAME_BYTES_MAX);
	add_output(&script->bytes, CHANNEL_STDOUT, "one");
	add_output(&script->bytes, CHANNEL_STDERR, "two");
	sample_full(&script->result);
	assert_int_equal(
		job_result_encode(&script->result, &script->bytes, script->fds, &script->fd_count),
		0);
}

/* Whatever the size of the pieces, and wherever the descriptors come, the same events. */
static void events_from_pieces(void **state)
{
	(void)state;
	struct script script;
	make_script(&script);
	size_t before = check_fds();
	for (size_t piece = 1; piece < script.bytes.len + 1; piece += piece < 40 ? 1 : 61) {
		struct cell_stream stream;
		struct cell_event event;
		size_t seen = 0;
		cell_stream_init(&stream);
		for (size_t at = 0; at < script.bytes.len; at += piece) {
			int fds[FD_MESSAGE_MAX], rc;
			size_t left = script.bytes.len - at, count = at ? 0 : script.fd_count;
			for (size_t i = 0; i < count; i++)
				fds[i] = fcntl(script.fds[i], F_DUPFD_CLOEXEC, 0);
			assert_int_equal(cell_stream_feed(&stream,
						 span_of(script.bytes.data + at,
							 left < piece ? left : piece),
						 fds, count),
				0);
			while ((rc = cell_stream_next(&stream, &event)) > 0) {
				assert_int_equal(event.type, seen);
				if (seen < 2)
					assert_true(span_is(event.data, seen ? "two" : "one"));
				seen++;
			}
			assert_int_equal(rc, 0);
		}
		assert_int_equal(seen, 3);
		assert_int_equal(stream.result.artifact_count, 2);
		cell_stream_done(&stream);
		assert_int_equal(check_fds(), before);
	}
	job_result_done(&script.result);
	buf_done(&script.bytes);
}

static int feed_one(const void *data, size_t bytes)
{
	struct cell_stream stream;
	struct cell_event event;
	cell_stream_init(&stream);
	int rc = cell_stream_feed(&stream, span_of(data, bytes), NULL, 0);
	while (!rc && (rc = cell_stream_next(&stream, &event)) > 0)
		rc = 0;
	cell_stream_done(&stream);
	return rc;
}

static void frames_that_do_not_belong(void **state)
{
	(void)state;
	static const unsigned char job[8] = {0, 0, 0, 0, CHANNEL_JOB};
	static const unsigned char odd[8] = {0, 0, 0, 0, 77};
	static const unsigned char huge[8] = {0xff, 0xff, 0xff, 0xff, CHANNEL_RESULT};
	static const unsigned char empty[8] = {0, 0, 0, 0, CHANNEL_STDOUT};
	static const unsigned char with_fd[16] = {8, 0, 0, 0, CHANNEL_STDOUT, 0, 1, 0, 1};
	static const unsigned char no_fd[8] = {0, 0, 0, 0, CHANNEL_RESULT, 0, 1, 0};
	static const unsigned char part[8] = {9, 0, 0, 0, CHANNEL_STDOUT};
	assert_int_equal(feed_one(job, 8), -EBADMSG);
	assert_int_equal(feed_one(odd, 8), -EBADMSG);
	assert_int_equal(feed_one(huge, 8), -EMSGSIZE);
	assert_int_equal(feed_one(empty, 8), -EBADMSG);
	assert_int_equal(feed_one(with_fd, 16), -EBADMSG);
	assert_int_equal(feed_one(no_fd, 8), -EBADMSG);
	assert_int_equal(feed_one(part, 8), 0);
}

static void nothing_follows_the_result(void **state)
{
	(void)state;
	struct script script;
	struct job_result plain;
	struct buf twice;
	int fds[FD_MESSAGE_MAX];
	size_t count;
	make_script(&script);
	sample_begin(&plain, OUTCOME_OK);
	buf_init(&twice, MIB);
	assert_int_equal(job_result_encode(&plain, &twice, fds, &count), 0);
	assert_int_equal(feed_one(twice.data, twice.len), 0);
	assert_int_equal(job_result_encode(&plain, &twice, fds, &count), 0);
	assert_int_equal(feed_one(twice.data, twice.len), -EBADMSG);
	buf_done(&twice);
	job_result_done(&plain);
	job_result_done(&script.result);
	buf_done(&script.bytes);
}

static void a_flood_of_descriptors(void **state)
{
	(void)state;
	size_t before = check_fds();
	struct cell_stream stream;
	int fd, rc = 0;
	cell_stream_init(&stream);
	for (size_t i = 0; i < FD_MESSAGE_MAX + 1; i++) {
		assert_int_equal(rc, 0);
		fd = check_memfd("", 0);
		rc = cell_stream_feed(&stream, span_of("", 0), &fd, 1);
	}
	assert_int_equal(rc, -EMSGSIZE);
	cell_stream_done(&stream);
	assert_int_equal(check_fds(), before);
}

struct heard {
	char text[4096];
	size_t bytes;
	int fail_with;
	volatile sig_atomic_t *interrupts; /* set by output, as a signal would */
};

static int hear(void *user, bool is_stderr, struct span data)
{
	struct heard *heard = user;
	assert_true(heard->bytes + data.len + 1 < sizeof(heard->text));
	heard->text[heard->bytes++] = is_stderr ? 'E' : 'O';
	memcpy(heard->text + heard->bytes, data.data, data.len);
	heard->bytes += data.len;
	if (heard->interrupts)
		*heard->interrupts += 1;
	return heard->fail_with;
}

static void make_spec(struct job_spec *spec, size_t code_bytes)
{
	struct err err;
	static const unsigned char sha256[32];
	job_spec_init(spec);
	(void)strcpy(spec->id, "j1");
	unsigned char *room = buf_reserve(&spec->code, code_bytes);
	assert_non_null(room);
	memset(room, 'c', code_bytes);
	spec->code.len = code_bytes;
	for (unsigned i = 0; i < LIMIT_INPUTS; i++) {
		char name[16];
		(void)snprintf(name, sizeof(name), "f%u", i);
		assert_int_equal(
			job_spec_add_input(spec, name, 1, sha256, check_memfd("x", 1), &err), 0);
	}
}

static int run_against(void (*play)(struct fake *), struct heard *heard, struct job_result *result,
	struct err *err)
{
	static volatile sig_atomic_t interrupts;
	struct job_spec spec;
	int channel_fd;
	interrupts = 0;
	if (heard->interrupts)
		heard->interrupts = &interrupts;
	struct cell_client client = {.output = hear, .user = heard, .interrupts = &interrupts};
	make_spec(&spec, LIMIT_CODE_BYTES);
	pid_t pid = fake_start(play, &channel_fd);
	job_result_init(result);
	int rc = cell_client_run(&client, channel_fd, &spec, result, err);
	fake_end(pid, &channel_fd);
	job_spec_done(&spec);
	return rc;
}

static void play_all(struct fake *fake)
{
	struct job_result result;
	fake_require(fake->spec.code.len == LIMIT_CODE_BYTES);
	fake_require(fake->spec.input_count == LIMIT_INPUTS);
	fake_require(strcmp(fake->spec.id, "j1") == 0);
	fake_print(fake, "hello ");
	fake_say(fake, CHANNEL_STDERR, "oops", 4);
	fake_say(fake, CHANNEL_STDOUT, "", 0);
	sample_full(&result);
	fake_answer(fake, &result);
}

static void the_largest_request_gets_its_answer(void **state)
{
	(void)state;
	size_t before = check_fds();
	struct heard heard = {.bytes = 0};
	struct job_result result;
	struct err err;
	assert_int_equal(run_against(play_all, &heard, &result, &err), 0);
	assert_bytes(heard.text, heard.bytes, "Ohello EoopsO");
	assert_int_equal(result.outcome, OUTCOME_ERROR);
	assert_int_equal(result.artifact_count, 2);
	assert_true(result.artifacts[0].fd >= 0);
	job_result_done(&result);
	assert_int_equal(check_fds(), before);
}

static void play_away(struct fake *fake)
{
	fake_print(fake, "last words");
	(void)close(fake->fd);
}

static void a_service_that_goes_away(void **state)
{
	(void)state;
	struct heard heard = {.bytes = 0};
	struct job_result result;
	struct err err;
	assert_int_equal(run_against(play_away, &heard, &result, &err), -ECONNRESET);
	assert_bytes(heard.text, heard.bytes, "Olast words");
	assert_non_null(strstr(err.text, "went away"));
	assert_non_null(strstr(err.text, "run it again"));
	job_result_done(&result);
}

static void play_nonsense(struct fake *fake)
{
	struct buf out;
	buf_init(&out, 100);
	fake_require(buf_add(&out, "HTTP/1.1 200 OK\r\n\r\n", 19) == 0);
	fake_send(fake, &out, NULL, 0);
}

static void a_service_that_is_none(void **state)
{
	(void)state;
	struct heard heard = {.bytes = 0};
	struct job_result result;
	struct err err;
	assert_int_equal(run_against(play_nonsense, &heard, &result, &err), -EMSGSIZE);
	assert_non_null(strstr(err.text, "of one version"));
	job_result_done(&result);
}

static void play_until_cancelled(struct fake *fake)
{
	fake_print(fake, "going");
	fake_take_cancel(fake);
	fake_answer_outcome(fake, OUTCOME_CANCELLED, -1);
}

static void an_interrupt_cancels_and_waits(void **state)
{
	(void)state;
	volatile sig_atomic_t any;
	struct heard heard = {.interrupts = &any};
	struct job_result result;
	struct err err;
	assert_int_equal(run_against(play_until_cancelled, &heard, &result, &err), 0);
	assert_int_equal(result.outcome, OUTCOME_CANCELLED);
	job_result_done(&result);
}

static void play_deaf(struct fake *fake)
{
	char byte;
	fake_print(fake, "one");
	fake_take_cancel(fake);
	fake_print(fake, "two");
	/* Until the client closes. */
	while (read(fake->fd, &byte, 1) > 0)
		;
}

static void a_second_interrupt_gives_up(void **state)
{
	(void)state;
	volatile sig_atomic_t any;
	struct heard heard = {.interrupts = &any};
	struct job_result result;
	struct err err;
	assert_int_equal(run_against(play_deaf, &heard, &result, &err), -EINTR);
	assert_bytes(heard.text, heard.bytes, "OoneOtwo");
	job_result_done(&result);
}

static void play_printing(struct fake *fake)
{
	char byte;
	fake_print(fake, "x");
	while (read(fake->fd, &byte, 1) > 0)
		;
}

static void output_that_cannot_be_written_ends_the_call(void **state)
{
	(void)state;
	struct heard heard = {.fail_with = -ENOSPC};
	struct job_result result;
	struct err err;
	assert_int_equal(run_against(play_printing, &heard, &result, &err), -ENOSPC);
	job_result_done(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_from_pieces),
		cmocka_unit_test(frames_that_do_not_belong),
		cmocka_unit_test(nothing_follows_the_result),
		cmocka_unit_test(a_flood_of_descriptors),
		cmocka_unit_test(the_largest_request_gets_its_answer),
		cmocka_unit_test(a_service_that_goes_away),
		cmocka_unit_test(a_service_that_is_none),
		cmocka_unit_test(an_interrupt_cancels_and_waits),
		cmocka_unit_test(a_second_interrupt_gives_up),
		cmocka_unit_test(output_that_cannot_be_written_ends_the_call),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * worker: frames in, frames out, in order, whatever is in them; and only calc's own verdicts.
 */
#include "check.h"

#include "base/fd.h"
#include "calc/calc.h"
#include "calc/seal.h"
#include "calc/worker.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

struct session {
	pid_t pid;
	int fd;
};

static struct session start(void)
{
	int pair[2];
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	struct session session = {.pid = fork(), .fd = pair[0]};
	assert_true(session.pid >= 0);
	if (!session.pid) {
		const char *stage;
		int rc = calc_worker_run(pair[1], pair[1], &stage);
		calc_leave(rc ? (stage ? 99 : -rc) : 0);
	}
	(void)close(pair[1]);
	return session;
}

static int finish(struct session *session)
{
	int status;
	(void)close(session->fd);
	assert_int_equal(waitpid(session->pid, &status, 0), session->pid);
	return status;
}

static size_t put_frame(unsigned char *at, const char *text, size_t bytes)
{
	for (int i = 0; i < 4; i++)
		at[i] = (unsigned char)(bytes >> 8 * i);
	memcpy(at + 4, text, bytes);
	return bytes + 4;
}

static void ask_bytes(const struct session *session, const char *text, size_t bytes)
{
	unsigned char *frame = malloc(bytes + 4);
	assert_non_null(frame);
	assert_int_equal(fd_write_all(session->fd, frame, put_frame(frame, text, bytes)), 0);
	free(frame);
}

static const char *hear(const struct session *session)
{
	static char answer[CALC_ANSWER_MAX + 1];
	unsigned char head[4];
	assert_int_equal(fd_read_all(session->fd, head, 4), 0);
	size_t bytes =
		head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
	assert_true(bytes > 0 && bytes < CALC_ANSWER_MAX);
	assert_int_equal(fd_read_all(session->fd, answer, bytes), 0);
	answer[bytes] = '\0';
	return answer;
}

static void answers(const struct session *session, const char *expression, const char *begins)
{
	ask_bytes(session, expression, strlen(expression));
	const char *answer = hear(session);
	if (strncmp(answer, begins, strlen(begins)) != 0)
		print_error("%s\n", answer);
	assert_int_equal(strncmp(answer, begins, strlen(begins)), 0);
}

static void one_after_another(void **state)
{
	(void)state;
	struct session session = start();
	answers(&session, "0.1 + 0.2",
		"{\"value\": 0.30000000000000004, \"text\": \"0.30000000000000004 (exactly 0.3)\", "
		"\"exact\": \"0.3\"}");
	answers(&session, "9**9**9",
		"{\"error\": {\"type\": \"OverflowError\", \"message\": \"result "
		"too large\"");
	answers(&session, "1 + 1", "{\"value\": 2.0, ");
	answers(&session, "().__class__", "{\"error\": {\"type\": \"ForbiddenNode\"");
	answers(&session, "", "{\"error\": {\"type\": \"SyntaxError\"");
	answers(&session, "1.1**1000", "{\"value\": 2.4699329180060256e+41, ");
	answers(&session, "6*7", "{\"value\": 42.0, ");
	int status = finish(&session);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* Beside the one who hears: neither side may wait for the other to read. */
static pid_t write_beside(int fd, const unsigned char *batch, size_t bytes, size_t piece)
{
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		int rc = 0;
		for (size_t at = 0; !rc && at < bytes; at += piece)
			rc = fd_write_all(fd, batch + at, bytes - at < piece ? bytes - at : piece);
		calc_leave(rc ? 1 : 0);
	}
	return pid;
}

/* Many requests in one write, cut at every place; the answers come in order. */
static void many_at_once(void **state)
{
	(void)state;
	enum { REQUESTS = 500 };
	static unsigned char batch[REQUESTS * 32];
	size_t bytes = 0;
	for (int i = 0; i < REQUESTS; i++) {
		char expression[24];
		int length = snprintf(expression, sizeof(expression), "%d + 0", i);
		bytes += put_frame(batch + bytes, expression, (size_t)length);
	}
	for (size_t piece = 1; piece <= bytes; piece = piece * 3 + 1) {
		struct session session = start();
		pid_t writer = write_beside(session.fd, batch, bytes, piece);
		for (int i = 0; i < REQUESTS; i++) {
			char wanted[64];
			(void)snprintf(wanted, sizeof(wanted), "{\"value\": %d.0, ", i);
			assert_int_equal(strncmp(hear(&session), wanted, strlen(wanted)), 0);
		}
		int status;
		assert_int_equal(waitpid(writer, &status, 0), writer);
		assert_int_equal(status, 0);
		status = finish(&session);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
}

static void too_long_is_answered(void **state)
{
	(void)state;
	static const size_t sizes[] = {
		CALC_SOURCE_MAX, CALC_SOURCE_MAX + 1, 100000, CALC_REQUEST_MAX};
	struct session session = start();
	char *text = malloc(CALC_REQUEST_MAX);
	assert_non_null(text);
	memset(text, '1', CALC_REQUEST_MAX);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		ask_bytes(&session, text, sizes[i]);
		const char *type = sizes[i] > CALC_SOURCE_MAX ? "LimitError" : "OverflowError";
		assert_non_null(strstr(hear(&session), type));
		answers(&session, "1 + 1", "{\"value\": 2.0, ");
	}
	free(text);
	assert_int_equal(finish(&session), 0);
}

static int status_after(const void *bytes, size_t count)
{
	struct session session = start();
	assert_int_equal(fd_write_all(session.fd, bytes, count), 0);
	assert_int_equal(shutdown(session.fd, SHUT_WR), 0);
	char answer[4096];
	while (read(session.fd, answer, sizeof(answer)) > 0)
		;
	int status = finish(&session);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void broken_streams(void **state)
{
	(void)state;
	assert_int_equal(status_after("", 0), 0);
	assert_int_equal(status_after("\1", 1), ENODATA);
	assert_int_equal(status_after("\2\0\0\0", 4), ENODATA);
	assert_int_equal(status_after("\2\0\0\0"
				      "1",
				 5),
		ENODATA);
	assert_int_equal(status_after("\0\0\20\0"
				      "1",
				 5),
		ENODATA);
	assert_int_equal(status_after("\1\0\20\0", 4), EMSGSIZE);
	assert_int_equal(status_after("\377\377\377\377", 4), EMSGSIZE);
}

/* The worker is sealed: it has no third descriptor and cannot be asked to do anything else. */
static void is_sealed(void **state)
{
	(void)state;
	struct session session = start();
	char path[64], text[4096];
	answers(&session, "1", "{\"value\": 1.0");
	(void)snprintf(path, sizeof(path), "/proc/%d/status", session.pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	ssize_t length = read(fd, text, sizeof(text) - 1);
	assert_true(length > 0);
	text[length] = '\0';
	assert_non_null(strstr(text, "Seccomp:\t2"));
	(void)close(fd);
	assert_int_equal(finish(&session), 0);
}

int main(void)
{
	(void)signal(SIGPIPE, SIG_IGN);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_after_another),
		cmocka_unit_test(many_at_once),
		cmocka_unit_test(too_long_is_answered),
		cmocka_unit_test(broken_streams),
		cmocka_unit_test(is_sealed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* fd: whole reads and writes, and descriptors that never get lost. */
#include "check.h"

#include "base/fd.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void pair(int type, int fds[2])
{
	assert_int_equal(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fds), 0);
}

static void takes_and_closes(void **state)
{
	(void)state;
	size_t before = check_fds();
	int fd = check_memfd("x", 1);
	int taken = TAKE_FD(fd);
	assert_int_equal(fd, -1);
	fd_close(&fd);
	assert_int_equal(check_fds(), before + 1);
	fd_close(&taken);
	assert_int_equal(taken, -1);
	assert_int_equal(check_fds(), before);
}

static void reads_and_writes_whole(void **state)
{
	(void)state;
	enum { BYTES = 1 << 20 };
	int fds[2];
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		static char out[BYTES];
		memset(out, 'q', sizeof(out));
		_exit(fd_write_all(fds[1], out, sizeof(out)) ? 1 : 0);
	}
	static char in[BYTES];
	fd_close(&fds[1]);
	assert_int_equal(fd_read_all(fds[0], in, sizeof(in)), 0);
	assert_int_equal(in[0], 'q');
	assert_int_equal(in[BYTES - 1], 'q');
	assert_int_equal(fd_read_all(fds[0], in, 1), -ENODATA);
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	fd_close(&fds[0]);
	assert_int_equal(fd_read_all(-1, in, 1), -EBADF);
	assert_int_equal(fd_write_all(-1, in, 1), -EBADF);
}

static void reads_a_part_whole_or_not(void **state)
{
	(void)state;
	char in[8] = "";
	int fd = check_memfd("0123456789", 10);
	assert_int_equal(fd_pread_all(fd, in, 4, 3), 0);
	assert_memory_equal(in, "3456", 5);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 10); /* where it was */
	assert_int_equal(fd_pread_all(fd, in, 4, 6), 0);
	assert_int_equal(fd_pread_all(fd, in, 4, 7), -ENODATA);
	assert_int_equal(fd_pread_all(fd, in, 0, 99), 0);
	fd_close(&fd);
	assert_int_equal(fd_pread_all(fd, in, 1, 0), -EBADF);
}

static void nonblock_goes_on_and_off(void **state)
{
	(void)state;
	int fds[2];
	pair(SOCK_STREAM, fds);
	assert_int_equal(fd_set_nonblock(fds[0], true), 0);
	assert_true(fcntl(fds[0], F_GETFL) & O_NONBLOCK);
	assert_int_equal(fd_set_nonblock(fds[0], false), 0);
	assert_false(fcntl(fds[0], F_GETFL) & O_NONBLOCK);
	assert_int_equal(fd_set_nonblock(-1, true), -EBADF);
	fd_close(&fds[0]);
	fd_close(&fds[1]);
}

static void descriptors_travel(void **state)
{
	(void)state;
	size_t before = check_fds();
	int fds[2], sent[3], got[8];
	size_t count = COUNT(got);
	char text[16];
	pair(SOCK_STREAM, fds);
	for (size_t i = 0; i < COUNT(sent); i++)
		sent[i] = check_memfd(&"abc"[i], 1);
	assert_int_equal(fd_send(fds[0], "hey", 3, sent, COUNT(sent)), 3);
	assert_int_equal(fd_receive(fds[1], text, sizeof(text), got, &count), 3);
	assert_int_equal(count, 3);
	for (size_t i = 0; i < count; i++) {
		char byte;
		assert_int_equal(pread(got[i], &byte, 1, 0), 1);
		assert_int_equal(byte, "abc"[i]);
		assert_true(fcntl(got[i], F_GETFD) & FD_CLOEXEC);
		fd_close(&got[i]);
		fd_close(&sent[i]);
	}
	count = COUNT(got);
	fd_close(&fds[0]);
	assert_int_equal(fd_receive(fds[1], text, sizeof(text), got, &count), 0);
	assert_int_equal(count, 0);
	fd_close(&fds[1]);
	assert_int_equal(check_fds(), before);
}

/* A flood of descriptors: what there is no room for is closed, not kept. */
static void extra_descriptors_are_closed(void **state)
{
	(void)state;
	size_t before = check_fds();
	int fds[2], sent[FD_MESSAGE_MAX + 1], got[4];
	size_t count = COUNT(got);
	char byte;
	pair(SOCK_STREAM, fds);
	for (size_t i = 0; i < COUNT(sent); i++)
		sent[i] = fds[0];
	assert_int_equal(fd_send(fds[0], "x", 1, sent, FD_MESSAGE_MAX + 1), -E2BIG);
	assert_int_equal(fd_send(fds[0], "x", 1, sent, FD_MESSAGE_MAX), 1);
	assert_int_equal(fd_receive(fds[1], &byte, 1, got, &count), 1);
	assert_int_equal(count, 4);
	for (size_t i = 0; i < count; i++)
		fd_close(&got[i]);
	fd_close(&fds[0]);
	fd_close(&fds[1]);
	assert_int_equal(check_fds(), before);
}

static void a_closed_peer_is_an_error_not_a_signal(void **state)
{
	(void)state;
	int fds[2];
	pair(SOCK_STREAM, fds);
	fd_close(&fds[1]);
	assert_int_equal(fd_send(fds[0], "x", 1, NULL, 0), -EPIPE);
	fd_close(&fds[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_and_closes),
		cmocka_unit_test(reads_and_writes_whole),
		cmocka_unit_test(reads_a_part_whole_or_not),
		cmocka_unit_test(nonblock_goes_on_and_off),
		cmocka_unit_test(descriptors_travel),
		cmocka_unit_test(extra_descriptors_are_closed),
		cmocka_unit_test(a_closed_peer_is_an_error_not_a_signal),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

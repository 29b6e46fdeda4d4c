/* program: a service whose identity map is refused is not waited for in vain. */
#include "check.h"

#include "launch/idmap.h"
#include "launch/program.h"

#include <sys/socket.h>
#include <sys/wait.h>

static void a_refused_map_ends_the_child(void **state)
{
	/* More ids than there are numbers: no kernel writes that. */
	const struct idmap map = {.start = 1, .gid_start = 1, .count = UINT32_MAX};
	int control[2], link[2], pidfd = -1;
	struct err err = {0};
	(void)state;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, link), 0);
	size_t open_before = check_fds();
	(void)alarm(60);
	pid_t pid = program_start(&map, -1, control[1], link[1], &pidfd, &err);
	(void)alarm(0);
	assert_true(pid < 0);
	if (pid == -ENOENT) {
		print_message("skip: libexec/brig-service is not built\n");
		skip();
	}
	assert_string_equal(err.stage, "uid");
	assert_int_equal(pidfd, -1);
	assert_int_equal(check_fds(), open_before);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nobody is left */
	for (size_t i = 0; i < 2; i++) {
		(void)close(control[i]);
		(void)close(link[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_refused_map_ends_the_child)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

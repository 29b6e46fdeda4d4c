/* zygote: one whose first words come before the maker has told of it. The test is the maker. */
#include "check.h"

#include "base/fd.h"
#include "service/service.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static struct service service;
static int maker_fd;

static void set_up_service(void)
{
	int pair[2];
	memset(&service, 0, sizeof(service));
	TAILQ_INIT(&service.waiting);
	service.base = event_base_new();
	assert_non_null(service.base);
	assert_int_equal(event_base_priority_init(service.base, 3), 0);
	assert_int_equal(
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
	service.maker.socket_fd = pair[0];
	maker_fd = pair[1];
	service.start.zygote_jobs = 10;
	service.start.zygote_age_s = 10;
	service.zygote_count = service.level_count = 1;
	service.zygotes[0] = (struct zygote){.service = &service, .level = "bare"};
	for (size_t i = 0; i < 2; i++)
		service.zygotes[0].warm[i] =
			(struct warm){.zygote = &service.zygotes[0], .pidfd = -1, .control_fd = -1};
}

/* The zygote's end of its socket, as the maker was asked to hand it on; -1: nothing was asked. */
static int next_request(uint32_t *ret_id)
{
	struct maker_message message;
	int control_fd = -1;
	size_t count = 1;
	ssize_t got = fd_receive(maker_fd, &message, sizeof(message), &control_fd, &count);
	if (got < 0)
		return -1;
	assert_int_equal(message.verb, MAKER_ZYGOTE);
	*ret_id = message.request.slot;
	return control_fd;
}

static void turn(void)
{
	(void)event_base_loop(service.base, EVLOOP_NONBLOCK);
}

/* A child that does nothing but wait for its end. */
static pid_t a_process(int *ret_pidfd)
{
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)alarm(60); /* whatever becomes of the test */
		for (;;)
			(void)pause();
	}
	*ret_pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	assert_true(*ret_pidfd >= 0);
	return pid;
}

static void its_own_words_are_kept(void **state)
{
	static const struct zygote_ready ready = {
		.err = {.code = -EPROTO, .stage = "image", .text = "run `brig image build`"}};
	struct zygote *zygote = &service.zygotes[0];
	uint32_t id = 99, other;
	int pidfd;
	(void)state;

	set_up_service();
	zygote_ensure(zygote);
	int control_fd = next_request(&id);
	assert_true(control_fd >= 0);
	assert_int_equal(
		fd_send(control_fd, &ready, sizeof(ready), NULL, 0), (ssize_t)sizeof(ready));
	turn();
	/* Nobody knows yet whose words they are: no second one is asked for in its place. */
	zygote_ensure(zygote);
	assert_int_equal(next_request(&other), -1);
	assert_int_equal(zygote->warm[0].state, WARM_STARTING);

	const struct maker_answer answer = {.pid = a_process(&pidfd), .slot = id};
	zygote_on_born(&service, id, &answer, pidfd);
	turn();
	assert_true(zygote_failed(zygote));
	assert_string_equal(zygote->fault.text, "run `brig image build`");
	for (int i = 0; i < 1000 && zygote->warm[0].state != WARM_OFF; i++) {
		(void)usleep(1000);
		turn();
	}
	assert_int_equal(zygote->warm[0].state, WARM_OFF);
	assert_int_equal(waitpid(answer.pid, NULL, WNOHANG), -1); /* it was ended and reaped */
	(void)close(control_fd);
	(void)close(maker_fd);
	(void)close(service.maker.socket_fd);
	event_base_free(service.base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(its_own_words_are_kept)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* pulse: steps. The danger is to take a busy machine for a dead half. */
#include "launch/pulse.h"

#include "base/fd.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#define STEPS 30u
#define REST_STEPS 5u /* between an answer and the next question */

void pulse_start(struct pulse *pulse, uint64_t now_ms)
{
	*pulse = (struct pulse){.fd = -1, .next_ms = now_ms};
}

void pulse_stop(struct pulse *pulse)
{
	fd_close(&pulse->fd);
}

void pulse_answered(struct pulse *pulse)
{
	fd_close(&pulse->fd);
	pulse->silent = pulse->resting = 0;
}

static int send_question(struct pulse *pulse, pulse_ask *ask, const void *user)
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	int rc = ask(user, pair[1]);
	(void)close(pair[1]);
	if (rc < 0)
		(void)close(pair[0]);
	else
		pulse->fd = pair[0];
	return rc;
}

bool pulse_turn(
	struct pulse *pulse, pulse_ask *ask, const void *user, uint32_t limit_ms, uint64_t now_ms)
{
	if (now_ms < pulse->next_ms)
		return false;
	/* From now and not from when it was due: steps that were missed are not made up for. */
	pulse->next_ms = now_ms + (limit_ms + STEPS - 1) / STEPS;
	if (pulse->fd < 0 && ++pulse->resting < REST_STEPS)
		return false;
	int rc = pulse->fd < 0 ? send_question(pulse, ask, user) : 0;
	/* A link that takes no question is as silent as one that gives no answer, and one that is
	 * closed belongs to one that cannot end; what else is in the way is not its fault. */
	if (rc < 0 && rc != -EAGAIN && rc != -EPIPE)
		return false;
	return pulse->silent++ == STEPS;
}

struct timespec pulse_wait(const struct pulse *pulse, uint64_t now_ms)
{
	uint64_t ms = pulse->next_ms > now_ms ? pulse->next_ms - now_ms : 0;
	return (struct timespec){
		.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000L};
}

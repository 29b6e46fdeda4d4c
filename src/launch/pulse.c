/* pulse: steps. The danger is to take a busy machine for a dead service. */
#include "launch/pulse.h"

#include "base/fd.h"
#include "launch/launch.h"

#include <errno.h>

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

bool pulse_turn(
	struct pulse *pulse, const struct launch *launch, uint32_t limit_ms, uint64_t now_ms)
{
	if (now_ms < pulse->next_ms)
		return false;
	/* From now and not from when it was due: steps that were missed are not made up for. */
	pulse->next_ms = now_ms + (limit_ms + STEPS - 1) / STEPS;
	if (pulse->fd < 0 && ++pulse->resting < REST_STEPS)
		return false;
	int rc = pulse->fd < 0 ? launch_ping(launch, &pulse->fd) : 0;
	/* A link that takes no question is as silent as one that gives no answer, and one that is
	 * closed belongs to a service that cannot end; what else is in the way is not its fault. */
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

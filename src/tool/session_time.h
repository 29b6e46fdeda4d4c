/* session_time: when a session ends by itself, by the wall clock. */
#ifndef BRIG_TOOL_SESSION_TIME_H
#define BRIG_TOOL_SESSION_TIME_H

#include "wire/session.h"

#include <time.h>

static inline int64_t session_now_ms(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* In milliseconds since 1970: whichever of the two ends first, if no call comes. */
static inline int64_t session_status_ends_ms(const struct session_status *status)
{
	uint64_t left_ms = status->idle_left_ms < status->life_left_ms ? status->idle_left_ms
								       : status->life_left_ms;
	return session_now_ms() + (int64_t)left_ms;
}

#endif

/* clock: monotonic time in the unit that the name says. Source: clock_gettime(2). */
#ifndef BRIG_BASE_CLOCK_H
#define BRIG_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_now_us(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

static inline uint64_t clock_now_ms(void)
{
	return clock_now_us() / 1000u;
}

#endif

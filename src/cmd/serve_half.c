/* serve_half: pauses that grow, and the pulse of what is up. */
#include "cmd/serve_half.h"

#include "base/clock.h"

#define PAUSE_MS_MIN 50u
#define PAUSE_MS_MAX 5000u
#define CALM_MS 10000u

void half_starting(struct half *half)
{
	half->started_ms = clock_now_ms();
}

void half_serves(struct half *half)
{
	half_leave(half);
	pulse_start(&half->pulse, clock_now_ms());
	half->watched = true;
}

void half_ended(struct half *half)
{
	uint64_t now_ms = clock_now_ms();
	bool calm = now_ms - half->started_ms > CALM_MS;
	half->pause_ms = calm || !half->pause_ms ? PAUSE_MS_MIN : half->pause_ms * 2;
	if (half->pause_ms > PAUSE_MS_MAX)
		half->pause_ms = PAUSE_MS_MAX;
	half->again_ms = now_ms + half->pause_ms;
	half_leave(half);
}

void half_leave(struct half *half)
{
	if (half->watched)
		pulse_stop(&half->pulse);
	half->watched = false;
}

int half_answer_fd(const struct half *half)
{
	return half->watched ? half->pulse.fd : -1;
}

uint64_t half_due_ms(const struct half *half, bool runs)
{
	if (!runs)
		return half->again_ms;
	return half->watched ? half->pulse.next_ms : UINT64_MAX;
}

bool half_is_silent(struct half *half, pulse_ask *ask, const void *user, uint32_t limit_ms)
{
	return half->watched && pulse_turn(&half->pulse, ask, user, limit_ms, clock_now_ms());
}

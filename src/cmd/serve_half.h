/*
 * serve_half: one child of the parent, dispatcher or service: when it is started again after its
 * end, and whether it still answers.
 */
#ifndef BRIG_CMD_SERVE_HALF_H
#define BRIG_CMD_SERVE_HALF_H

#include "launch/pulse.h"

struct half {
	uint64_t started_ms;
	uint64_t again_ms; /* when to start it again */
	uint32_t pause_ms;
	bool watched; /* it runs and is asked */
	struct pulse pulse;
};

/* It is about to be started. */
void half_starting(struct half *half);

/* It serves: from now on it is asked. */
void half_serves(struct half *half);

/* It has ended, or could not be started. The pause grows each time, from the start again once it
 * has lived for a while. */
void half_ended(struct half *half);

/* Nothing is asked any more, and nothing is to be started. */
void half_leave(struct half *half);

/* What to poll for its answer; -1. */
int half_answer_fd(const struct half *half);

/* When something is due: a question to one that `runs`, or its start. UINT64_MAX: nothing. */
uint64_t half_due_ms(const struct half *half, bool runs);

/* Takes a step where one is due. True: no sign of life for `limit_ms`. */
bool half_is_silent(struct half *half, pulse_ask *ask, const void *user, uint32_t limit_ms);

#endif

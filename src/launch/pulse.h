/*
 * pulse: whether a half of brig that runs still answers.
 *
 *	pulse_start(&pulse, now_ms);
 *	loop: poll(pulse.fd with the rest, at most until pulse.next_ms)
 *		if (pulse.fd is readable) pulse_answered(&pulse);
 *		if (pulse_turn(&pulse, ask, user, limit_ms, now_ms)) kill it;
 *
 * Its loop is asked at intervals and answers at its next turn, however much it has to do. Silence
 *is counted in steps of the asker's own, a thirtieth of the limit each: what stops or delays both,
 *a machine that sleeps or has no CPU to give, counts as one step and not as its time.
 *
 * Threads: none.
 */
#ifndef BRIG_LAUNCH_PULSE_H
#define BRIG_LAUNCH_PULSE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct pulse {
	int fd;		  /* what the answer will come on; -1: nothing is asked */
	unsigned silent;  /* steps without an answer */
	unsigned resting; /* steps since the last answer */
	uint64_t next_ms; /* when the next step is due */
};

/* Sends the question: `answer_fd` (borrowed), a socket that whoever lives closes. -EAGAIN where it
 * cannot be sent without waiting, or another -errno. */
typedef int pulse_ask(const void *user, int answer_fd);

/* It has been started. What was asked of the one before is forgotten. */
void pulse_start(struct pulse *pulse, uint64_t now_ms);

/* Nothing is asked any more. */
void pulse_stop(struct pulse *pulse);
#define cleanup_pulse __attribute__((cleanup(pulse_stop)))

void pulse_answered(struct pulse *pulse);

/* Takes a step where one is due. True: there was no sign of life for `limit_ms`. */
bool pulse_turn(
	struct pulse *pulse, pulse_ask *ask, const void *user, uint32_t limit_ms, uint64_t now_ms);

/* How long until the next step. */
struct timespec pulse_wait(const struct pulse *pulse, uint64_t now_ms);

#endif

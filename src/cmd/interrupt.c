/* interrupt: counting signals. */
#include "cmd/interrupt.h"

#include <stddef.h>

volatile sig_atomic_t interrupt_count;

static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
#define CAUGHT (sizeof(caught) / sizeof(caught[0]))

static void count(int number)
{
	(void)number;
	/* Signals come one at a time here: the handlers block each other. */
	interrupt_count = interrupt_count + 1;
}

static void caught_set(sigset_t *set)
{
	(void)sigemptyset(set);
	for (size_t i = 0; i < CAUGHT; i++)
		(void)sigaddset(set, caught[i]);
}

void interrupt_install(sigset_t *ret_wait_mask)
{
	struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART}, before;
	(void)sigprocmask(SIG_SETMASK, NULL, ret_wait_mask);
	caught_set(&action.sa_mask);
	for (size_t i = 0; i < CAUGHT; i++) {
		/* A signal that the caller ignores (nohup) stays ignored. */
		if (sigaction(caught[i], NULL, &before) == 0 && before.sa_handler == SIG_IGN)
			continue;
		(void)sigaction(caught[i], &action, NULL);
		(void)sigdelset(ret_wait_mask, caught[i]);
	}
}

void interrupt_hold(void)
{
	sigset_t set;
	caught_set(&set);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
}

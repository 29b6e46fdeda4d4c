/*
 * interrupt: SIGINT, SIGTERM and SIGHUP as a count.
 *
 * The handlers restart system calls, so nothing that runs before the wait has to know of them; the
 * wait itself (ppoll) opens the signals and is always ended by one.
 */
#ifndef BRIG_CMD_INTERRUPT_H
#define BRIG_CMD_INTERRUPT_H

#include <signal.h>

extern volatile sig_atomic_t interrupt_count;

/* Installs the handlers; `*ret_wait_mask` is the mask that a ppoll should wait under. */
void interrupt_install(sigset_t *ret_wait_mask);

/* From here on the signals only arrive in a wait: none is lost between a check and the wait. */
void interrupt_hold(void);

#endif

/*
 * interrupt: when SIGINT reaches the code of a session.
 *
 * The service interrupts a call that overruns; the signal may come when the call has just ended. So
 * between calls SIGINT is ignored, which also discards one that is pending, and what Python has
 * noted already is let out before the call is said to be done.
 *
 * Source: signal(7); sigaction(2): setting SIG_IGN discards what is pending.
 */
#ifndef BRIG_ZYGOTE_INTERRUPT_H
#define BRIG_ZYGOTE_INTERRUPT_H

/* Ignores SIGINT, remembers who took it, and runs out what had come. */
void interrupt_hold(void);

/* As it was before: Python's own handler, or the code's. */
void interrupt_allow(void);

#endif

/* interrupt: one signal, held and let in. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "zygote/interrupt.h"

#include <signal.h>
#include <stdbool.h>

/* Handlers that raise are run out this often at most: each SIGINT counts once. */
#define ROUNDS_MAX 8

static struct sigaction taken;
static bool held;

void interrupt_hold(void)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	if (held || sigaction(SIGINT, &ignore, &taken) < 0)
		return;
	held = true;
	for (int i = 0; i < ROUNDS_MAX && PyErr_CheckSignals() < 0; i++)
		PyErr_Clear();
}

void interrupt_allow(void)
{
	if (held && sigaction(SIGINT, &taken, NULL) == 0)
		held = false;
}

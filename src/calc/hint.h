/*
 * hint: one line for whoever slipped, told from the error and the characters around it.
 */
#ifndef BRIG_CALC_HINT_H
#define BRIG_CALC_HINT_H

#include "calc/program.h"

/* CALC_HINT_SIZE bytes at `hint`; "" where there is nothing to say. */
void hint_write(const struct calc_fault *fault, const char *source, unsigned bytes, char *hint);

#endif

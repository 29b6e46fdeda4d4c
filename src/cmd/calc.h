/*
 * cmd/calc: the verb `brig calc EXPR [--json]`.
 *
 * Prints the value, or with --json the object of calc_json(); an error goes to stderr with a caret.
 * Returns 2 for wrong usage and 125 where the process cannot be sealed; after it has sealed itself
 * it leaves by itself with 0, 1 (no value) or 126 (refused).
 */
#ifndef BRIG_CMD_CALC_H
#define BRIG_CMD_CALC_H

int cmd_calc(int argc, char **argv);

#endif

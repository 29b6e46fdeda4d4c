/*
 * args_fill: the command line of a verb that has flags and no words, as a table of where each
 * flag's value goes.
 *
 *	const struct args_slot slots[] = {
 *		{"--config", .text = &options->config},
 *		{"--cells", .count = &options->cells, .min = 1, .max = 1024},
 *	};
 *	rc = args_fill("serve", argc, argv, slots, 2, &err);
 */
#ifndef BRIG_CMD_ARGS_FILL_H
#define BRIG_CMD_ARGS_FILL_H

#include "cmd/args.h"

#define ARGS_SLOTS_MAX 14u

/* One of the four is where the value goes. */
struct args_slot {
	const char *name;
	const char **text;
	bool *is_set; /* a flag without a value */
	layer_set *layers;
	unsigned *count; /* from min to max */
	unsigned min, max;
};

/* 0; 1 where -h or --help stands; -EINVAL with one line that names the fix. */
int args_fill(const char *verb, int argc, char **argv, const struct args_slot *slots, size_t count,
	struct err *err) MUST_CHECK;

#endif

/*
 * layer: the names of the cell's layers, used by receipts, by `brig doctor` and by
 * `allow_degraded`.
 */
#ifndef BRIG_WIRE_LAYER_H
#define BRIG_WIRE_LAYER_H

#include <stdbool.h>
#include <stdint.h>

enum layer {
	LAYER_UID,
	LAYER_CAPS,
	LAYER_NNP,
	LAYER_PIDNS,
	LAYER_ROOT,
	LAYER_IMAGE,
	LAYER_WORK,
	LAYER_DEV,
	LAYER_PROC,
	LAYER_NET,
	LAYER_IPC,
	LAYER_SECCOMP,
	LAYER_LANDLOCK,
	LAYER_MEMORY,
	LAYER_PIDS,
	LAYER_CPU,
	LAYER_RLIMITS,
	LAYER_DUMP,
	LAYER_FDS,
	LAYER_TTY,
	LAYER_KEYRING,
	LAYER_SPECULATION,
	LAYER_COUNT,
};

enum layer_state {
	LAYER_ON,
	LAYER_MISSING,	   /* absent, and the operator allowed that by name */
	LAYER_NOT_OFFERED, /* the host has no such facility and the layer is "where offered" */
};

struct layer_report {
	enum layer_state state;
	char detail[160]; /* what was read back, one line */
};

typedef uint32_t layer_set; /* bit n stands for layer n */

static inline bool layer_in(layer_set set, enum layer layer)
{
	return (set >> layer & 1u) != 0;
}

const char *layer_name(enum layer layer);
const char *layer_state_name(enum layer_state state);

/* The layer of that name, or -1. */
int layer_by_name(const char *name);

/* One sentence: what the layer is, for `brig doctor`. */
const char *layer_purpose(enum layer layer);

#endif

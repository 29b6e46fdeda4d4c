/*
 * mutant: a build whose cells can be made without a layer, so that the corpus can show which of its
 * cases notice. Only BUILD=mutant has it: everywhere else LEFT_OUT is false when the compiler reads
 * it, and nothing of this is in the programs (tests/security/mutation looks).
 *
 * The launcher reads BRIG_LEAVE_OUT, names of layers by commas, and tells the service; the service
 * tells what it forks by being forked, and the zygote by each spawn. With BRIG_LEAVE_OUT_SILENTLY=1
 * the service forgets that it did so, and the receipt must find out.
 *
 * A program of the one kind and an image of the other refuse each other: MUTANT_VERSION.
 */
#ifndef BRIG_WIRE_MUTANT_H
#define BRIG_WIRE_MUTANT_H

#include "wire/layer.h"

#ifdef BRIG_MUTANT

extern layer_set mutant_leave_out;
extern bool mutant_silently;

/* Layers that cannot be had without one left out are left out with it. */
void mutant_read_environment(void);

/* Layers whose check sees that another one is left out: the receipt is to tolerate them too. */
layer_set mutant_shown_by_others(void);

#define LEFT_OUT(layer) layer_in(mutant_leave_out, layer)
#define LEFT_OUT_ALL mutant_leave_out
#define MUTANT_VERSION 0x4d00u

#else

#define LEFT_OUT(layer) false
#define LEFT_OUT_ALL ((layer_set)0)
#define MUTANT_VERSION 0u

#endif

#endif

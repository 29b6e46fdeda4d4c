/* doctor_advice: how an operator gets a layer that a host lacks. NULL where nothing helps. */
#ifndef BRIG_CMD_DOCTOR_ADVICE_H
#define BRIG_CMD_DOCTOR_ADVICE_H

#include "wire/layer.h"

const char *doctor_advice(enum layer layer);

#endif

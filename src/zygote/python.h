/* python: what embed.c and job.c share and nobody else sees. */
#ifndef BRIG_ZYGOTE_PYTHON_H
#define BRIG_ZYGOTE_PYTHON_H

#include "base/err.h"

/* Turns the current Python exception into a fault, clears it, and returns -EPROTO. */
int python_error(struct err *err, const char *stage);

#endif

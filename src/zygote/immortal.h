/*
 * immortal: what the zygote has loaded is made immortal, so that a child's reference counting does
 * not write to it, and so does not copy the pages that parent and child share.
 *
 * Source: PEP 683; Include/refcount.h of CPython 3.13 (an immortal object's count is UINT_MAX).
 */
#ifndef BRIG_ZYGOTE_IMMORTAL_H
#define BRIG_ZYGOTE_IMMORTAL_H

#include "base/err.h"

/* Every object reachable from what the collector tracks. Call once, after all preloading. */
int immortal_heap(struct err *err) MUST_CHECK;

#endif

/* fault: a struct err as a nested record, shared by every answer that can carry one. */
#ifndef BRIG_WIRE_FAULT_H
#define BRIG_WIRE_FAULT_H

#include "base/err.h"
#include "wire/frame.h"

int wire_add_fault(struct buf *buf, uint16_t tag, const struct err *fault) MUST_CHECK;

/* Reads the fields of such a record. 0 or -EBADMSG. */
int wire_fault(struct span fields, struct err *fault) MUST_CHECK;

#endif

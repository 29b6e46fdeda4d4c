/* receipt_parts: what the readers of a receipt share, for receipt.c and receipt_mounts.c alone. */
#ifndef BRIG_SERVICE_RECEIPT_PARTS_H
#define BRIG_SERVICE_RECEIPT_PARTS_H

#include "service/service.h"

struct reading {
	struct cell *cell;
	struct job_receipt *receipt;
	struct err *err;
	const char *status; /* /proc/PID/status */
	const char *mounts; /* /proc/PID/mountinfo */
	bool outside;	    /* of a group of its own: no limit of that one holds */
};

/* Notes what was read of a layer. 0 where it holds, or is allowed to be missing; else the fault. */
int receipt_report(struct reading *reading, enum layer layer, bool holds, const char *format,
	...) MUST_CHECK __attribute__((format(printf, 4, 5)));

int receipt_read_mounts(struct reading *reading) MUST_CHECK;

#endif

/* metrics_parts: how a family begins, for the files that make up the page. */
#ifndef BRIG_API_METRICS_PARTS_H
#define BRIG_API_METRICS_PARTS_H

#include "api/stats.h"
#include "base/buf.h"

int metrics_family(
	struct buf *out, const char *name, const char *type, const char *help) MUST_CHECK;
int metrics_gauge(struct buf *out, const char *name, const char *help, uint64_t value) MUST_CHECK;
int metrics_counter(struct buf *out, const char *name, const char *help, uint64_t value) MUST_CHECK;

/* metrics_service.c */
int metrics_services(struct buf *out, const struct stats_sum *sum) MUST_CHECK;

#endif

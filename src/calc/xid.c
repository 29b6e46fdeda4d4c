/* xid: which characters beyond ASCII make identifiers, as CPython's own database has it. */
#include "calc/lex.h"

struct xid_range {
	unsigned first, last;
	bool start;
};

#include "calc/xid_table.h"

static const struct xid_range *find(unsigned point)
{
	size_t low = 0, high = sizeof(xid_ranges) / sizeof(xid_ranges[0]);
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (point > xid_ranges[middle].last)
			low = middle + 1;
		else if (point < xid_ranges[middle].first)
			high = middle;
		else
			return &xid_ranges[middle];
	}
	return NULL;
}

bool xid_start(unsigned point)
{
	const struct xid_range *range = find(point);
	return range && range->start;
}

bool xid_continue(unsigned point)
{
	return find(point);
}

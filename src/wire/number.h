/*
 * number: structs of plain figures (limits, usage) as tables of fields, so that writing and
 * reading them cannot drift apart.
 */
#ifndef BRIG_WIRE_NUMBER_H
#define BRIG_WIRE_NUMBER_H

#include "wire/frame.h"

#include <stddef.h>

struct wire_number {
	uint16_t tag;
	uint16_t width; /* 4 or 8: the member's size */
	size_t offset;
	uint64_t min, max;
};

#define WIRE_NUMBER(tag, type, member, min, max)                                                   \
	{                                                                                          \
		tag, sizeof(((type *)0)->member), offsetof(type, member), min, max                 \
	}

int wire_add_numbers(struct buf *buf, const struct wire_number *table, size_t count,
	const void *base) MUST_CHECK;

/* 1 where the field was one of the table's and is set, 0 where it was not, -EBADMSG. */
int wire_take_number(const struct wire_field *field, const struct wire_number *table, size_t count,
	void *base) MUST_CHECK;

/* A nested record: a field whose length is known only once its own fields are written. */
int wire_open(struct buf *buf, uint16_t tag, size_t *ret_mark) MUST_CHECK;
void wire_close(struct buf *buf, size_t mark);

#endif

/* number: structs of figures as fields. */
#include "wire/number.h"

#include <endian.h>
#include <errno.h>

int wire_add_numbers(
	struct buf *buf, const struct wire_number *table, size_t count, const void *base)
{
	int rc = 0;
	for (size_t i = 0; !rc && i < count; i++) {
		const unsigned char *at = (const unsigned char *)base + table[i].offset;
		uint32_t narrow;
		uint64_t value;
		if (table[i].width == sizeof(narrow)) {
			memcpy(&narrow, at, sizeof(narrow));
			value = narrow;
		} else {
			memcpy(&value, at, sizeof(value));
		}
		rc = wire_add_u64(buf, table[i].tag, value);
	}
	return rc;
}

static int take(const struct wire_field *field, const struct wire_number *entry, void *base)
{
	unsigned char *at = (unsigned char *)base + entry->offset;
	uint64_t value;
	int rc = wire_u64(field, entry->max, &value);
	if (rc < 0)
		return rc;
	if (value < entry->min || (entry->width == sizeof(uint32_t) && value > UINT32_MAX))
		return -EBADMSG;
	uint32_t narrow = (uint32_t)value;
	if (entry->width == sizeof(narrow))
		memcpy(at, &narrow, sizeof(narrow));
	else
		memcpy(at, &value, sizeof(value));
	return 1;
}

int wire_take_number(
	const struct wire_field *field, const struct wire_number *table, size_t count, void *base)
{
	for (size_t i = 0; i < count; i++)
		if (table[i].tag == field->tag)
			return take(field, &table[i], base);
	return 0;
}

int wire_open(struct buf *buf, uint16_t tag, size_t *ret_mark)
{
	size_t mark = buf->len;
	int rc = wire_add(buf, tag, NULL, 0);
	if (!rc)
		*ret_mark = mark;
	return rc;
}

void wire_close(struct buf *buf, size_t mark)
{
	/* A buffer is never near 4 GiB: its cap is some MiB. */
	uint32_t bytes_le = htole32((uint32_t)(buf->len - mark - WIRE_FIELD_BYTES));
	memcpy(buf->data + mark + 4, &bytes_le, sizeof(bytes_le));
}

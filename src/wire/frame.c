/* frame: writing and reading messages made of tagged fields. */
#include "wire/frame.h"

#include <endian.h>
#include <errno.h>

int wire_begin(struct buf *buf, uint16_t type, size_t *ret_mark)
{
	size_t mark = buf->len;
	uint16_t type_le = htole16(type);
	const unsigned char zero[4] = {0};
	int rc = buf_add(buf, zero, 4);
	if (!rc)
		rc = buf_add(buf, &type_le, 2);
	if (!rc)
		rc = buf_add(buf, zero, 2);
	if (!rc)
		*ret_mark = mark;
	return rc;
}

int wire_end(struct buf *buf, size_t mark, size_t fd_count)
{
	size_t fields = buf->len - mark - WIRE_HEADER_BYTES;
	if (fields > UINT32_MAX || fd_count > UINT16_MAX)
		return -EMSGSIZE;
	uint32_t bytes_le = htole32((uint32_t)fields);
	uint16_t fds_le = htole16((uint16_t)fd_count);
	memcpy(buf->data + mark, &bytes_le, 4);
	memcpy(buf->data + mark + 6, &fds_le, 2);
	return 0;
}

int wire_add(struct buf *buf, uint16_t tag, const void *data, size_t bytes)
{
	unsigned char head[WIRE_FIELD_BYTES] = {0};
	if (bytes > UINT32_MAX)
		return -EMSGSIZE;
	uint16_t tag_le = htole16(tag);
	uint32_t bytes_le = htole32((uint32_t)bytes);
	memcpy(head, &tag_le, 2);
	memcpy(head + 4, &bytes_le, 4);
	int rc = buf_add(buf, head, sizeof(head));
	return rc ? rc : buf_add(buf, data, bytes);
}

int wire_add_u64(struct buf *buf, uint16_t tag, uint64_t value)
{
	uint64_t value_le = htole64(value);
	return wire_add(buf, tag, &value_le, sizeof(value_le));
}

int wire_add_text(struct buf *buf, uint16_t tag, const char *text)
{
	return wire_add(buf, tag, text, strlen(text));
}

int wire_peek(const void *data, size_t bytes, size_t max_bytes, struct wire_frame *ret_frame)
{
	const unsigned char *at = data;
	uint32_t fields;
	uint16_t type, fds;

	if (bytes < WIRE_HEADER_BYTES)
		return 0;
	memcpy(&fields, at, 4);
	memcpy(&type, at + 4, 2);
	memcpy(&fds, at + 6, 2);
	fields = le32toh(fields);
	if (fields > max_bytes)
		return -EMSGSIZE;
	if (bytes - WIRE_HEADER_BYTES < fields)
		return 0;
	*ret_frame = (struct wire_frame){
		.type = le16toh(type),
		.fds = le16toh(fds),
		.fields = span_of(at + WIRE_HEADER_BYTES, fields),
		.bytes = WIRE_HEADER_BYTES + (size_t)fields,
	};
	return 1;
}

int wire_next(struct span *rest, struct wire_field *ret_field)
{
	uint16_t tag;
	uint32_t bytes;

	if (rest->len == 0)
		return 0;
	if (rest->len < WIRE_FIELD_BYTES)
		return -EBADMSG;
	memcpy(&tag, rest->data, 2);
	memcpy(&bytes, rest->data + 4, 4);
	bytes = le32toh(bytes);
	if (bytes > rest->len - WIRE_FIELD_BYTES)
		return -EBADMSG;
	ret_field->tag = le16toh(tag);
	ret_field->value = span_of(rest->data + WIRE_FIELD_BYTES, bytes);
	rest->data += WIRE_FIELD_BYTES + bytes;
	rest->len -= WIRE_FIELD_BYTES + bytes;
	return 1;
}

int wire_u64(const struct wire_field *field, uint64_t max, uint64_t *ret_value)
{
	uint64_t value;
	if (field->value.len != sizeof(value))
		return -EBADMSG;
	memcpy(&value, field->value.data, sizeof(value));
	value = le64toh(value);
	if (value > max)
		return -EBADMSG;
	*ret_value = value;
	return 0;
}

int wire_u32(const struct wire_field *field, uint64_t max, uint32_t *ret_value)
{
	uint64_t value;
	int rc = wire_u64(field, max < UINT32_MAX ? max : UINT32_MAX, &value);
	if (!rc)
		*ret_value = (uint32_t)value;
	return rc;
}

int wire_bool(const struct wire_field *field, bool *ret_value)
{
	uint64_t value;
	int rc = wire_u64(field, 1, &value);
	if (!rc)
		*ret_value = value == 1;
	return rc;
}

int wire_text(const struct wire_field *field, char *out, size_t room)
{
	if (field->value.len >= room || memchr(field->value.data, 0, field->value.len))
		return -EBADMSG;
	memcpy(out, field->value.data, field->value.len);
	out[field->value.len] = 0;
	return 0;
}

int wire_word(const struct wire_field *field, char *out, size_t room)
{
	for (size_t i = 0; i < field->value.len; i++) {
		unsigned char byte = field->value.data[i];
		bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
		if (!letter && !(byte >= '0' && byte <= '9') && byte != '-')
			return -EBADMSG;
	}
	return wire_text(field, out, room);
}

/* output: head and tail. */
#include "service/output.h"

#include "wire/limits.h"

void output_init(struct output *output)
{
	output->bytes = 0;
	buf_init(&output->head, LIMIT_TEXT_HEAD_BYTES);
	buf_init(&output->tail, 2 * LIMIT_TEXT_TAIL_BYTES);
}

void output_done(struct output *output)
{
	buf_done(&output->head);
	buf_done(&output->tail);
}

static int add_tail(struct output *output, const unsigned char *data, size_t bytes)
{
	if (bytes > LIMIT_TEXT_TAIL_BYTES) {
		data += bytes - LIMIT_TEXT_TAIL_BYTES;
		bytes = LIMIT_TEXT_TAIL_BYTES;
	}
	if (output->tail.len + bytes > output->tail.cap_bytes)
		buf_drop(&output->tail, output->tail.len + bytes - LIMIT_TEXT_TAIL_BYTES);
	return buf_add(&output->tail, data, bytes);
}

int output_add(struct output *output, const void *data, size_t bytes)
{
	const unsigned char *at = data;
	size_t room = output->head.cap_bytes - output->head.len;
	size_t first = bytes < room ? bytes : room;

	output->bytes += bytes;
	int rc = buf_add(&output->head, at, first);
	return rc ? rc : add_tail(output, at + first, bytes - first);
}

void output_finish(struct output *output)
{
	if (output->tail.len > LIMIT_TEXT_TAIL_BYTES)
		buf_drop(&output->tail, output->tail.len - LIMIT_TEXT_TAIL_BYTES);
}

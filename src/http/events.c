/* events: line by line; a blank line ends an event. */
#include "http/events.h"

#include <stdio.h>

void events_init(struct events *events, size_t max_bytes)
{
	*events = (struct events){.used = 0};
	buf_init(&events->held, max_bytes);
}

void events_done(struct events *events)
{
	buf_done(&events->held);
}

int events_feed(struct events *events, struct span bytes)
{
	return buf_add(&events->held, bytes.data, bytes.len);
}

/* The bytes of one whole event, its blank line included; 0 where it has not come yet. */
static size_t whole_event(struct events *events)
{
	const unsigned char *data = events->held.data;
	size_t length = events->held.len;
	size_t from = events->looked ? events->looked - 1 : 0;
	const unsigned char *end =
		length > from ? memmem(data + from, length - from, "\n\n", 2) : NULL;
	events->looked = end ? 0 : length;
	return end ? (size_t)(end - data) + 2 : 0;
}

static bool take_value(struct span line, const char *key, struct span *ret_value)
{
	size_t length = strlen(key);
	if (line.len < length || memcmp(line.data, key, length) != 0)
		return false;
	*ret_value = span_of(line.data + length, line.len - length);
	return true;
}

int events_next(struct events *events, const char **ret_name, struct span *ret_data)
{
	size_t bytes;
	buf_drop(&events->held, events->used);
	events->used = 0;
	while ((bytes = whole_event(events))) {
		bool has_data = false;
		struct span value;
		events->name[0] = 0;
		for (size_t at = 0; at + 1 < bytes;) {
			const unsigned char *line = events->held.data + at;
			const unsigned char *end = memchr(line, '\n', bytes - at);
			struct span whole = span_of(line, (size_t)(end - line));
			if (take_value(whole, "event: ", &value))
				(void)snprintf(events->name, sizeof(events->name), "%.*s",
					(int)value.len, (const char *)value.data);
			else if (take_value(whole, "data: ", ret_data))
				has_data = true;
			at += whole.len + 1;
		}
		if (has_data) {
			events->used = bytes;
			*ret_name = events->name;
			return 1;
		}
		buf_drop(&events->held, bytes); /* a comment, to keep the connection alive */
	}
	return 0;
}

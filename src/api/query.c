/* query: pairs parted by '&'. */
#include "api/query.h"

#include "http/percent.h"

#include <errno.h>
#include <string.h>

bool query_next(struct span *query, struct span *ret_name, struct span *ret_value)
{
	if (!query->len)
		return false;
	const unsigned char *and = memchr(query->data, '&', query->len);
	size_t length = and? (size_t)(and-query->data) : query->len;
	const unsigned char *equals = memchr(query->data, '=', length);
	size_t name = equals ? (size_t)(equals - query->data) : length;
	*ret_name = span_of(query->data, name);
	*ret_value = equals ? span_of(equals + 1, length - name - 1) : span_of("", 0);
	size_t used = and? length + 1 : length;
	*query = span_of(query->data + used, query->len - used);
	return true;
}

int query_decode(struct span text, struct buf *out)
{
	cleanup_buf struct buf spaced = {0};
	buf_init(&spaced, text.len);
	if (!text.len)
		return 0;
	if (buf_add(&spaced, text.data, text.len) < 0)
		return -EINVAL;
	for (size_t i = 0; i < spaced.len; i++)
		if (spaced.data[i] == '+')
			spaced.data[i] = ' ';
	return percent_decode(span_of(spaced.data, spaced.len), out);
}

int query_find(struct span query, const char *name, struct buf *out)
{
	struct span key, value;
	while (query_next(&query, &key, &value))
		if (span_is(key, name))
			return query_decode(value, out) < 0 ? -EINVAL : 1;
	return 0;
}

/* origin: names without their ports. */
#include "http/origin.h"

#include "http/parse.h"

static const char *const loopback[] = {"localhost", "127.0.0.1", "[::1]", NULL};

static bool is_port(struct span text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.data[i] < '0' || text.data[i] > '9')
			return false;
	return text.len > 0 && text.len <= 5;
}

/* Cuts ":PORT" off; false where what follows the name is no port. */
static bool cut_port(struct span *host)
{
	if (!host->len)
		return false;
	const unsigned char *end = host->data + host->len, *from = host->data;
	bool bracketed = *host->data == '[';
	if (bracketed) {
		from = memchr(host->data, ']', host->len);
		if (!from)
			return false;
		from++;
	}
	const unsigned char *colon = from < end ? memchr(from, ':', (size_t)(end - from)) : NULL;
	if (!colon)
		return !bracketed || from == end;
	if (bracketed && colon != from)
		return false;
	struct span port = span_of(colon + 1, (size_t)(end - colon) - 1);
	host->len = (size_t)(colon - host->data);
	return is_port(port);
}

static bool is_named(struct span host, const char *const *names)
{
	for (; *names; names++)
		if (http_same(host, *names))
			return true;
	return false;
}

bool origin_host_ok(struct span host, const char *const *hosts)
{
	if (!cut_port(&host))
		return false;
	return is_named(host, loopback) || (hosts && is_named(host, hosts));
}

bool origin_ok(struct span origin, const char *const *hosts)
{
	static const char *const schemes[] = {"http://", "https://"};
	for (size_t i = 0; i < 2; i++) {
		size_t length = strlen(schemes[i]);
		if (origin.len > length && memcmp(origin.data, schemes[i], length) == 0)
			return origin_host_ok(
				span_of(origin.data + length, origin.len - length), hosts);
	}
	return false;
}

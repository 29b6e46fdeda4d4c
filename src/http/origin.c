/* origin: names, ports, and which of them are one. */
#include "http/origin.h"

#include "http/parse.h"

#include <strings.h>

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

/* The port behind the name, or the scheme's own; 0 where there is no such host. */
static unsigned port_of(struct span host, unsigned usual)
{
	struct span name = host;
	unsigned port = 0;
	if (!cut_port(&name))
		return 0;
	for (size_t i = name.len + 1; i < host.len; i++)
		port = port * 10 + (unsigned)(host.data[i] - '0');
	return name.len < host.len ? port : usual;
}

static bool same_name(struct span a, struct span b)
{
	if (!cut_port(&a) || !cut_port(&b))
		return false;
	if (is_named(a, loopback) && is_named(b, loopback))
		return true;
	return a.len == b.len &&
	       strncasecmp((const char *)a.data, (const char *)b.data, a.len) == 0;
}

static bool is_of(struct span origin, const char *scheme, unsigned usual, struct span host)
{
	size_t length = strlen(scheme);
	if (origin.len <= length || memcmp(origin.data, scheme, length) != 0)
		return false;
	struct span named = span_of(origin.data + length, origin.len - length);
	unsigned port = port_of(named, usual);
	return port && port == port_of(host, usual) && same_name(named, host);
}

bool origin_own(struct span origin, struct span host, const char *public_url)
{
	struct span name = host;
	if (public_url && http_same(origin, public_url))
		return true;
	if (is_of(origin, "http://", 80, host))
		return true;
	/* A name that is not loopback's is a proxy's, which may speak TLS. */
	return cut_port(&name) && !is_named(name, loopback) && is_of(origin, "https://", 443, host);
}

bool origin_foreign_site(struct span site)
{
	return site.data && !http_same(site, "same-origin") && !http_same(site, "none");
}

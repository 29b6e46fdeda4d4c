/*
 * origin: whether a request names this server, and comes from a page that may.
 *
 * A web page in a local browser can send requests to 127.0.0.1, under its own Origin, or under a
 * name of its own that it makes resolve to 127.0.0.1 (DNS rebinding): then Host is that name. So
 * both have to be names that this server goes by.
 *
 * `hosts` ends with NULL: names or addresses without port, in lower case. Loopback's own names
 * always count.
 * Source: RFC 9110, 7.2; RFC 6454, 7; MCP 2025-11-25, "Security Warning" of Streamable HTTP.
 */
#ifndef BRIG_HTTP_ORIGIN_H
#define BRIG_HTTP_ORIGIN_H

#include "base/span.h"

#include <stdbool.h>

bool origin_host_ok(struct span host, const char *const *hosts);

/* "http://HOST[:PORT]" or https, with a host as above. "null" and others are not. */
bool origin_ok(struct span origin, const char *const *hosts);

#endif

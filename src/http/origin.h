/*
 * origin: whether a request names this server, and comes from a page that may.
 *
 * A web page in a local browser can send requests to 127.0.0.1, under its own Origin, or under a
 * name of its own that it makes resolve to 127.0.0.1 (DNS rebinding): then Host is that name. So
 * Host has to be a name that this server goes by, and Origin the server itself.
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

/*
 * Whether `origin` is this server's own: "http://" and what `host`, the request's Host, names, its
 * port too, where all names of loopback are one; "https://" for other names as well, which a proxy
 * answers to; or `public_url` (NULL: none). Any program of this host can serve a page on a port of
 * its own, so that one of another port is a stranger's. "null" never is.
 */
bool origin_own(struct span origin, struct span host, const char *public_url);

/*
 * Whether Sec-Fetch-Site, as it came (data NULL: it did not), says that a page of another origin
 * made the request. *Source:* https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header
 */
bool origin_foreign_site(struct span site);

#endif

/*
 * problem: what goes wrong with a request, as problem+json.
 *
 * {"type": "about:blank", "title": "Not Found", "status": 404, "detail": "…", "field"?: "…"}
 *
 * Source: RFC 9457.
 */
#ifndef BRIG_HTTP_PROBLEM_H
#define BRIG_HTTP_PROBLEM_H

#include "http/server.h"

#define PROBLEM_TYPE "application/problem+json"

/* `field` names the member of the request that is at fault; may be NULL. */
void http_problem(struct http_exchange *exchange, int status, const char *field, const char *format,
	...) __attribute__((format(printf, 4, 5)));

/* The object alone. 0, -ENOMEM. */
int problem_json(struct buf *out, int status, const char *field, const char *detail) MUST_CHECK;

#endif

/*
 * parse: the head of one HTTP/1.x request. No I/O, no allocation.
 *
 * Strict where laxness has been a hole elsewhere: no blank before a colon, no folded lines, no bare
 * CR or NUL, one Content-Length at most, never beside Transfer-Encoding, chunked as the only
 * coding. What is refused names its status and the reason.
 *
 * Threads: none shared. Source: RFC 9110, RFC 9112.
 */
#ifndef BRIG_HTTP_PARSE_H
#define BRIG_HTTP_PARSE_H

#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

#define HTTP_HEAD_BYTES_MAX (64u * 1024u)
#define HTTP_HEADERS_MAX 100u

enum http_method {
	HTTP_GET = 1,
	HTTP_HEAD = 2,
	HTTP_POST = 4,
	HTTP_DELETE = 8,
	HTTP_OPTIONS = 16,
	HTTP_PUT = 64,
	HTTP_OTHER = 32, /* a method that brig has no use for */
};

struct http_field {
	struct span name, value;
};

/* All spans point into the bytes that were parsed. */
struct http_head {
	enum http_method method;
	struct span target; /* as sent */
	struct span path;   /* of it, undecoded */
	struct span query;  /* behind the question mark; empty where there is none */
	unsigned minor;	    /* HTTP/1.minor */
	struct http_field fields[HTTP_HEADERS_MAX];
	size_t field_count;
	bool keep_alive;
	bool chunked;
	bool expects_continue;
	uint64_t content_bytes; /* of Content-Length; 0 where there is none */
};

struct http_fault {
	int status;	    /* of the answer */
	const char *detail; /* static */
};

/* How many bytes the head takes, with its blank line; 0 where that has not come yet. */
size_t http_head_bytes(struct span data);

/* Parses a whole head. 0, or -EBADMSG with `ret_fault`. */
int http_parse(
	struct span data, struct http_head *ret_head, struct http_fault *ret_fault) MUST_CHECK;

/* The value of the first field of that name (in lower case), or a span with data NULL. */
struct span http_field(const struct http_head *head, const char *name);

/* How many fields have that name. */
size_t http_field_count(const struct http_head *head, const char *name);

/* Whether `text` equals `lower` without regard to ASCII case. */
bool http_same(struct span text, const char *lower);

/* Without blanks and tabs at either end. */
struct span http_trim(struct span text);

/* Takes the next element off a comma-separated list, trimmed; false at its end. */
bool http_list_next(struct span *list, struct span *ret_element);

#endif

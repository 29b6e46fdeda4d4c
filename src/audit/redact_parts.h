/*
 * redact_parts: what the redactor's matchers share. For src/audit/redact*.c alone.
 *
 * A matcher looks at a window of the stream from one place. It answers none, a match, or that it
 * cannot tell before it has seen more; the answer depends on the bytes alone, never on where the
 * window happens to end. None looks further ahead than REDACT_HOLD_BYTES.
 */
#ifndef BRIG_AUDIT_REDACT_PARTS_H
#define BRIG_AUDIT_REDACT_PARTS_H

#include "audit/redact.h"

#include <stdbool.h>
#include <stdint.h>

/* How far back of the place the window is kept. */
#define REDACT_CONTEXT_BYTES 256u

/* Of that, how much is still to be written, so that a match can begin before its anchor. */
#define REDACT_LAG_BYTES 32u

/* Sets of characters, as bits. */
enum redact_class {
	CLASS_DIGIT = 1 << 0,
	CLASS_LOWER = 1 << 1,
	CLASS_UPPER = 1 << 2,
	CLASS_HEX_LOWER = 1 << 3, /* 0-9 a-f */
	CLASS_BASE32 = 1 << 4,	  /* A-Z 2-7 */
	CLASS_BECH32 = 1 << 5,	  /* of age: upper case without 1 B I O */
	CLASS_DASH = 1 << 6,
	CLASS_UNDER = 1 << 7,
	CLASS_DOT = 1 << 8,
	CLASS_SLASH_PLUS = 1 << 9,
	CLASS_EQUALS = 1 << 10,
	CLASS_TILDE = 1 << 11,
	CLASS_WORD = 1 << 12,	/* what an unquoted value is made of */
	CLASS_SOLID = 1 << 13,	/* anything but blanks, line breaks and quotes */
	CLASS_LINE = 1 << 14,	/* anything but line breaks */
	CLASS_HEADER = 1 << 15, /* anything but line breaks and quotes */
};
#define CLASS_LETTER (CLASS_LOWER | CLASS_UPPER)
#define CLASS_ALNUM (CLASS_LETTER | CLASS_DIGIT)
#define CLASS_URL (CLASS_ALNUM | CLASS_DASH | CLASS_UNDER)
#define CLASS_BASE64 (CLASS_ALNUM | CLASS_SLASH_PLUS | CLASS_EQUALS)

void redact_classes(uint16_t classes[256]);

/* Bytes that are known to be CLASS_URL, all of them. */
struct redact_seen {
	size_t from, end;
};

struct redact_view {
	const unsigned char *data;
	size_t len;
	size_t at;
	bool final;	 /* nothing comes after `len` */
	bool from_start; /* data[0] is the first byte of the stream */
	const uint16_t *classes;
	struct redact_seen *url_seen;
};

enum redact_found { REDACT_NONE, REDACT_MORE, REDACT_MATCH };

/* How a match goes on beyond what was looked at. */
enum redact_rest { REST_NOTHING, REST_CLASS, REST_QUOTED, REST_PEM };

struct redact_match {
	size_t start, end; /* what is replaced */
	const char *label;
	enum redact_rest rest;
	uint16_t rest_class;
	unsigned char quote;
	bool escaped; /* the quotes have a backslash before them */
	bool triple;
};

/* How many bytes from `from` on are of the class, at most `max`. */
size_t redact_run(const struct redact_view *view, size_t from, unsigned mask, size_t max);

/* Whether the window ends at `from` or before it, with more to come. */
static inline bool redact_ends(const struct redact_view *view, size_t from)
{
	return from >= view->len && !view->final;
}

/* Whether a word may begin at `at`: no letter or digit before it, but for an escape's. */
bool redact_boundary(const struct redact_view *view, size_t at);

/* Token shapes, JWTs, PEM keys whose anchor stands at view->at. */
enum redact_found redact_shape(const struct redact_view *view, struct redact_match *ret_match);

/* The part of redact_shape that no table says: JWTs and keys in PEM. */
enum redact_found redact_block(const struct redact_view *view, struct redact_match *ret_match);

/* A user and a password in one word: `Basic …` in base64, and curl's -u and --user. */
enum redact_found redact_login(const struct redact_view *view, struct redact_match *ret_match);

/* A template's place, as in {password} or $PASSWORD, is no password. */
static inline bool redact_is_template(const unsigned char *text, size_t length)
{
	return text[0] == '$' || (text[0] == '{' && text[length - 1] == '}');
}

/* Six bits of a character of base64, in either alphabet. */
static inline unsigned redact_base64(unsigned char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26u;
	if (c >= '0' && c <= '9')
		return c - '0' + 52u;
	return c == '-' || c == '+' ? 62u : 63u;
}

/* The passwords of URLs, at the colon of "://". */
enum redact_found redact_url(const struct redact_view *view, struct redact_match *ret_match);

/* The values of secret-looking names, at '=' or ':'. */
enum redact_found redact_named(const struct redact_view *view, struct redact_match *ret_match);

/* Calls back for the first two bytes of each shape's anchor. */
void redact_shape_pairs(
	void (*add)(unsigned char first, unsigned char second, void *user), void *user);

static inline bool redact_is_blank(unsigned char c)
{
	return c == ' ' || c == '\t';
}

static inline bool redact_is_quote(unsigned char c)
{
	return c == '"' || c == '\'' || c == '`';
}

/* How secret the name of a value looks. */
enum redact_name {
	NAME_PLAIN,
	NAME_TOKEN,    /* token, api key: its values are long */
	NAME_PASSWORD, /* password, secret: its values may be short */
	NAME_SHORT,    /* pw: the same, and in code it may be anything */
	NAME_HEADER,   /* authorization: its value may have blanks */
};
enum redact_name redact_name_kind(struct span name);

/* A separator with a secret-looking name before it. */
struct redact_pair {
	enum redact_name kind;
	bool quoted_only; /* a comparison: only a literal can be a secret */
	bool colon;	  /* the separator */
	bool name_quoted;
	bool tight_upper; /* NAME=value as in an environment, without blanks */
	bool begins_line; /* the name does, as in YAML */
	struct span name;
	size_t value; /* where the value may begin, blanks before it */
};

/* Reads the separator at view->at, '=' or ':', and what stands before it. */
enum redact_found redact_pair_read(const struct redact_view *view, struct redact_pair *ret_pair);

/* What is being swallowed behind a match. */
struct redact_swallow {
	struct redact_match match;
	size_t bytes;
	bool skip_next, pem_ending;
};

/* How many bytes at the place go; 0: none, it is over; -1: that shows only with more. */
int redact_swallow(struct redact_swallow *swallow, const struct redact_view *view);

#endif

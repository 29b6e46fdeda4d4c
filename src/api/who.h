/* who: the caller of one request, once it is known. */
#ifndef BRIG_API_WHO_H
#define BRIG_API_WHO_H

#include "http/server.h"
#include "tool/config.h"

struct who {
	struct config *config;	     /* a reference: the role lives in it */
	const struct role *role;     /* NULL where the caller is nobody */
	char token[ROLE_NAME_BYTES]; /* its name; empty without one */
	const char *door;	     /* "rest", "mcp" */
};

/* Takes a reference. who_done is NULL-safe on a zeroed struct. */
void who_copy(struct who *to, const struct who *from);
void who_done(struct who *who);

enum who_verdict {
	WHO_KNOWN,
	WHO_UNKNOWN,	  /* 401: no token where one is needed, or one that matches nothing */
	WHO_TOKEN_IN_URL, /* 400 */
};

/*
 * Finds out. Without a token only a loopback peer or a Unix peer counts, as the role `local`, and
 * not where a proxy says that it forwards for somebody else.
 */
enum who_verdict who_of(struct config *config, const struct http_exchange *exchange,
	const char *door, struct who *ret_who);

/* The token of an Authorization: Bearer, or a span with data NULL. */
struct span who_bearer(const struct http_head *head);

/*
 * The same for a client that cannot leave its key out: `key` is a token, or has data NULL. Where
 * the configuration has no tokens at all, a key that is none counts as none.
 */
enum who_verdict who_of_key(struct config *config, const struct http_exchange *exchange,
	struct span key, const char *door, struct who *ret_who);

/* Whoever made something, if the configuration still knows them. */
bool who_again(struct config *config, const char *role, const char *token, const char *door,
	struct who *ret_who);

/* The same for a caller on this process's own descriptors: `role` by name, or NULL for `local`. */
int who_of_name(
	struct config *config, const char *role, const char *door, struct who *ret_who) MUST_CHECK;

/* From this host, and for nobody behind it: no proxy says that it passes on another's request. */
bool who_is_here(const struct http_exchange *exchange);

/* Whether `who` may see what token `token` of role `role` made. */
bool who_may_see(const struct who *who, const char *role, const char *token);

#endif

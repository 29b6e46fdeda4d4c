/* who: the caller of one request, once it is known. */
#ifndef BRIG_API_WHO_H
#define BRIG_API_WHO_H

#include "http/server.h"
#include "tool/config.h"

#define WHO_OWNER_BYTES 24u

struct who {
	struct config *config;			/* a reference: the role lives in it */
	const struct role *role;		/* NULL where the caller is nobody */
	char token[ROLE_NAME_BYTES];		/* its name; empty without one */
	char owner[WHO_OWNER_BYTES];		/* without a token: "tcp", "unix UID", "stdio" */
	unsigned char secret[TOKEN_HASH_BYTES]; /* the token's hash; zeroes without one */
	bool audit;				/* may read the audit log, and others' jobs */
	const char *door;			/* "rest", "mcp" */
};

/* Whose something is: what is kept of the `who` that made it. */
struct who_made {
	const char *role, *token, *owner;
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

/* Whoever made something, if the configuration still knows them. `secret` NULL: whatever the
 * token's secret is now; else it has to be the one of that hash still. */
bool who_again(struct config *config, const struct who_made *made, const unsigned char *secret,
	const char *door, struct who *ret_who);

/* Why it does not: "its token is no more", … */
const char *who_gone_why(const struct config *config, const struct who_made *made);

/* The same for a caller on this process's own descriptors: `role` by name, or NULL for `local`. */
int who_of_name(
	struct config *config, const char *role, const char *door, struct who *ret_who) MUST_CHECK;

/* From this host, and for nobody behind it: no proxy says that it passes on another's request. */
bool who_is_here(const struct http_exchange *exchange);

/* Whether it is the caller's own. Without a token that goes by the door and, at the Unix socket, by
 * the uid. */
bool who_is_maker(const struct who *who, const struct who_made *made);

/* Whether `who` may see it: the maker may, and whoever reads the audit log. */
bool who_may_see(const struct who *who, const struct who_made *made);

/* 0, or -EPERM where the role has sessions no more, or no tool that runs in them. */
int who_has_sessions(const struct who *who, struct err *err) MUST_CHECK;

#endif

/*
 * serving: the brig that serves already, for verbs that go through it where there is one.
 *
 * root looks at /run/brig/http.sock; others first at their own below XDG_RUNTIME_DIR, then at that
 * one, which is open to the group brig.
 */
#ifndef BRIG_CMD_SERVING_H
#define BRIG_CMD_SERVING_H

#include "base/err.h"
#include "base/span.h"
#include "cmd/serve_paths.h"

#include <limits.h>
#include <stdbool.h>

#define SERVING_TOKEN_BYTES 4096u
/* A brig that serves says something of every request at shorter intervals than this. */
#define SERVING_SILENCE_SECONDS 40

struct serving {
	char path[PATH_MAX];
	char token[SERVING_TOKEN_BYTES]; /* from the file that BRIG_TOKEN_FILE names; may be empty
					  */
};

/* Connects to the socket. -ENOENT or -ECONNREFUSED where nobody serves there; -ETIMEDOUT where who
 * does takes no connection; others. */
int serving_connect(const char *path, struct err *err) MUST_CHECK;

/* The words for one that takes a connection and says nothing. -ETIMEDOUT. */
int serving_silent(const char *path, struct err *err);

/* Finds one at the usual places and reads the token. A connected descriptor; -ENOENT where none
 * serves; -EACCES for a token that cannot be read; -ETIMEDOUT. */
int serving_find(struct serving *ret, struct err *err) MUST_CHECK;

/* What to say where one serves at the system's place that this user may not open. */
#define SERVING_CLOSED                                                                             \
	SERVE_SYSTEM_SOCKET " is there but not yours to open: join the group brig (in shells "     \
			    "that are open already: newgrp brig)"
bool serving_closed(void);

/* The same for the socket that somebody named. -EPROTONOSUPPORT where something else than a
 * dispatcher answers: then it is an interpreter service's. -ETIMEDOUT where nothing does. */
int serving_at(const char *path, struct serving *ret, struct err *err) MUST_CHECK;

/* Reads the token that BRIG_TOKEN_FILE names; empty where it is not set. 0 or -EACCES. */
int serving_token(char token[SERVING_TOKEN_BYTES], struct err *err) MUST_CHECK;

/* The words of a refusal, from its problem+json. */
void serving_refusal(int status, struct span problem, struct err *ret_err);

/*
 * One request without a body and its whole answer: `body` is called with each piece of a 200. Gives
 * up after some seconds of silence. The HTTP status or -errno; of a refusal (400 and above) `err`
 * holds the words.
 */
int serving_request(const struct serving *serving, const char *method, struct span target,
	int (*body)(void *user, struct span piece), void *user, struct err *err) MUST_CHECK;

#endif

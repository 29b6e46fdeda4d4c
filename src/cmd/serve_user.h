/*
 * serve_user: who the dispatcher is.
 *
 * As root: the user that the configuration names, else `brig`, else a uid of its own that nobody
 * has. As an ordinary user: that user.
 */
#ifndef BRIG_CMD_SERVE_USER_H
#define BRIG_CMD_SERVE_USER_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

/* Below the interpreter services' ranges (launch/idmap.h), beyond systemd's. */
#define SERVE_UID_FALLBACK 0x6ffffffeu

struct serve_user {
	uid_t uid;
	gid_t gid;
	gid_t socket_group; /* who may use the Unix socket; (gid_t)-1: nobody else */
	bool drops;	    /* this process is root, and the dispatcher will not be */
};

/* `user` and `group` as the configuration names them; NULL for the usual. */
int serve_user_find(
	const char *user, const char *group, struct serve_user *ret, struct err *err) MUST_CHECK;

/* For good: no group, no capability, no new privilege, no core file, nobody's debugger. */
int serve_user_become(const struct serve_user *user, struct err *err) MUST_CHECK;

#endif

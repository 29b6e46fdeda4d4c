/*
 * fsid: file access with another's rights, for a few calls.
 *
 *	struct fsid before;
 *	int rc = fsid_become(uid, &before, err);	uid and gid alike
 *	...
 *	fsid_return(&before);				never goes on with the wrong rights: aborts
 *
 * Leaving uid 0 takes the capabilities that overrule files' modes and owners out of the effective
 * set, and coming back puts them in again (capabilities(7), "Effect of user ID changes"); so what
 * happens in between is refused or allowed as it would be for that uid. The kernel also clears the
 * dumpable mark at each change: fsid_return puts it back. One thread only.
 *
 * Source: setfsuid(2), whose result says nothing about success: a second call does.
 */
#ifndef BRIG_JAIL_FSID_H
#define BRIG_JAIL_FSID_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

struct fsid {
	uid_t uid;
	gid_t gid;
	mode_t umask;
	bool dumpable;
};

/* New files get 0022 as their mask. On failure nothing has changed. */
int fsid_become(uid_t uid, struct fsid *ret_before, struct err *err) MUST_CHECK;

void fsid_return(const struct fsid *before);

#endif

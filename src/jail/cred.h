/*
 * cred: giving up identity and privilege, for good.
 *
 * Order matters: the bounding set and the securebits need CAP_SETPCAP, so they go before the ids;
 * capset goes last. Source: capabilities(7), credentials(7), prctl(2), keyctl(2).
 */
#ifndef BRIG_JAIL_CRED_H
#define BRIG_JAIL_CRED_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

/* Empties the bounding and ambient sets and locks the securebits. */
int cred_drop_bounding(struct err *err) MUST_CHECK;

/* No supplementary groups (unless `keep_groups`: setgroups is denied to an unprivileged user),
 * then gid and uid, real, effective and saved. */
int cred_set_ids(uid_t uid, gid_t gid, bool keep_groups, struct err *err) MUST_CHECK;

/* Empties the effective, permitted and inheritable sets. */
int cred_drop_caps(struct err *err) MUST_CHECK;

int cred_no_new_privs(struct err *err) MUST_CHECK;

/* Not dumpable: no core file, and no ptrace by an equal uid. */
int cred_no_dump(struct err *err) MUST_CHECK;

/* The same, or dumpable on purpose, which only the mutant build asks for: the change of ids alone
 * clears the mark where fs.suid_dumpable is 0. */
int cred_dump(bool dumpable, struct err *err) MUST_CHECK;

/* A session of its own, so that no terminal controls it. */
int cred_new_session(struct err *err) MUST_CHECK;

/* A session keyring of its own. -ENOSYS where the kernel was built without keys. */
int cred_new_keyring(struct err *err) MUST_CHECK;

/*
 * Force-disables speculative store bypass and indirect branch speculation. Returns 1 where both
 * are held, 0 where the host offers neither control; never fails: the layer is "where offered".
 */
int cred_restrain_speculation(void);

#endif

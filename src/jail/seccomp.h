/*
 * seccomp: installing the filter that the service built (seccomp_build.h).
 *
 * Source: seccomp(2); SECCOMP_FILTER_FLAG_NEW_LISTENER since 5.0.
 */
#ifndef BRIG_JAIL_SECCOMP_H
#define BRIG_JAIL_SECCOMP_H

#include "base/err.h"
#include "wire/cell.h"

/*
 * Installs the filter on this process and all it forks. With `ret_listener` the descriptor of the
 * notifications of the deadly class is returned in it: the supervisor takes a copy by
 * pidfd_getfd, and this process must then close its own. Needs no_new_privs. 0 or -errno.
 */
int seccomp_install(
	const struct cell_filter *filter, int *ret_listener, struct err *err) MUST_CHECK;

#endif

/*
 * serve_store: the folders that the dispatcher writes, its audit log's and its artifacts'.
 *
 * Root's brig gives away a folder that it has just made, and /var/lib/brig: to the dispatcher's
 * group, sticky, so that the dispatcher can add files and touch none that is not its own. Any other
 * folder stays as it is, and is used only where the dispatcher's user can write it already.
 */
#ifndef BRIG_CMD_SERVE_STORE_H
#define BRIG_CMD_SERVE_STORE_H

#include "cmd/serve_user.h"
#include "tool/config.h"

/* Makes what is missing, then checks. -EINVAL where another place has to be chosen, -errno. */
int serve_store_prepare(const struct serve_user *user, const char *audit_path,
	const char *artifact_folder, struct err *err) MUST_CHECK;

/* Whether the dispatcher will be able to read the configuration again at a reload, and the file
 * that it names. 0 or -EINVAL. */
int serve_store_readable(
	const struct serve_user *user, const struct config *config, struct err *err) MUST_CHECK;

/* The check alone: changes nothing. A folder that is not there yet is good where it can be made. */
int serve_store_check(
	const struct serve_user *user, const char *audit_path, struct err *err) MUST_CHECK;

#endif

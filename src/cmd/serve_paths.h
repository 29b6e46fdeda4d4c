/*
 * serve_paths: where things are unless somebody says otherwise.
 *
 *		root			ordinary user
 *	config	/etc/brig/brig.ini	$XDG_CONFIG_HOME/brig/brig.ini (~/.config)
 *	socket	/run/brig/http.sock	$XDG_RUNTIME_DIR/brig/http.sock
 *	state	/var/lib/brig		$XDG_DATA_HOME/brig (~/.local/share)
 *
 * All fill `out` of PATH_MAX bytes. 0, -ENOENT where the environment does not say, -ENAMETOOLONG.
 */
#ifndef BRIG_CMD_SERVE_PATHS_H
#define BRIG_CMD_SERVE_PATHS_H

#include "base/err.h"

/* Where root's brig serves, for its group too. */
#define SERVE_SYSTEM_SOCKET "/run/brig/http.sock"

int serve_config_path(char *out) MUST_CHECK;
int serve_socket_path(char *out) MUST_CHECK;
int serve_state_path(const char *leaf, char *out) MUST_CHECK;

#endif

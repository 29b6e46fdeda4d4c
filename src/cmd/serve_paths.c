/* serve_paths: Source: XDG Base Directory Specification 0.8; design.md, "Paths". */
#include "cmd/serve_paths.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int join(char *out, const char *folder, const char *rest)
{
	int length = snprintf(out, PATH_MAX, "%s%s", folder, rest);
	return length < 0 || length >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/* $VARIABLE/rest, or ~/fallback/rest; relative values are ignored, as the specification has it. */
static int below(char *out, const char *variable, const char *fallback, const char *rest)
{
	const char *folder = getenv(variable);
	const char *home = getenv("HOME");
	char whole[PATH_MAX];
	if (folder && folder[0] == '/')
		return join(out, folder, rest);
	if (!fallback || !home || home[0] != '/')
		return -ENOENT;
	int rc = join(whole, home, fallback);
	return rc ? rc : join(out, whole, rest);
}

int serve_config_path(char *out)
{
	if (geteuid() == 0)
		return join(out, "/etc/brig/brig.ini", "");
	return below(out, "XDG_CONFIG_HOME", "/.config", "/brig/brig.ini");
}

int serve_socket_path(char *out)
{
	if (geteuid() == 0)
		return join(out, SERVE_SYSTEM_SOCKET, "");
	return below(out, "XDG_RUNTIME_DIR", NULL, "/brig/http.sock");
}

int serve_state_path(const char *leaf, char *out)
{
	char rest[PATH_MAX];
	int rc = join(rest, "/brig", leaf);
	if (rc < 0)
		return rc;
	if (geteuid() == 0)
		return join(out, "/var/lib", rest);
	return below(out, "XDG_DATA_HOME", "/.local/share", rest);
}

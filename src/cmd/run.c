/*
 * run: the verb `brig run`: through the brig that serves, where one does; else over a running
 * service or a private one, with role and audit log of its own.
 */
#include "cmd/run.h"

#include "cmd/cmd.h"
#include "cmd/run_audit.h"
#include "cmd/serving.h"
#include "launch/launch.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct own {
	struct launch *launch;
	struct run_audit audit;
	bool closed; /* a brig serves that this user may not reach */
};

/* What keeps this user's own job from running may not be what is to be mended. */
static int tell_closed(const struct own *own, int rc, struct err *err)
{
	size_t length = strlen(err->text);
	if (own->closed)
		(void)snprintf(
			err->text + length, sizeof(err->text) - length, "; %s", SERVING_CLOSED);
	return rc;
}

static int find_serving(
	void *user, const struct run_options *options, struct serving *ret, struct err *err)
{
	struct own *own = user;
	if (options->socket_path)
		return serving_at(options->socket_path, ret, err);
	/* What the one that serves has decided for itself. */
	if (options->image || options->allow_degraded || getenv("BRIG_IMAGE"))
		return -ENOENT;
	int rc = serving_find(ret, err);
	own->closed = rc == -ENOENT && serving_closed();
	return rc;
}

static int begin(void *user, struct job_spec *spec, struct err *err)
{
	struct own *own = user;
	int status = run_audit_begin(&own->audit, spec, err);
	return status == CMD_INTERNAL ? tell_closed(own, status, err) : status;
}

static int end(
	void *user, const struct job_spec *spec, const struct run_end *ending, struct err *err)
{
	struct own *own = user;
	return run_audit_end(&own->audit, spec, ending, err);
}

static bool is_running(void *user, const struct run_options *options)
{
	char usual[PATH_MAX];
	struct err err;
	(void)user;
	if (!options->socket_path && launch_socket_path(usual, sizeof(usual)) < 0)
		return false;
	int fd = serving_connect(options->socket_path ? options->socket_path : usual, &err);
	if (fd >= 0)
		(void)close(fd);
	return fd >= 0;
}

static int connect_service(
	void *user, const struct run_options *options, int *ret_fd, struct err *err)
{
	struct own *own = user;
	const struct role *role = own->audit.role;
	const struct launch_options wanted = {
		.socket_path = options->socket_path,
		.image = options->image	  ? options->image
			 : role->image[0] ? role->image
					  : NULL,
		.allow_degraded = options->allow_degraded,
		.allow_always = own->audit.setup.config->service.allow_degraded,
		.cells_max = 1,
	};
	int rc = launch_connect(&wanted, &own->launch, ret_fd, err);
	return rc < 0 ? tell_closed(own, rc, err) : rc;
}

static void release(void *user)
{
	struct own *own = user;
	launch_free(own->launch);
	own->launch = NULL;
	run_audit_done(&own->audit);
}

int cmd_run(int argc, char **argv)
{
	static struct own own;
	const struct run_channel channel = {
		.serving = find_serving,
		.lives = is_running,
		.begin = begin,
		.connect = connect_service,
		.end = end,
		.release = release,
		.user = &own,
	};
	return run_with(&channel, argc, argv);
}

/* run: the verb `brig run`, over a running service or a private one. */
#include "cmd/run.h"

#include "cmd/cmd.h"
#include "launch/launch.h"

static int connect_service(
	void *user, const struct run_options *options, int *ret_fd, struct err *err)
{
	struct launch **launch = user;
	const struct launch_options wanted = {
		.socket_path = options->socket_path,
		.image = options->image,
		.allow_degraded = options->allow_degraded,
		.cells_max = 1,
	};
	return launch_connect(&wanted, launch, ret_fd, err);
}

static void release_service(void *user)
{
	struct launch **launch = user;
	launch_free(*launch);
	*launch = NULL;
}

int cmd_run(int argc, char **argv)
{
	struct launch *launch = NULL;
	const struct run_channel channel = {
		.connect = connect_service,
		.release = release_service,
		.user = &launch,
	};
	return run_with(&channel, argc, argv);
}

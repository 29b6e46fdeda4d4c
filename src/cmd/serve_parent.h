/*
 * serve_parent: the minimal privileged parent. It starts the interpreter services and the
 * dispatcher, hands the links of the one to the other, starts again what dies, and does nothing
 * else: it reads no request, no reply and no job.
 */
#ifndef BRIG_CMD_SERVE_PARENT_H
#define BRIG_CMD_SERVE_PARENT_H

#include "api/dispatcher.h"
#include "cmd/serve_user.h"
#include "wire/layer.h"

struct serve_parent_options {
	struct config *config; /* taken */
	struct serve_user user;
	struct dispatcher_start start; /* its config and control_fd are filled in by the parent */
	layer_set allow_degraded;
	const char *only_role;	   /* services for this role alone; NULL: for all */
	bool ends_with_dispatcher; /* over stdio: the client's end is the end of all */
	/* Called once, when everything is ready. */
	void (*ready)(void *user);
	void *ready_user;
};

/* Runs until it is told to stop. Returns the exit status; complains on stderr. */
int serve_parent_run(struct serve_parent_options *options);

#endif

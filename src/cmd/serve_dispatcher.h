/* serve_dispatcher: what a fresh fork of the parent does to be the dispatcher. */
#ifndef BRIG_CMD_SERVE_DISPATCHER_H
#define BRIG_CMD_SERVE_DISPATCHER_H

#include "cmd/serve_parent.h"

/* Gives up all that is the parent's, becomes the user, serves, and ends with its exit status. */
_Noreturn void serve_dispatcher_become(struct serve_parent_options *options, int control_fd);

#endif

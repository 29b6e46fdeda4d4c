/* serve_setup: what `brig serve` and `brig mcp` have in common before their parent runs. */
#ifndef BRIG_CMD_SERVE_SETUP_H
#define BRIG_CMD_SERVE_SETUP_H

#include "cmd/serve_parent.h"

/*
 * Reads the configuration (`path` NULL: the usual place, if there is one there), finds the
 * dispatcher's user, makes its folders, and reads what the image says of itself. Sockets are -1.
 * -EINVAL or -ENOENT for what the operator has to mend.
 */
int serve_setup(const char *path, layer_set allow_degraded, struct serve_parent_options *ret,
	struct err *err) MUST_CHECK;

/* Whether what the file says of the host holds: its users, and its log's folder. Changes nothing.
 */
int serve_setup_check(const char *path, struct err *err) MUST_CHECK;

/* The Python and the libraries of the default image; empty where there is none. */
void serve_image_facts(char *python, size_t python_room, char *advertise, size_t advertise_room);

#endif

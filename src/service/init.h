/*
 * init: pid 1 of a cell. It sets up what the cell owns (ids, cgroup namespace, tmpfs), places
 * inputs when the service says so, reaps, and takes the whole cell with it when it ends.
 *
 * It keeps CAP_SYS_ADMIN in the cell's own user namespace for mounts; its uid differs from the
 * job's, it is not dumpable, and a filter leaves it a dozen system calls.
 */
#ifndef BRIG_SERVICE_INIT_H
#define BRIG_SERVICE_INIT_H

#include "wire/cell.h"

/* Comes in with /dev/null on 0–2 and the folder of user namespace sysctls on 4. */
_Noreturn void init_main(int socket_fd, const struct cell_filter *filter);

#endif

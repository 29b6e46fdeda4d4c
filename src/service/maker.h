/*
 * maker: a small process, forked from the service before it has seen any job, that lives in the
 * cells' own root and gives birth there: to the zygotes and to each cell's init.
 *
 * Whatever it clones is the service's child (CLONE_PARENT), so the service alone reaps. Its memory
 * holds nothing but the two filters; so an init starts out with nothing to leak.
 */
#ifndef BRIG_SERVICE_MAKER_H
#define BRIG_SERVICE_MAKER_H

#include "base/err.h"
#include "jail/cgroup.h"
#include "wire/cell.h"

#include <sys/types.h>

struct maker {
	pid_t pid;
	int socket_fd; /* SOCK_SEQPACKET, non-blocking on our side */
};

enum maker_verb { MAKER_INIT = 1, MAKER_ZYGOTE = 2 };

/* What crosses the socket: a verb, and maker_request's fields or a level's name. */
struct maker_message {
	uint32_t verb;
	char level[16];
	struct maker_request request;
};

/* Forks the maker, into `group` (cgroup_join_beside). It has built its root when this returns 0. */
int maker_start(struct maker *ret_maker, const struct cgroup *group, struct err *err) MUST_CHECK;

/*
 * Asks for an init. `init_socket_fd` is borrowed, `unified_fd` and `net_fd` may be -1. The answer
 * arrives on socket_fd and is read by maker_receive.
 */
int maker_ask_init(const struct maker *maker, uint32_t slot, int init_socket_fd, int unified_fd,
	int net_fd, struct err *err) MUST_CHECK;

/* Asks for a zygote with `control_fd` (borrowed) as its descriptor 3; slot comes back in the
 * answer. */
int maker_ask_zygote(const struct maker *maker, uint32_t slot, const char *level, int control_fd,
	struct err *err) MUST_CHECK;

/* The next answer: 1, 0 where none is there yet, -errno (the maker is gone). The descriptors that
 * come with it are the caller's; -1 where absent. */
int maker_receive(const struct maker *maker, struct maker_answer *ret_answer, int *ret_pidfd,
	int *ret_net_fd) MUST_CHECK;

#endif

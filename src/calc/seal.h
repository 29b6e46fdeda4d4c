/*
 * seal: the process gives up everything but reading, writing and leaving.
 *
 *	struct calc_seal seal = {.in_fd = -1, .out_fd = 1, .error_fd = 2, .cpu_s = 2};
 *	const char *stage;
 *	int rc = calc_seal(&seal, &stage);
 *
 * Afterwards no file, socket, memory, thread or process can be had: any system call but read on
 * in_fd, write on out_fd and error_fd, exit and exit_group kills the process (SIGSYS). All memory
 * has to be there before; see arena.h.
 *
 * Source: seccomp(2), prctl(2), getrlimit(2), close_range(2).
 */
#ifndef BRIG_CALC_SEAL_H
#define BRIG_CALC_SEAL_H

struct calc_seal {
	int in_fd;	/* or -1: nothing can be read */
	int out_fd;	/* may be the same as error_fd */
	int error_fd;	/* or -1 */
	unsigned cpu_s; /* RLIMIT_CPU; 0 sets none, for a process that lives on */
};

/*
 * All other descriptors are closed. The stack is touched down to 1 MiB and cannot grow beyond.
 * Returns 0, or -errno with `*ret_stage` a word for what failed ("descriptors", "limits",
 * "privileges", "filter"): the process is then partly sealed and must leave.
 */
int calc_seal(const struct calc_seal *seal, const char **ret_stage)
	__attribute__((warn_unused_result));

/*
 * Leaves a sealed process with this status; does not return. (It is not declared so: before a call
 * that does not return a sanitizer's runtime makes system calls of its own.)
 */
void calc_leave(int status);

#endif

/* procfs: reading a process's files in /proc. Source: proc(5). */
#ifndef BRIG_SERVICE_PROCFS_H
#define BRIG_SERVICE_PROCFS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads /proc/PID/FILE whole into `text`. -E2BIG where it does not fit. */
int procfs_read(int proc_fd, pid_t pid, const char *file, char *text, size_t room) MUST_CHECK;

/* The rest of the line that begins with `key`, blanks folded to one. -ENOENT. */
int procfs_line(const char *text, const char *key, char *out, size_t room);

/* The inode that names a namespace ("net"), 0 where it cannot be read. */
uint64_t procfs_namespace(int proc_fd, pid_t pid, const char *name);

struct procfs_mount {
	char point[256], options[128], type[32];
};

/* The next line of a mountinfo text. false at the end. */
bool procfs_next_mount(const char **at, struct procfs_mount *ret_mount);

/* Whether each word of the comma list `wanted` is in the comma list `options`. */
bool procfs_has_options(const char *options, const char *wanted);

/* Whether soft and hard limit of that name in the text of /proc/PID/limits are both `value`. */
bool procfs_limit_is(const char *limits, const char *name, uint64_t value);

/* The numbers of the open descriptors as text, with a blank between them; empty where they cannot
 * be read. */
void procfs_descriptors(int proc_fd, pid_t pid, char *list, size_t room);

/* What a status text says of store bypass and indirect branches, as words too: 1 all that the host
 * offers is held, 0 it offers nothing, -1 it offers something that is not held. */
int procfs_speculation(const char *status, char *words, size_t room);

/* The controlling terminal's device number, 0 where there is none, -1 where it cannot be read. */
long procfs_tty(int proc_fd, pid_t pid);

/* Whether the process is on its way out, though not yet to be reaped (PF_EXITING). */
bool procfs_is_exiting(int proc_fd, pid_t pid);

#endif

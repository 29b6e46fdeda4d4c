/*
 * cmd: the verbs of the command line. Each is a function of its own arguments: argv[0] is the verb,
 * argv[argc] NULL; what it returns is the exit status.
 */
#ifndef BRIG_CMD_CMD_H
#define BRIG_CMD_CMD_H

#define BRIG_VERSION "0.1.0"

/* Exit statuses, as timeout(1), env(1) and the shells have them. */
enum cmd_exit {
	CMD_OK = 0,
	CMD_ERROR = 1,	    /* an uncaught exception */
	CMD_USAGE = 2,	    /* flags and paths */
	CMD_TIMEOUT = 124,  /* wall or CPU time */
	CMD_INTERNAL = 125, /* brig's own fault */
	CMD_REJECTED = 126, /* a request that is refused */
	CMD_CANCELLED = 130,
	CMD_LIMIT = 137,  /* memory or output */
	CMD_DENIED = 159, /* the system call filter */
};
/* A signal n ends as 128 + n. */
#define CMD_SIGNAL_BASE 128

int cmd_run(int argc, char **argv);

#endif

/*
 * audit: the verb `brig audit list | show ID | verify | export`, for humans and their programs.
 *
 * Reads the log of a running brig, or of none. Returns 0; 1 where the log does not verify or the
 * call is not in it; 2 for a wrong command line or a log that is not there; 125 for other failures.
 */
#ifndef BRIG_CMD_AUDIT_H
#define BRIG_CMD_AUDIT_H

int cmd_audit(int argc, char **argv);

#endif

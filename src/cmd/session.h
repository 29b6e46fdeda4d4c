/*
 * session: the verb `brig session list|close`: the caller's own sessions in the brig that serves.
 */
#ifndef BRIG_CMD_SESSION_H
#define BRIG_CMD_SESSION_H

#include <stdbool.h>

/* Whether the text may be a session's id: 1 to 39 letters, digits and dashes. */
bool session_is_id(const char *text);

int cmd_session(int argc, char **argv);

#endif

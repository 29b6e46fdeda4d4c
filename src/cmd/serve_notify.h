/*
 * serve_notify: one datagram for the service manager, where there is one.
 * Source: sd_notify(3); NOTIFY_SOCKET is a path, or an abstract name that begins with @.
 */
#ifndef BRIG_CMD_SERVE_NOTIFY_H
#define BRIG_CMD_SERVE_NOTIFY_H

/* "READY=1", "STOPPING=1", … Failure is nobody's business. */
void serve_notify(const char *state);

#endif

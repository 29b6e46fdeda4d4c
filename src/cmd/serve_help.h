/* serve_help: one screen. */
#ifndef BRIG_CMD_SERVE_HELP_H
#define BRIG_CMD_SERVE_HELP_H

extern const char serve_help[];

#endif

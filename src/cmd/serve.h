/*
 * serve: the verb `brig serve`: the dispatcher and the interpreter services, under one parent.
 */
#ifndef BRIG_CMD_SERVE_H
#define BRIG_CMD_SERVE_H

int cmd_serve(int argc, char **argv);

#endif

/* service: the verb `brig service`: the interpreter service alone, on a socket of its own. */
#ifndef BRIG_CMD_SERVICE_H
#define BRIG_CMD_SERVICE_H

int cmd_service(int argc, char **argv);

#endif

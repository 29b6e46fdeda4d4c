/* tools: the verb `brig tools`: the tools' schemas, to paste into an agent. */
#ifndef BRIG_CMD_TOOLS_H
#define BRIG_CMD_TOOLS_H

int cmd_tools(int argc, char **argv);

#endif

/* mcp: the verb `brig mcp`: MCP over standard input and output. */
#ifndef BRIG_CMD_MCP_H
#define BRIG_CMD_MCP_H

int cmd_mcp(int argc, char **argv);

#endif

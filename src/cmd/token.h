/*
 * token: the verb `brig token new [NAME] [--role ROLE]`: a fresh bearer token and the section that
 * lets it in. The token is shown once and stored nowhere.
 */
#ifndef BRIG_CMD_TOKEN_H
#define BRIG_CMD_TOKEN_H

int cmd_token(int argc, char **argv);

#endif

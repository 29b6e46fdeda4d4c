/*
 * main: the verbs of `brig`.
 *
 * Each verb lives in a file of its own name and reads its own flags.
 */
#include "cmd/args.h"
#include "cmd/audit.h"
#include "cmd/calc.h"
#include "cmd/cmd.h"
#include "cmd/doctor.h"
#include "cmd/image.h"
#include "cmd/mcp.h"
#include "cmd/serve.h"
#include "cmd/service.h"
#include "cmd/session.h"
#include "cmd/token.h"
#include "cmd/tools.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct verb {
	const char *name;
	int (*function)(int argc, char **argv);
	const char *summary;
} verbs[] = {
	{"run", cmd_run, "run Python code in a jail of its own"},
	{"calc", cmd_calc, "evaluate arithmetic, and nothing else"},
	{"serve", cmd_serve, "serve REST and MCP over HTTP"},
	{"mcp", cmd_mcp, "speak MCP over standard input and output"},
	{"tools", cmd_tools, "print the tools' schemas, to paste into an agent"},
	{"audit", cmd_audit, "list, show, verify and export the log of calls"},
	{"session", cmd_session, "list and close the sessions that you have"},
	{"token", cmd_token, "make a bearer token and its section of the configuration"},
	{"doctor", cmd_doctor, "try each layer of isolation on this host"},
	{"image", cmd_image, "build, list and verify images"},
	{"service", cmd_service, "the interpreter service alone"},
};
#define VERBS (sizeof(verbs) / sizeof(verbs[0]))

static void print_help(FILE *to)
{
	(void)fputs("usage: brig VERB [flags]\n\n", to);
	for (size_t i = 0; i < VERBS; i++)
		(void)fprintf(to, "  %-9s %s\n", verbs[i].name, verbs[i].summary);
	(void)fputs(
		"\nbrig VERB -h says more of each. brig --version says which brig this is.\n", to);
}

static int unknown_verb(const char *word)
{
	const char *names[VERBS + 1] = {NULL};
	char shown[ARGS_SHOWN_BYTES];
	for (size_t i = 0; i < VERBS; i++)
		names[i] = verbs[i].name;
	const char *nearest = args_nearest(word, names);
	(void)fprintf(stderr, "brig: unknown verb '%s'", args_shown(word, shown));
	if (nearest)
		(void)fprintf(stderr, "; did you mean brig %s?\n", nearest);
	else
		(void)fprintf(stderr, "; brig -h lists the verbs\n");
	return CMD_USAGE;
}

/*
 * A standard stream that the caller has closed would be the number of some file of brig's own. Then
 * nothing can be read from it and nothing written to stdout, which is a fault that is told; what is
 * said on stderr is lost.
 */
static bool hold_streams(void)
{
	static const int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd)
			return false;
	return true;
}

/* What was printed and did not arrive is a fault, whatever the verb itself came to. */
static int finish(int status)
{
	if (status == CMD_INTERNAL || (fflush(stdout) == 0 && !ferror(stdout)))
		return status;
	(void)fputs("brig: cannot write to standard output\n", stderr);
	return CMD_INTERNAL;
}

int main(int argc, char **argv)
{
	if (!hold_streams())
		return CMD_INTERNAL;
	if (argc < 2) {
		print_help(stderr);
		return CMD_USAGE;
	}
	const char *word = argv[1];
	if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "help") == 0) {
		print_help(stdout);
		return finish(CMD_OK);
	}
	if (strcmp(word, "--version") == 0) {
		(void)puts("brig " BRIG_VERSION);
		return finish(CMD_OK);
	}
	for (size_t i = 0; i < VERBS; i++)
		if (strcmp(word, verbs[i].name) == 0)
			return finish(verbs[i].function(argc - 1, argv + 1));
	return unknown_verb(word);
}

/* token: the section goes to stdout, ready to be appended; the token itself to stderr. */
#include "cmd/token.h"

#include "cmd/args.h"
#include "cmd/cmd.h"
#include "tool/token.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { HELP = 1, ROLE };

static const struct args_flag flags[] = {
	{"-h", HELP, false}, {"--help", HELP, false}, {"--role", ROLE, true}};

static const char help[] =
	"usage: brig token new [NAME] [--role ROLE]\n"
	"\n"
	"Prints a fresh token on standard error, and on standard output the section that lets it\n"
	"in:\n"
	"\n"
	"  brig token new ci --role research >>/etc/brig/brig.ini\n"
	"\n"
	"The configuration keeps the token's SHA-256 alone: the token is shown this once.\n";

struct words {
	const char *verb, *name, *role;
	bool help;
};

static bool is_name(const char *text)
{
	size_t length = strlen(text);
	bool good = isalnum((unsigned char)text[0]) && length < ROLE_NAME_BYTES;
	for (size_t i = 0; good && i < length; i++)
		good = isalnum((unsigned char)text[i]) || strchr("._-", text[i]);
	return good;
}

static int parse(int argc, char **argv, struct words *words, struct err *err)
{
	struct args args = {.argc = argc,
		.argv = argv,
		.flags = flags,
		.flag_count = sizeof(flags) / sizeof(flags[0])};
	const char *value;
	int id;
	while ((id = args_next(&args, &value, err)) != ARGS_END) {
		if (id == ARGS_FAULT)
			return -EINVAL;
		if (id == HELP)
			words->help = true;
		else if (id == ROLE)
			words->role = value;
		else if (!words->verb)
			words->verb = value;
		else if (!words->name)
			words->name = value;
		else
			return err_set(err, -EINVAL, "usage", "one word too many");
	}
	if (words->help)
		return 0;
	if (!words->verb || strcmp(words->verb, "new") != 0)
		return err_set(err, -EINVAL, "usage", "say brig token new [NAME] [--role ROLE]");
	if ((words->name && !is_name(words->name)) || (words->role && !is_name(words->role)))
		return err_set(err, -EINVAL, "usage",
			"names are 1 to %u letters, digits, '.', '_' and '-'", ROLE_NAME_BYTES - 1);
	return 0;
}

int cmd_token(int argc, char **argv)
{
	char token[TOKEN_TEXT_BYTES], sha256[2 * TOKEN_HASH_BYTES + 1];
	struct words words = {0};
	struct err err = {0};
	if (parse(argc, argv, &words, &err) < 0) {
		(void)fprintf(stderr, "brig: token: %s (see brig token -h)\n", err.text);
		return CMD_USAGE;
	}
	if (words.help) {
		(void)fputs(help, stdout);
		return CMD_OK;
	}
	if (token_make(token, sha256) < 0) {
		(void)fputs("brig: token: the system gives no random numbers\n", stderr);
		return CMD_INTERNAL;
	}
	if (printf("\n[token %s]\nsha256 = %s\nrole = %s\n", words.name ? words.name : "NAME",
		    sha256, words.role ? words.role : "ROLE") < 0 ||
		fflush(stdout) != 0) {
		(void)fputs("brig: token: cannot write to standard output\n", stderr);
		return CMD_INTERNAL;
	}
	(void)fprintf(stderr, "token: %s\n", token);
	return CMD_OK;
}

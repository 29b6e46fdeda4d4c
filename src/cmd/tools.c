/* tools: in the shape that each kind of agent wants them. */
#include "cmd/tools.h"

#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/serve_setup.h"
#include "tool/schema.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { FLAG_HELP = 1, FLAG_FORMAT };

static const struct args_flag flags[] = {
	{"-h", FLAG_HELP, false},
	{"--help", FLAG_HELP, false},
	{"--format", FLAG_FORMAT, true},
};

static const char help[] =
	"usage: brig tools [--format openai|anthropic|mcp]\n"
	"\n"
	"Prints the schemas of calculate and run_sandboxed, to paste into an agent (mcp).\n";

static int format_value(const char *text, enum schema_format *ret, struct err *err)
{
	static const char *const names[] = {"openai", "anthropic", "mcp"};
	static const enum schema_format formats[] = {SCHEMA_OPENAI, SCHEMA_ANTHROPIC, SCHEMA_MCP};
	for (size_t i = 0; i < 3; i++)
		if (strcmp(text, names[i]) == 0) {
			*ret = formats[i];
			return 0;
		}
	return err_set(err, -EINVAL, "usage", "--format takes openai, anthropic or mcp");
}

static int parse(
	int argc, char **argv, enum schema_format *format, bool *asks_help, struct err *err)
{
	struct args args = {.argc = argc,
		.argv = argv,
		.flags = flags,
		.flag_count = sizeof(flags) / sizeof(flags[0])};
	const char *value;
	int id, rc = 0;
	while (!rc && (id = args_next(&args, &value, err)) != ARGS_END) {
		if (id == ARGS_FAULT)
			return -EINVAL;
		if (id == ARGS_WORD)
			return err_set(err, -EINVAL, "usage", "brig tools takes no words: see -h");
		if (id == FLAG_HELP)
			*asks_help = true;
		else
			rc = format_value(value, format, err);
	}
	return rc;
}

int cmd_tools(int argc, char **argv)
{
	enum schema_format format = SCHEMA_MCP;
	bool asks_help = false;
	char python[24], advertise[ADVERTISE_BYTES];
	struct err err = {0};
	if (parse(argc, argv, &format, &asks_help, &err) < 0) {
		(void)fprintf(stderr, "brig: tools: %s\n", err.text);
		return CMD_USAGE;
	}
	if (asks_help) {
		(void)fputs(help, stdout);
		return CMD_OK;
	}
	serve_image_facts(python, sizeof(python), advertise, sizeof(advertise));
	const struct schema_facts facts = {.python = python, .advertise = advertise};
	cleanup_json json_t *tools = schema_tools(&facts, format);
	if (!tools || json_dumpf(tools, stdout, JSON_INDENT(2)) < 0 || puts("") < 0 ||
		fflush(stdout) != 0)
		return CMD_INTERNAL;
	return CMD_OK;
}

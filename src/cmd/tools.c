/* tools: in the shape that each kind of agent wants them. */
#include "cmd/tools.h"

#include "cmd/args_fill.h"
#include "cmd/cmd.h"
#include "cmd/serve_setup.h"
#include "tool/schema.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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

int cmd_tools(int argc, char **argv)
{
	enum schema_format format = SCHEMA_MCP;
	const char *wanted = NULL;
	const struct args_slot slots[] = {{"--format", .text = &wanted}};
	char python[24], advertise[ADVERTISE_BYTES];
	struct err err = {0};
	int rc = args_fill("tools", argc, argv, slots, 1, &err);
	if (!rc && wanted)
		rc = format_value(wanted, &format, &err);
	if (rc < 0) {
		(void)fprintf(stderr, "brig: tools: %s\n", err.text);
		return CMD_USAGE;
	}
	if (rc > 0) {
		(void)fputs(help, stdout);
		return CMD_OK;
	}
	serve_image_facts(python, sizeof(python), advertise, sizeof(advertise));
	const struct schema_facts facts = {.python = python, .advertise = advertise};
	cleanup_json json_t *tools = schema_tools(&facts, format);
	if (!tools) {
		(void)fputs("brig: tools: out of memory\n", stderr);
		return CMD_INTERNAL;
	}
	(void)json_dumpf(tools, stdout, JSON_INDENT(2));
	(void)putchar('\n');
	return CMD_OK;
}

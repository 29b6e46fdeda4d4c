/*
 * mcp: through a running dispatcher where there is one, which then knows the caller by its token;
 * else with halves of its own, for as long as the client stays.
 */
#include "cmd/mcp.h"

#include "base/fd.h"
#include "cmd/args_fill.h"
#include "cmd/cmd.h"
#include "cmd/mcp_relay.h"
#include "cmd/serve_setup.h"
#include "cmd/serving.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
	"usage: brig mcp [--config FILE] [--role NAME] [--files DIR] [--allow-degraded LAYERS]\n"
	"       brig mcp [--socket PATH]\n"
	"\n"
	"Speaks MCP over standard input and output: the line to put into an MCP client.\n"
	"\n"
	"  --socket PATH            go through the brig that serves there; without any flag the\n"
	"                           usual place is tried first (the token is read from the file\n"
	"                           that BRIG_TOKEN_FILE names)\n"
	"  --config FILE            roles and limits of a brig of its own\n"
	"  --role NAME              which of them the client has (local)\n"
	"  --files DIR              a folder that the client may name inputs from, as files/NAME\n"
	"  --allow-degraded LAYERS  run although the host lacks these; see brig doctor\n";

struct options {
	const char *config, *role, *files, *socket;
	layer_set allow_degraded;
};

static int parse(int argc, char **argv, struct options *options, struct err *err)
{
	const struct args_slot slots[] = {
		{"--config", .text = &options->config},
		{"--role", .text = &options->role},
		{"--files", .text = &options->files},
		{"--socket", .text = &options->socket},
		{"--allow-degraded", .layers = &options->allow_degraded},
	};
	int rc = args_fill("mcp", argc, argv, slots, sizeof(slots) / sizeof(slots[0]), err);
	if (!rc && options->socket && (options->config || options->role || options->files))
		return err_set(err, -EINVAL, "usage",
			"--socket goes to a brig that has its own "
			"roles and files: leave the other flags out");
	return rc;
}

/* A root of the operator's own choice: this is the operator's command line. */
static int add_root(
	struct config *config, const char *role_name, const char *folder, struct err *err)
{
	char *path = realpath(folder, NULL);
	if (!path)
		return err_set(err, -EINVAL, "files", "--files %.100s: %s", folder,
			strerrordesc_np(errno));
	for (size_t i = 0; i < config->role_count; i++) {
		struct role *role = &config->roles[i];
		if (strcmp(role->name, role_name) != 0 || role->root_count == ROLE_ROOTS_MAX)
			continue;
		struct role_root *root = &role->roots[role->root_count++];
		(void)snprintf(root->name, sizeof(root->name), "files");
		root->path = path;
		return 0;
	}
	free(path);
	return err_set(
		err, -EINVAL, "files", "--files needs the role %s, which is not there", role_name);
}

static int run_private(const struct options *options)
{
	static struct serve_parent_options parent;
	struct err err = {0};
	const char *role = options->role ? options->role : CONFIG_LOCAL_ROLE;
	int rc = serve_setup(options->config, options->allow_degraded, &parent, &err);
	if (rc < 0) {
		(void)fprintf(stderr, "brig: mcp: %s\n", err.text);
		return rc == -EINVAL || rc == -ENOENT ? CMD_USAGE : CMD_INTERNAL;
	}
	if (!config_role(parent.config, role))
		rc = err_set(&err, -EINVAL, "role",
			"there is no role %.40s; add [role %.40s] to the configuration", role,
			role);
	if (!rc && options->files)
		rc = add_root(parent.config, role, options->files, &err);
	if (rc < 0) {
		(void)fprintf(stderr, "brig: mcp: %s\n", err.text);
		config_unref(parent.config);
		return CMD_USAGE;
	}
	parent.only_role = role;
	parent.start.stdio_role = role;
	parent.start.stdio_in = STDIN_FILENO;
	parent.start.stdio_out = STDOUT_FILENO;
	parent.ends_with_dispatcher = true;
	return serve_parent_run(&parent);
}

int cmd_mcp(int argc, char **argv)
{
	struct options options = {0};
	struct err err = {0};
	int rc = parse(argc, argv, &options, &err);
	if (rc < 0) {
		(void)fprintf(stderr, "brig: mcp: %s\n", err.text);
		return CMD_USAGE;
	}
	if (rc > 0) {
		(void)fputs(help, stdout);
		return CMD_OK;
	}
	bool own = options.config || options.role || options.files || options.allow_degraded;
	rc = options.socket || !own ? mcp_relay_connect(options.socket, &err) : -ENOENT;
	if (rc >= 0)
		return mcp_relay_run(rc);
	/* Nobody there is no fault, unless somebody was meant to be. */
	if (options.socket || rc != -ENOENT) {
		(void)fprintf(stderr, "brig: mcp: %s\n", err.text);
		return CMD_INTERNAL;
	}
	int status = run_private(&options);
	if (status != CMD_OK && !own && serving_closed())
		(void)fprintf(stderr, "brig: mcp: %s\n", SERVING_CLOSED);
	return status;
}

/* serve: what the command line and the configuration say, made into a parent that runs. */
#include "cmd/serve.h"

#include "api/calc_client.h"
#include "base/fd.h"
#include "cmd/args_fill.h"
#include "cmd/cmd.h"
#include "cmd/listen.h"
#include "cmd/serve_help.h"
#include "cmd/serve_paths.h"
#include "cmd/serve_setup.h"
#include "cmd/serve_tcp.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct options {
	const char *config, *check, *listen, *socket;
	layer_set allow_degraded;
};

static int parse(int argc, char **argv, struct options *options, struct err *err)
{
	const struct args_slot slots[] = {
		{"--config", .text = &options->config},
		{"--check-config", .text = &options->check},
		{"--listen", .text = &options->listen},
		{"--socket", .text = &options->socket},
		{"--allow-degraded", .layers = &options->allow_degraded},
	};
	return args_fill("serve", argc, argv, slots, sizeof(slots) / sizeof(slots[0]), err);
}

struct places {
	char url[SERVE_URL_BYTES];
	char host[SERVE_URL_BYTES]; /* of it */
	char socket[PATH_MAX];
	bool has_config;
	bool is_second; /* the usual socket is another's */
};

static void say_ready(void *user)
{
	const struct places *places = user;
	cleanup_buf struct buf path = {0};
	listen_describe(places->socket, &path);
	(void)fprintf(stderr, "{\"event\": \"ready\", \"url\": \"%s\", \"socket\": %.*s%s}\n",
		places->url, (int)path.len, (const char *)path.data,
		places->has_config ? ""
				   : ", \"config\": \"none: without a token the role local may "
				     "call both tools and see what its own user began; over TCP "
				     "all users of this host are one, and none reads the audit "
				     "log\"");
	if (places->is_second)
		(void)fputs("{\"event\": \"socket_taken\", \"hint\": \"another brig serves at the "
			    "usual socket; name one with --socket\"}\n",
			stderr);
}

static int open_socket(const struct options *options, const struct config *config,
	const struct serve_user *user, struct places *places, struct err *err)
{
	const char *path = options->socket ? options->socket : config->server.socket;
	int rc = 0;
	if (path && strcmp(path, "none") == 0)
		return -1;
	if (path && strlen(path) < PATH_MAX)
		(void)strcpy(places->socket, path);
	else
		rc = serve_socket_path(places->socket);
	/* An ordinary user without XDG_RUNTIME_DIR has TCP alone. */
	if (rc == -ENOENT) {
		places->socket[0] = 0;
		return -1;
	}
	bool shared = user->socket_group != (gid_t)-1;
	int fd = rc ? rc : listen_unix(places->socket, shared ? 0660 : 0600, err);
	/* Another brig has the usual place: this one, which nobody asked for it, does without. */
	if (fd == -EADDRINUSE && !path) {
		places->socket[0] = 0;
		places->is_second = true;
		return -1;
	}
	if (fd >= 0 && shared && lchown(places->socket, (uid_t)-1, user->socket_group) < 0)
		rc = err_sys(err, -errno, "socket", places->socket);
	if (rc < 0) {
		fd_close(&fd);
		return rc == -1 ? -EPERM : rc;
	}
	return fd == -1 ? -EPERM : fd;
}

static int open_all(const struct options *options, struct serve_parent_options *parent,
	struct places *places, struct err *err)
{
	const struct config *config = parent->config;
	const char *where = options->listen	    ? options->listen
			    : config->server.listen ? config->server.listen
						    : CONFIG_LISTEN_DEFAULT;
	parent->start.tcp_fd = serve_tcp_listen(where, places->url, err);
	if (parent->start.tcp_fd < 0)
		return parent->start.tcp_fd;
	(void)snprintf(places->host, sizeof(places->host), "%s", places->url + strlen("http://"));
	*strrchr(places->host, ':') = 0;
	parent->start.listen_host = places->host;
	parent->start.unix_fd = open_socket(options, config, &parent->user, places, err);
	return parent->start.unix_fd < -1 ? parent->start.unix_fd : 0;
}

static int run(const struct options *options)
{
	static struct serve_parent_options parent;
	static struct places places;
	struct err err = {0};
	int rc = serve_setup(options->config, options->allow_degraded, &parent, &err);
	if (rc < 0) {
		(void)fprintf(stderr, "brig: serve: %s\n", err.text);
		return rc == -EINVAL || rc == -ENOENT ? CMD_USAGE : CMD_INTERNAL;
	}
	places.has_config = parent.config->path != NULL;
	rc = open_all(options, &parent, &places, &err);
	if (rc < 0) {
		(void)fprintf(stderr, "brig: serve: %s\n", err.text);
		config_unref(parent.config);
		return rc == -EINVAL ? CMD_USAGE : CMD_INTERNAL;
	}
	parent.ready = say_ready;
	parent.ready_user = &places;
	int status = serve_parent_run(&parent);
	if (places.socket[0])
		(void)unlink(places.socket);
	return status;
}

/* The file that --check-config names, else --config's, else the usual one. */
static int check_config(const struct options *options)
{
	char usual[PATH_MAX];
	const char *path = options->check[0] ? options->check : options->config;
	struct config *config = NULL;
	struct err err = {0};
	if (!path && serve_config_path(usual) == 0)
		path = usual;
	if (!path)
		path = "brig.ini";
	/* What is wrong with the file itself is told all at once, and only where it is good what it
	 * asks of this host. */
	if (serve_setup_check(path, &err) == 0 || config_load(path, &config, NULL) < 0)
		return config_check_print(path, stdout);
	config_unref(config);
	(void)fprintf(stdout, "%s: %s\n", path, err.text);
	return CMD_USAGE;
}

/* `--check-config` alone, beside `--config FILE`, is as good as with the file behind it. */
static void mend_check(int argc, char **argv)
{
	static char lone[] = "--check-config=";
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--check-config") == 0 &&
			(i + 1 == argc || argv[i + 1][0] == '-'))
			argv[i] = lone;
}

int cmd_serve(int argc, char **argv)
{
	struct options options = {0};
	struct err err = {0};
	if (argc == 2 && strcmp(argv[1], CALC_WORKER_FLAG) == 0)
		return calc_worker_main();
	mend_check(argc, argv);
	int rc = parse(argc, argv, &options, &err);
	if (rc < 0) {
		(void)fprintf(stderr, "brig: serve: %s\n", err.text);
		return CMD_USAGE;
	}
	if (rc > 0) {
		(void)fputs(serve_help, stdout);
		return CMD_OK;
	}
	if (options.check)
		return check_config(&options);
	return run(&options);
}

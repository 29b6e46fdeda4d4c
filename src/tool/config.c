/* config: loading, the defaults, looking things up. The reader is config_parse.c. */
#include "tool/config.h"

#include "base/fd.h"
#include "base/utf8.h"
#include "tool/config_parse.h"
#include "tool/text.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char byte_order_mark[] = "\xef\xbb\xbf";

static struct config *config_new(void)
{
	struct config *config = calloc(1, sizeof(*config));
	if (!config)
		return NULL;
	config->refs = 1;
	config->server = (struct config_server){.connections_max = 1024,
		.body_bytes_max = 272 * MIB,
		.header_bytes_max = 64 * KIB,
		.read_timeout_ms = 30000,
		.idle_timeout_ms = 75000,
		.drain_timeout_ms = 30000,
		.artifact_bytes_max = 1 * GIB,
		.artifact_keep_ms = 3600000};
	config->service.jobs_at_once = CONFIG_JOBS_AT_ONCE;
	config->service.silence_max_ms = CONFIG_SILENCE_MAX_MS;
	config->audit.retention_bytes = 4 * GIB;
	config->audit.head_ms = 60000;
	return config;
}

struct config *config_ref(struct config *config)
{
	config->refs++;
	return config;
}

static void free_role(struct role *role)
{
	for (size_t i = 0; i < role->root_count; i++)
		free(role->roots[i].path);
}

/* Spans point at bytes that nobody writes; the owner alone frees them. */
static void free_value(struct span value)
{
	void *data;
	memcpy(&data, &value.data, sizeof(data));
	sodium_memzero(data, value.len);
	free(data);
}

void config_unref(struct config *config)
{
	if (!config || --config->refs > 0)
		return;
	struct config_server *server = &config->server;
	free(config->path);
	free(server->listen);
	free(server->socket);
	free(server->socket_group);
	free(server->user);
	free(server->public_url);
	for (size_t i = 0; i < server->host_count; i++)
		free(server->hosts[i]);
	for (size_t i = 0; i < server->origin_count; i++)
		free(server->origins[i]);
	free(config->audit.db);
	free(config->audit.redact_file);
	for (size_t i = 0; i < config->audit.redact_value_count; i++)
		free_value(config->audit.redact_values[i]);
	free(config->audit.redact_values);
	for (size_t i = 0; i < config->role_count; i++)
		free_role(&config->roles[i]);
	free(config->roles);
	free(config->tokens);
	free(config);
}

static int add_local(struct config *config)
{
	struct role *role = calloc(1, sizeof(*role));
	if (!role)
		return -ENOMEM;
	memcpy(role->name, CONFIG_LOCAL_ROLE, sizeof(CONFIG_LOCAL_ROLE));
	role->tools = ROLE_CALCULATE | ROLE_RUN_SANDBOXED;
	role->limits_default = limits_default;
	role->limits_max = limits_default;
	role->limits_max.wall_ms = LIMIT_WALL_MS_MAX;
	role->limits_max.cpu_ms = LIMIT_CPU_MS_MAX;
	role->limits_max.memory_bytes = LIMIT_MEMORY_BYTES_MAX;
	role->jobs_at_once = CONFIG_JOBS_AT_ONCE;
	role->queue_max = CONFIG_QUEUE_MAX;
	role->audit = true;
	role->sessions = true;
	role->sessions_max = CONFIG_SESSIONS_MAX;
	role->session_idle_ms = SESSION_IDLE_MS_DEFAULT;
	role->session_life_ms = SESSION_LIFE_MS_DEFAULT;
	config->roles = role;
	config->role_count = 1;
	return 0;
}

int config_default(struct config **ret_config, struct err *err)
{
	struct config *config = config_new();
	if (!config || add_local(config) < 0) {
		config_unref(config);
		return err_sys(err, -ENOMEM, "config", "cannot hold the configuration");
	}
	*ret_config = config;
	return 0;
}

static int read_text(const char *path, struct buf *text, struct err *err)
{
	struct stat status;
	size_t bad;
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &status) < 0)
		return err_set(err, -errno, "config", "%.160s: %s", path, strerrordesc_np(errno));
	if (!S_ISREG(status.st_mode))
		return err_set(err, -EINVAL, "config", "%.160s: no regular file", path);
	if (status.st_size > (off_t)CONFIG_FILE_BYTES_MAX)
		return err_set(err, -E2BIG, "config", "%.160s: larger than 1 MiB", path);
	size_t bytes = (size_t)status.st_size;
	if (bytes && !buf_reserve(text, bytes))
		return err_sys(err, -ENOMEM, "config", "cannot hold the configuration");
	int rc = bytes ? fd_read_all(fd, text->data, bytes) : 0;
	if (rc < 0)
		return err_set(err, rc, "config", "%.160s: %s", path, strerrordesc_np(-rc));
	text->len = bytes;
	if (bytes && (!utf8_valid(text->data, bytes, &bad) || memchr(text->data, 0, bytes)))
		return err_set(err, -EINVAL, "config",
			"%.160s: not plain UTF-8 text; save it as such", path);
	if (bytes >= 3 && memcmp(text->data, byte_order_mark, 3) == 0)
		buf_drop(text, 3);
	return 0;
}

static void parse_done(struct config_parse *parse)
{
	buf_done(&parse->faults);
	free(parse->role_drafts);
	free(parse->token_drafts);
	free(parse);
}

/* Faults of the file go to `faults` where it is given, all of them. */
static int load(const char *path, struct config **ret_config, struct buf *faults, struct err *err)
{
	cleanup_buf struct buf text = {0};
	buf_init(&text, CONFIG_FILE_BYTES_MAX);
	if (sodium_init() < 0)
		return err_set(err, -EIO, "config", "libsodium does not start");
	int rc = read_text(path, &text, err);
	if (rc < 0)
		return rc;
	struct config *config = config_new();
	struct config_parse *parse = calloc(1, sizeof(*parse));
	if (parse && config) {
		parse->path = path;
		parse->config = config;
		parse->text = span_of(text.data, text.len);
		buf_init(&parse->faults, 64 * KIB);
		config->path = realpath(path, NULL);
		if (!config->path)
			config->path = strdup(path);
		parse->out_of_memory = !config->path;
		config_parse_text(parse);
		rc = parse->out_of_memory ? -ENOMEM : parse->fault_count ? -EINVAL : 0;
		if (rc == -EINVAL && err)
			*err = parse->first;
		if (rc == -EINVAL && faults &&
			buf_add(faults, parse->faults.data, parse->faults.len) < 0)
			rc = -ENOMEM;
	} else {
		rc = -ENOMEM;
	}
	if (rc == -ENOMEM)
		(void)err_sys(err, rc, "config", "cannot hold the configuration");
	if (parse)
		parse_done(parse);
	if (rc < 0)
		config_unref(config);
	else
		*ret_config = config;
	return rc;
}

int config_load(const char *path, struct config **ret_config, struct err *err)
{
	return load(path, ret_config, NULL, err);
}

const struct role *config_role(const struct config *config, const char *name)
{
	for (size_t i = 0; i < config->role_count; i++)
		if (strcmp(config->roles[i].name, name) == 0)
			return &config->roles[i];
	return NULL;
}

const struct token *config_token(const struct config *config, struct span presented)
{
	return token_find(config->tokens, config->token_count, presented);
}

bool config_runs_code(const struct config *config)
{
	for (size_t i = 0; i < config->role_count; i++)
		if (config->roles[i].tools & ROLE_RUN_SANDBOXED)
			return true;
	return false;
}

/* What is no fault, and does not do what somebody who wrote it meant. */
static void print_notes(const char *path, const struct config *config, FILE *out)
{
	for (size_t i = 0; i < config->role_count; i++) {
		const struct role *role = &config->roles[i];
		if (role->root_count && !(role->tools & ROLE_RUN_SANDBOXED))
			(void)fprintf(out,
				"%s: note: [role %s] has a file_root and not run_sandboxed: it is "
				"of no use to it\n",
				path, role->name);
		if (role->jobs_at_once > config->service.jobs_at_once)
			(void)fprintf(out,
				"%s: warning: [role %s] has jobs_at_once = %u, and all roles "
				"together have %u: lower it, or raise jobs_at_once in [service]\n",
				path, role->name, role->jobs_at_once, config->service.jobs_at_once);
	}
}

int config_check_print(const char *path, FILE *out)
{
	cleanup_buf struct buf faults = {0};
	struct config *config = NULL;
	struct err err = {0};
	buf_init(&faults, 64 * KIB);
	int rc = load(path, &config, &faults, &err);
	if (rc < 0 && faults.len)
		(void)fprintf(out, "%.*s", (int)faults.len, (const char *)faults.data);
	else if (rc < 0)
		(void)fprintf(out, "%s\n", err.text);
	if (rc < 0)
		return 2;
	(void)fprintf(out, "%s: good: %zu role%s, %zu token%s\n", path, config->role_count,
		config->role_count == 1 ? "" : "s", config->token_count,
		config->token_count == 1 ? "" : "s");
	print_notes(path, config, out);
	config_unref(config);
	return 0;
}

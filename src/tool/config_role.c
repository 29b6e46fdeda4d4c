/* config_role: the keys of [role NAME] and [token NAME]. */
#include "tool/config_parse.h"

#include "base/nearest.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAKE(name)                                                                                 \
	static void name(struct config_parse *parse, const char *rest __attribute__((unused)),     \
		const char *value)

static struct role *role_now(struct config_parse *parse)
{
	return &parse->config->roles[parse->config->role_count - 1];
}

static struct token *token_now(struct config_parse *parse)
{
	return &parse->config->tokens[parse->config->token_count - 1];
}

/* Room for one more in `*array`, zeroed. */
static bool grow(struct config_parse *parse, void **array, size_t count, size_t bytes)
{
	void *grown = reallocarray(*array, count + 1, bytes);
	if (!grown) {
		parse->out_of_memory = true;
		return false;
	}
	memset((char *)grown + count * bytes, 0, bytes);
	*array = grown;
	return true;
}

bool config_role_begin(struct config_parse *parse, const char *name)
{
	struct config *config = parse->config;
	size_t count = config->role_count;
	if (!config_value_name(parse, "a role's name", name, ROLE_NAME_BYTES - 1))
		return false;
	if (config_role(config, name)) {
		config_fault(parse, parse->line, "a second [role %s]; put its keys into the first",
			name);
		return false;
	}
	if (count == CONFIG_ROLES_MAX) {
		config_fault(parse, parse->line, "more than %u roles", CONFIG_ROLES_MAX);
		return false;
	}
	if (!grow(parse, (void **)&config->roles, count, sizeof(*config->roles)) ||
		!grow(parse, (void **)&parse->role_drafts, count, sizeof(*parse->role_drafts)))
		return false;
	config->role_count++;
	struct role *role = role_now(parse);
	(void)snprintf(role->name, sizeof(role->name), "%s", name);
	role->limits_default = limits_default;
	role->limits_max = limits_default;
	role->jobs_at_once = CONFIG_JOBS_AT_ONCE;
	role->queue_max = CONFIG_QUEUE_MAX;
	role->sessions_max = CONFIG_SESSIONS_MAX;
	role->session_idle_ms = SESSION_IDLE_MS_DEFAULT;
	role->session_life_ms = SESSION_LIFE_MS_DEFAULT;
	parse->role_drafts[count].line = parse->line;
	return true;
}

bool config_token_begin(struct config_parse *parse, const char *name)
{
	struct config *config = parse->config;
	size_t count = config->token_count;
	if (!config_value_name(parse, "a token's name", name, ROLE_NAME_BYTES - 1))
		return false;
	for (size_t i = 0; i < count; i++)
		if (strcmp(config->tokens[i].name, name) == 0) {
			config_fault(parse, parse->line,
				"a second [token %s]; give it another name", name);
			return false;
		}
	if (count == CONFIG_TOKENS_MAX) {
		config_fault(parse, parse->line, "more than %u tokens", CONFIG_TOKENS_MAX);
		return false;
	}
	if (!grow(parse, (void **)&config->tokens, count, sizeof(*config->tokens)) ||
		!grow(parse, (void **)&parse->token_drafts, count, sizeof(*parse->token_drafts)))
		return false;
	config->token_count++;
	(void)snprintf(token_now(parse)->name, ROLE_NAME_BYTES, "%s", name);
	parse->token_drafts[count].line = parse->line;
	return true;
}

static void add_tool(struct config_parse *parse, const char *word)
{
	static const char *const names[] = {ROLE_TOOL_CALCULATE, ROLE_TOOL_RUN, NULL};
	unsigned tool = role_tool_by_name(word);
	const char *nearest = nearest_name(word, names);
	if (tool)
		role_now(parse)->tools |= tool;
	else
		config_fault(parse, parse->line,
			"tools has no '%.32s'%s%s; the tools are calculate and run_sandboxed", word,
			nearest ? ", did you mean " : "", nearest ? nearest : "");
}

TAKE(role_tools)
{
	config_value_list(parse, "tools", value, add_tool);
}

TAKE(role_image)
{
	if (config_value_name(parse, "image", value, ROLE_IMAGE_BYTES - 1))
		(void)snprintf(role_now(parse)->image, ROLE_IMAGE_BYTES, "%s", value);
}

TAKE(role_tier)
{
	if (strcmp(value, "gvisor") == 0 || strcmp(value, "microvm") == 0)
		config_fault(parse, parse->line,
			"tier %s is planned and not in this version; write tier = cell", value);
	else if (strcmp(value, "cell") != 0)
		config_fault(parse, parse->line,
			"tier is cell; a role without run_sandboxed needs none");
}

TAKE(role_isolate)
{
	(void)config_value_bool(parse, "isolate", value, &role_now(parse)->isolate);
}

TAKE(role_sessions)
{
	(void)config_value_bool(parse, "sessions", value, &role_now(parse)->sessions);
}

TAKE(role_sessions_max)
{
	(void)config_value_count(
		parse, "sessions_max", value, 1, 1024, &role_now(parse)->sessions_max);
}

TAKE(role_session_idle)
{
	(void)config_value_ms(parse, "session_idle", value, SESSION_LIFE_MS_MAX,
		&role_now(parse)->session_idle_ms);
	parse->role_drafts[parse->config->role_count - 1].has_idle = true;
}

TAKE(role_session_life)
{
	(void)config_value_ms(parse, "session_life", value, SESSION_LIFE_MS_MAX,
		&role_now(parse)->session_life_ms);
}

TAKE(role_audit)
{
	(void)config_value_bool(parse, "audit", value, &role_now(parse)->audit);
}

TAKE(role_file_root)
{
	struct role *role = role_now(parse);
	size_t count = role->root_count;
	char what[] = "a file_root's name";
	if (!config_value_name(parse, what, rest, ROLE_NAME_BYTES - 1))
		return;
	for (size_t i = 0; i < count; i++)
		if (strcmp(role->roots[i].name, rest) == 0) {
			config_fault(parse, parse->line,
				"file_root %s is given twice; keep one or rename it", rest);
			return;
		}
	if (count == ROLE_ROOTS_MAX) {
		config_fault(parse, parse->line, "more than %u file roots", ROLE_ROOTS_MAX);
		return;
	}
	if (!config_value_path(parse, "file_root", value, &role->roots[count].path))
		return;
	(void)snprintf(role->roots[count].name, ROLE_NAME_BYTES, "%s", rest);
	parse->root_lines[parse->config->role_count - 1][count] = parse->line;
	role->root_count++;
}

TAKE(role_wall)
{
	(void)config_value_ms(
		parse, "wall_max", value, LIMIT_WALL_MS_MAX, &role_now(parse)->limits_max.wall_ms);
}

TAKE(role_cpu)
{
	(void)config_value_ms(
		parse, "cpu_max", value, LIMIT_CPU_MS_MAX, &role_now(parse)->limits_max.cpu_ms);
}

TAKE(role_memory)
{
	(void)config_value_size(parse, "memory_max", value, LIMIT_MEMORY_BYTES_MIN,
		LIMIT_MEMORY_BYTES_MAX, &role_now(parse)->limits_max.memory_bytes);
}

TAKE(role_output)
{
	(void)config_value_size(parse, "output_max", value, 1 * KIB, LIMIT_OUTPUT_BYTES_MAX,
		&role_now(parse)->limits_max.output_bytes);
}

TAKE(role_at_once)
{
	(void)config_value_count(
		parse, "jobs_at_once", value, 1, 1024, &role_now(parse)->jobs_at_once);
	parse->role_drafts[parse->config->role_count - 1].has_at_once = true;
}

TAKE(role_per_minute)
{
	(void)config_value_count(
		parse, "jobs_per_minute", value, 1, 1000000, &role_now(parse)->jobs_per_minute);
}

TAKE(role_queue)
{
	(void)config_value_count(parse, "queue_max", value, 0, 10000, &role_now(parse)->queue_max);
}

TAKE(role_degraded)
{
	(void)value;
	config_fault(parse, parse->line,
		"allow_degraded is the host's, not a role's; move it to [service]");
}

const struct config_key config_role_keys[] = {{"tools", role_tools, false},
	{"image", role_image, false}, {"tier", role_tier, false}, {"isolate", role_isolate, false},
	{"sessions", role_sessions, false}, {"sessions_max", role_sessions_max, false},
	{"session_idle", role_session_idle, false}, {"session_life", role_session_life, false},
	{"audit", role_audit, false}, {"file_root", role_file_root, true},
	{"wall_max", role_wall, false}, {"cpu_max", role_cpu, false},
	{"memory_max", role_memory, false}, {"output_max", role_output, false},
	{"jobs_at_once", role_at_once, false}, {"jobs_per_minute", role_per_minute, false},
	{"queue_max", role_queue, false}, {"allow_degraded", role_degraded, false},
	{NULL, NULL, false}};

TAKE(token_sha256)
{
	struct token *token = token_now(parse);
	unsigned char empty[TOKEN_HASH_BYTES];
	(void)crypto_hash_sha256(empty, NULL, 0);
	if (!token_hash_read(value, token->sha256))
		config_fault(parse, parse->line,
			"sha256 is the token's SHA-256 in 64 hexadecimal digits; brig token new "
			"makes a token and this line");
	else if (memcmp(token->sha256, empty, sizeof(empty)) == 0)
		config_fault(parse, parse->line,
			"sha256 is that of an empty token; was the variable empty that was "
			"hashed?");
}

TAKE(token_role)
{
	if (config_value_name(parse, "role", value, ROLE_NAME_BYTES - 1))
		(void)snprintf(parse->token_drafts[parse->config->token_count - 1].role,
			ROLE_NAME_BYTES, "%s", value);
}

const struct config_key config_token_keys[] = {
	{"sha256", token_sha256, false}, {"role", token_role, false}, {NULL, NULL, false}};

/* A limit that a caller leaves out is the product's default, or the role's maximum if lower. */
static void finish_limits(struct role *role)
{
	struct job_limits *usual = &role->limits_default;
	const struct job_limits *max = &role->limits_max;
	if (usual->wall_ms > max->wall_ms)
		usual->wall_ms = max->wall_ms;
	if (usual->cpu_ms > max->cpu_ms)
		usual->cpu_ms = max->cpu_ms;
	if (usual->memory_bytes > max->memory_bytes)
		usual->memory_bytes = max->memory_bytes;
	if (usual->output_bytes > max->output_bytes)
		usual->output_bytes = max->output_bytes;
}

static void finish_role(struct config_parse *parse, size_t i)
{
	struct role *role = &parse->config->roles[i];
	const struct config_draft *draft = &parse->role_drafts[i];
	int line = draft->line;
	finish_limits(role);
	if (role->session_idle_ms > role->session_life_ms && !draft->has_idle)
		role->session_idle_ms = role->session_life_ms;
	if (!draft->has_at_once && role->jobs_at_once > parse->config->service.jobs_at_once)
		role->jobs_at_once = parse->config->service.jobs_at_once;
	if (draft->faulty)
		return;
	if (role->session_idle_ms > role->session_life_ms)
		config_fault(parse, line,
			"[role %s] has a session_idle above its session_life (%u s): lower the one "
			"or raise the other",
			role->name, role->session_life_ms / 1000);
	if (!role->tools)
		config_fault(parse, line,
			"[role %s] has no tools; add tools = calculate or tools = calculate, "
			"run_sandboxed",
			role->name);
}

static void finish_token(struct config_parse *parse, size_t i)
{
	static const unsigned char none[TOKEN_HASH_BYTES];
	struct token *token = &parse->config->tokens[i];
	const struct config_draft *draft = &parse->token_drafts[i];
	const char *role_name = draft->role;
	int line = draft->line;
	bool hashed = memcmp(token->sha256, none, sizeof(none)) != 0;
	if (!hashed && !draft->faulty)
		config_fault(parse, line, "[token %s] has no sha256; brig token new makes one",
			token->name);
	for (size_t j = 0; hashed && j < i; j++)
		if (memcmp(parse->config->tokens[j].sha256, token->sha256, TOKEN_HASH_BYTES) == 0)
			config_fault(parse, line,
				"[token %s] has the sha256 of [token %s]; make "
				"a token for each",
				token->name, parse->config->tokens[j].name);
	if (!role_name[0] && draft->faulty)
		return;
	if (!role_name[0]) {
		config_fault(parse, line, "[token %s] has no role; add role = NAME", token->name);
		return;
	}
	token->role = config_role(parse->config, role_name);
	if (!token->role)
		config_fault(parse, line,
			"[token %s] has role %s, which is not there; add [role %s]", token->name,
			role_name, role_name);
}

void config_roles_finish(struct config_parse *parse)
{
	for (size_t i = 0; i < parse->config->role_count; i++)
		finish_role(parse, i);
	for (size_t i = 0; i < parse->config->token_count; i++)
		finish_token(parse, i);
	if (parse->config->role_count == 0 && parse->fault_count == 0)
		config_fault(parse, parse->line,
			"no role: nobody could call anything; add [role local] with tools = …");
}

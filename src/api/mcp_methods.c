/* mcp_methods: what each method means. */
#include "api/mcp.h"

#include "api/version.h"

#include <errno.h>
#include <string.h>

/* Lists differ by role alone, which a token decides: nobody else may be given a cached one. */
#define LIST_TTL_MS 300000

/* Of the role's own tools alone. A new reference, or NULL. */
static json_t *instructions(const struct schema_facts *facts)
{
	const struct role *role = facts->role;
	bool calculates = !role || role->tools & ROLE_CALCULATE;
	bool runs = !role || role->tools & ROLE_RUN_SANDBOXED;
	if (!runs)
		return json_string("Use calculate for arithmetic; no other tool is offered here.");
	return json_sprintf(
		"Use %srun_sandboxed for everything %sthat needs Python: data, statistics, charts. "
		"Each call of run_sandboxed starts fresh%s.",
		calculates ? "calculate for plain arithmetic and " : "", calculates ? "else " : "",
		role && !role->sessions ? "" : ", unless it goes on in a session");
}

static json_t *server_info(void)
{
	return json_pack(
		"{s:s, s:s, s:s}", "name", "brig", "title", "brig", "version", BRIG_VERSION);
}

static json_t *capabilities(void)
{
	return json_pack("{s:{}, s:{}}", "tools", "resources");
}

static void answer(struct mcp_step *step, json_t *result)
{
	step->action = MCP_ANSWER;
	step->result = result;
	if (!result) {
		step->action = MCP_FAULT;
		(void)mcp_refuse(&step->fault, MCP_INTERNAL, 500, "out of memory");
	}
}

static void fault(struct mcp_step *step, int code, int status, const char *words)
{
	step->action = MCP_FAULT;
	(void)mcp_refuse(&step->fault, code, status, "%s", words);
}

static void initialize(
	const struct mcp_message *message, const struct schema_facts *facts, struct mcp_step *step)
{
	static const char *const known[] = {
		MCP_LATEST_LEGACY, "2025-06-18", "2025-03-26", "2024-11-05"};
	struct span wanted = json_text(json_object_get(message->params, "protocolVersion"));
	const char *version = MCP_LATEST_LEGACY;
	if (!wanted.len) {
		fault(step, MCP_INVALID_PARAMS, 400, "params lacks protocolVersion");
		return;
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (span_is(wanted, known[i]))
			version = known[i];
	answer(step, json_pack("{s:s, s:o, s:o, s:o}", "protocolVersion", version, "capabilities",
			     capabilities(), "serverInfo", server_info(), "instructions",
			     instructions(facts)));
}

static void discover(const struct schema_facts *facts, struct mcp_step *step)
{
	answer(step, json_pack("{s:[s], s:o, s:o, s:i, s:s}", "supportedVersions",
			     MCP_MODERN_VERSION, "capabilities", capabilities(), "instructions",
			     instructions(facts), "ttlMs", LIST_TTL_MS, "cacheScope", "private"));
}

/* Lists are short: there is one page, and any cursor is one that was never given out. */
static bool has_cursor(const struct mcp_message *message, struct mcp_step *step)
{
	if (!json_object_get(message->params, "cursor"))
		return false;
	fault(step, MCP_INVALID_PARAMS, 400, "this cursor was not given out here");
	return true;
}

static void list(
	const struct mcp_message *message, struct mcp_step *step, const char *key, json_t *items)
{
	json_t *result = items ? json_pack("{s:o}", key, items) : NULL;
	if (result && message->modern &&
		(json_put(result, "ttlMs", json_integer(LIST_TTL_MS)) ||
			json_put(result, "cacheScope", json_string("private")))) {
		json_decref(result);
		result = NULL;
	}
	answer(step, result);
}

static void list_tools(
	const struct mcp_message *message, const struct schema_facts *facts, struct mcp_step *step)
{
	if (!has_cursor(message, step))
		list(message, step, "tools", schema_tools(facts, SCHEMA_MCP));
}

static void list_templates(const struct mcp_message *message, struct mcp_step *step)
{
	if (!has_cursor(message, step))
		list(message, step, "resourceTemplates",
			json_pack("[{s:s, s:s, s:s}]", "uriTemplate",
				MCP_SCHEME "{job}/files/{+name}", "name", "file", "description",
				"A file or chart that a job left"));
}

static void call_tool(
	const struct mcp_message *message, const struct schema_facts *facts, struct mcp_step *step)
{
	const json_t *name = json_object_get(message->params, "name");
	const json_t *arguments = json_object_get(message->params, "arguments");
	step->tool_name = json_string_value(name);
	step->tool = (enum role_tool)(step->tool_name ? role_tool_by_name(step->tool_name) : 0);
	step->is_malformed = !step->tool_name || (arguments && !json_is_object(arguments));
	step->action = MCP_CALL;
	if (step->is_malformed) {
		(void)mcp_refuse(&step->fault, MCP_INVALID_PARAMS, 400,
			step->tool_name ? "arguments must be an object"
					: "params lacks the tool's name");
		step->tool = (enum role_tool)0;
		return;
	}
	step->arguments = arguments;
	/* A tool of another role's is as unknown as one that does not exist. */
	if (!step->tool || (facts->role && !(facts->role->tools & step->tool))) {
		(void)mcp_refuse(&step->fault, MCP_INVALID_PARAMS, 200, "unknown tool: %.64s",
			step->tool_name);
		step->tool = (enum role_tool)0;
	}
}

static void read_resource(const struct mcp_message *message, struct mcp_step *step)
{
	step->uri = json_text(json_object_get(message->params, "uri"));
	step->action = MCP_READ;
	if (!step->uri.len)
		fault(step, MCP_INVALID_PARAMS, 400, "params lacks the resource's uri");
}

static void notification(const struct mcp_message *message, struct mcp_step *step)
{
	step->action = MCP_NOTHING;
	if (strcmp(message->method, "notifications/cancelled") != 0)
		return;
	step->cancels = json_object_get(message->params, "requestId");
	if (step->cancels)
		step->action = MCP_CANCEL;
}

void mcp_step(const struct mcp_message *message, const struct schema_facts *facts,
	struct mcp_step *ret_step)
{
	const char *method = message->method;
	*ret_step = (struct mcp_step){.action = MCP_NOTHING};
	if (message->kind == MCP_RESPONSE)
		return;
	if (message->kind == MCP_NOTIFICATION)
		notification(message, ret_step);
	else if (!message->modern && strcmp(method, "initialize") == 0)
		initialize(message, facts, ret_step);
	else if (!message->modern && strcmp(method, "ping") == 0)
		answer(ret_step, json_object());
	else if (message->modern && strcmp(method, "server/discover") == 0)
		discover(facts, ret_step);
	else if (strcmp(method, "tools/list") == 0)
		list_tools(message, facts, ret_step);
	else if (strcmp(method, "tools/call") == 0)
		call_tool(message, facts, ret_step);
	else if (strcmp(method, "resources/templates/list") == 0)
		list_templates(message, ret_step);
	else if (strcmp(method, "resources/list") == 0)
		ret_step->action = MCP_LIST;
	else if (strcmp(method, "resources/read") == 0)
		read_resource(message, ret_step);
	else
		fault(ret_step, MCP_METHOD_NOT_FOUND, message->modern ? 404 : 200,
			"method not found");
}

static json_t *envelope(const struct mcp_message *message, const char *key, json_t *value)
{
	json_t *id = message->id ? json_deep_copy(message->id) : json_null();
	if (!value || !id) {
		json_decref(value);
		json_decref(id);
		return NULL;
	}
	return json_pack("{s:s, s:o, s:o}", "jsonrpc", "2.0", "id", id, key, value);
}

json_t *mcp_response(const struct mcp_message *message, json_t *result)
{
	if (result && message->modern) {
		json_t *meta =
			json_pack("{s:o}", "io.modelcontextprotocol/serverInfo", server_info());
		if (json_put(result, "resultType", json_string("complete")) ||
			json_put(result, "_meta", meta)) {
			json_decref(result);
			return NULL;
		}
	}
	return envelope(message, "result", result);
}

json_t *mcp_error(const struct mcp_message *message, struct mcp_fault *given)
{
	json_t *error = json_pack(
		"{s:i, s:o}", "code", given->code, "message", json_from_words(given->message));
	if (error && given->data && json_object_set(error, "data", given->data) < 0) {
		json_decref(error);
		error = NULL;
	}
	json_decref(given->data);
	given->data = NULL;
	return envelope(message, "error", error);
}

json_t *mcp_progress(const struct mcp_message *message, double progress, const char *words)
{
	json_t *token = json_deep_copy(message->progress);
	return token ? json_pack("{s:s, s:s, s:{s:o, s:f, s:s}}", "jsonrpc", "2.0", "method",
			       "notifications/progress", "params", "progressToken", token,
			       "progress", progress, "message", words)
		     : NULL;
}

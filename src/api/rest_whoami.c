/* rest_whoami: what the caller is here, and how far it may go. */
#include "api/rest.h"

static json_t *tools_of(const struct role *role)
{
	json_t *tools = json_array();
	int rc = 0;
	if (role->tools & ROLE_CALCULATE)
		rc |= json_push(tools, json_string(ROLE_TOOL_CALCULATE));
	if (role->tools & ROLE_RUN_SANDBOXED)
		rc |= json_push(tools, json_string(ROLE_TOOL_RUN));
	if (!rc)
		return tools;
	json_decref(tools);
	return NULL;
}

json_t *rest_limits(const struct job_limits *limits)
{
	return json_pack("{s:I, s:I, s:I, s:I}", "wall_ms", (json_int_t)limits->wall_ms, "cpu_ms",
		(json_int_t)limits->cpu_ms, "memory_bytes", (json_int_t)limits->memory_bytes,
		"output_bytes", (json_int_t)limits->output_bytes);
}

void rest_whoami(struct rest *rest)
{
	const struct role *role = rest->who.role;
	cleanup_json json_t *object = json_object();
	int rc = json_put(object, "role", json_string(role->name)) |
		 json_put(object, "tools", tools_of(role)) |
		 json_put(object, "audit", json_boolean(rest->who.audit)) |
		 json_put(object, "sessions", json_boolean(role->sessions));
	/* Of jobs: who may have none is told none. */
	if (role->tools & ROLE_RUN_SANDBOXED)
		rc |= json_put(object, "limits", rest_limits(&role->limits_default)) |
		      json_put(object, "limits_max", rest_limits(&role->limits_max));
	if (rest->who.token[0])
		rc |= json_put(object, "token", json_string(rest->who.token));
	if (rc)
		rest_problem(rest, 503, NULL, "out of memory", 1);
	else
		rest_json(rest, 200, object);
}

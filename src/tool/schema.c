/* schema: the tools put together in the shapes that clients paste. */
#include "tool/schema.h"

#include "tool/schema_text.h"
#include "tool/text.h"

#define DESCRIPTION_BYTES 4096u

static json_t *parse(const char *text)
{
	json_error_t error;
	return json_loads(text, JSON_REJECT_DUPLICATES, &error);
}

json_t *schema_input(enum role_tool tool, bool sessions)
{
	if (tool == ROLE_CALCULATE)
		return parse(schema_calculate_input);
	cleanup_json json_t *schema = parse(schema_run_input);
	json_t *properties = json_object_get(schema, "properties");
	int rc = sessions ? json_put(properties, "session", parse(schema_run_session)) : 0;
	return rc ? NULL : TAKE_JSON(schema);
}

static bool may_have_sessions(const struct schema_facts *facts)
{
	return !facts->role || facts->role->sessions;
}

json_t *schema_output(enum role_tool tool)
{
	return parse(tool == ROLE_CALCULATE ? schema_calculate_output : schema_run_output);
}

static int put_limits(struct buf *out, const struct schema_facts *facts)
{
	const struct job_limits *limits =
		facts->role ? &facts->role->limits_default : &limits_default;
	char wall[TEXT_FIGURE_BYTES], cpu[TEXT_FIGURE_BYTES], memory[TEXT_FIGURE_BYTES];
	return buf_printf(out,
		"Limits unless you ask otherwise: %s wall time, %s CPU, %s memory, one CPU, 64 "
		"processes. ",
		text_ms(limits->wall_ms, wall), text_ms(limits->cpu_ms, cpu),
		text_bytes(limits->memory_bytes, memory));
}

static int put_roots(struct buf *out, const struct role *role)
{
	int rc = 0;
	if (!role || !role->root_count)
		return 0;
	rc = buf_add_text(out, "Folders that files[].path may begin with: ");
	for (size_t i = 0; !rc && i < role->root_count; i++)
		rc = buf_printf(out, "%s%s", i ? ", " : "", role->roots[i].name);
	return rc ? rc : buf_add_text(out, ". ");
}

static const char with_sessions[] =
	"A call without session starts fresh: import and define all that is needed. To work in "
	"steps pass session: \"new\", then the session id that the result gives: variables, "
	"imports and files stay until it ends; a lost session says so. ";

static const char without_sessions[] =
	"Every call starts fresh: nothing is kept from earlier calls, so import and define all "
	"that is needed. ";

static int put_run_description(struct buf *out, const struct schema_facts *facts)
{
	int rc = buf_printf(out,
		"Runs a Python%s%s script in a sandbox of its own and returns what it printed, the "
		"value of the last expression, tables, charts and files. ",
		facts->python[0] ? " " : "", facts->python);
	if (!rc && facts->advertise[0])
		rc = buf_printf(out, "Installed: the standard library, %s. ", facts->advertise);
	if (!rc)
		rc = buf_add_text(out, "No network, no package installs, no other programs. ");
	if (!rc)
		rc = buf_add_text(out, may_have_sessions(facts) ? with_sessions : without_sessions);
	if (!rc)
		rc = buf_add_text(out,
			"The working folder is /mnt/data: inputs are there under their "
			"names, read-only, and what the script writes there comes back as files "
			"(32 at most, 64 MiB together). The last expression is shown unless it "
			"ends "
			"in ;, a DataFrame as a table; display(x) shows more; each matplotlib "
			"figure becomes a chart, no savefig needed. Top-level await works. ");
	if (!rc)
		rc = put_limits(out, facts);
	if (!rc)
		rc = put_roots(out, facts->role);
	if (!rc)
		rc = buf_add_text(out,
			"Of each stream 32 KiB are returned, head and tail: print summaries, not "
			"whole data.");
	return rc;
}

static json_t *description(enum role_tool tool, const struct schema_facts *facts)
{
	cleanup_buf struct buf text = {0};
	buf_init(&text, DESCRIPTION_BYTES);
	bool has_run = !facts->role || facts->role->tools & ROLE_RUN_SANDBOXED;
	if (tool == ROLE_CALCULATE)
		return json_sprintf(
			"%s%s", schema_calculate_description, has_run ? schema_calculate_else : "");
	if (put_run_description(&text, facts) < 0)
		return NULL;
	return json_from_text(span_of(text.data, text.len));
}

static json_t *annotations(const char *title, bool idempotent)
{
	/* Neither tool changes anything beyond its own result, nor reaches out. */
	return json_pack("{s:s, s:b, s:b, s:b, s:b}", "title", title, "readOnlyHint", 1,
		"destructiveHint", 0, "idempotentHint", idempotent, "openWorldHint", 0);
}

static const char *name_of(enum role_tool tool)
{
	return tool == ROLE_CALCULATE ? ROLE_TOOL_CALCULATE : ROLE_TOOL_RUN;
}

static json_t *openai_tool(enum role_tool tool, const struct schema_facts *facts)
{
	json_t *parameters = schema_input(tool, may_have_sessions(facts));
	(void)json_object_del(parameters, "$schema");
	return json_pack("{s:s, s:{s:s, s:o, s:o}}", "type", "function", "function", "name",
		name_of(tool), "description", description(tool, facts), "parameters", parameters);
}

static json_t *anthropic_tool(enum role_tool tool, const struct schema_facts *facts)
{
	json_t *parameters = schema_input(tool, may_have_sessions(facts));
	(void)json_object_del(parameters, "$schema");
	return json_pack("{s:s, s:o, s:o}", "name", name_of(tool), "description",
		description(tool, facts), "input_schema", parameters);
}

json_t *schema_tool(
	enum role_tool tool, const struct schema_facts *facts, enum schema_format format)
{
	const char *title = tool == ROLE_CALCULATE ? "Calculator" : "Python sandbox";
	switch (format) {
	case SCHEMA_OPENAI:
		return openai_tool(tool, facts);
	case SCHEMA_ANTHROPIC:
		return anthropic_tool(tool, facts);
	case SCHEMA_MCP:
		break;
	}
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "name", name_of(tool), "title", title,
		"description", description(tool, facts), "inputSchema",
		schema_input(tool, may_have_sessions(facts)), "outputSchema", schema_output(tool),
		"annotations", annotations(title, tool == ROLE_CALCULATE));
}

json_t *schema_tools(const struct schema_facts *facts, enum schema_format format)
{
	static const enum role_tool tools[] = {ROLE_CALCULATE, ROLE_RUN_SANDBOXED};
	cleanup_json json_t *list = json_array();
	for (size_t i = 0; i < 2; i++) {
		if (facts->role && !(facts->role->tools & tools[i]))
			continue;
		if (json_push(list, schema_tool(tools[i], facts, format)) < 0)
			return NULL;
	}
	return TAKE_JSON(list);
}

/* openapi: paths as text, schemas from the tools' own. */
#include "api/openapi.h"

#include "api/openapi_text.h"
#include "tool/schema.h"

static json_t *parse(const char *text)
{
	json_error_t error;
	return json_loads(text, JSON_REJECT_DUPLICATES, &error);
}

static int add_schema(json_t *document, const char *name, json_t *schema)
{
	json_t *schemas = json_object_get(json_object_get(document, "components"), "schemas");
	(void)json_object_del(schema, "$schema");
	return json_put(schemas, name, schema);
}

static int add_paths(json_t *document)
{
	static const char *const texts[] = {openapi_tool_paths, openapi_job_paths,
		openapi_session_paths, openapi_audit_paths, openapi_server_paths};
	json_t *paths = json_object();
	int rc = json_put(document, "paths", paths);
	for (size_t i = 0; !rc && i < sizeof(texts) / sizeof(texts[0]); i++) {
		cleanup_json json_t *some = parse(texts[i]);
		rc = some && json_object_update(paths, some) == 0 ? 0 : -1;
	}
	return rc;
}

json_t *openapi_document(const char *server_url)
{
	cleanup_json json_t *document = parse(openapi_frame);
	json_t *servers = json_pack("[{s:s}]", "url", server_url[0] ? server_url : "/");
	int rc = json_put(document, "servers", servers);
	if (!rc)
		rc = add_paths(document);
	if (!rc)
		rc = add_schema(document, "RunRequest", schema_input(ROLE_RUN_SANDBOXED, true));
	if (!rc)
		rc = add_schema(document, "RunResult", schema_output(ROLE_RUN_SANDBOXED));
	if (!rc)
		rc = add_schema(document, "CalculateRequest", schema_input(ROLE_CALCULATE, false));
	if (!rc)
		rc = add_schema(document, "CalculateResult", schema_output(ROLE_CALCULATE));
	return rc ? NULL : TAKE_JSON(document);
}

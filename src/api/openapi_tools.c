/* openapi_tools: the paths of the tools. */
#include "api/openapi_text.h"

const char openapi_tool_paths[] =
	"{\"/v1/run\": {\"post\": {\"operationId\": \"run\", \"tags\": [\"tools\"],"
	"\"summary\": \"Run Python code in a jail of its own\","
	"\"description\": \"With Accept: text/event-stream the job comes as events: job, stdout, "
	"stderr, result, problem. A client that goes away cancels its job. Larger inputs come as "
	"multipart/form-data: a part `request` with the JSON, `code` or `stdin` as text, and parts "
	"`files` with a file name each.\","
	"\"requestBody\": {\"required\": true, \"content\": {\"application/json\": {\"schema\": "
	"{\"$ref\": \"#/components/schemas/RunRequest\"}}, \"multipart/form-data\": {\"schema\": "
	"{\"type\": \"object\", \"properties\": {\"request\": {\"type\": \"string\"},"
	"\"code\": {\"type\": \"string\"}, \"stdin\": {\"type\": \"string\"},"
	"\"files\": {\"type\": \"array\", \"items\": {\"type\": \"string\","
	"\"contentMediaType\": \"application/octet-stream\"}}}}}}},"
	"\"responses\": {\"200\": {\"description\": \"The job ran; its outcome says how it ended\","
	"\"content\": {\"application/json\": {\"schema\": "
	"{\"$ref\": \"#/components/schemas/RunResult\"}}, \"text/event-stream\": {\"schema\": "
	"{\"type\": \"string\"}}}}," CALL_PROBLEMS "}}},"
	"\"/v1/calculate\": {\"post\": {\"operationId\": \"calculate\", \"tags\": [\"tools\"],"
	"\"summary\": \"Evaluate arithmetic\","
	"\"requestBody\": {\"required\": true, " JSON_CONTENT(
		"CalculateRequest") "},"
				    "\"responses\": {\"200\": {\"description\": \"A value, or the "
				    "error the expression has\"," JSON_CONTENT(
					    "CalculateResult") "}," CALL_PROBLEMS "}}},"
							       "\"/v1/tools\": {\"get\": "
							       "{\"operationId\": \"tools\", "
							       "\"tags\": [\"tools\"],"
							       "\"summary\": \"The tools of the "
							       "caller's role, as MCP lists them\","
							       "\"responses\": {\"200\": "
							       "{\"description\": \"The list\", "
							       "\"content\": "
							       "{\"application/json\": "
							       "{\"schema\": {\"type\": "
							       "\"object\"}}}}," PROBLEM("401",
								       "A token is needed") "}}}}";

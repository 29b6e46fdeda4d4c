/* openapi_text: the document as text, for openapi.c; and what its pieces share. */
#ifndef BRIG_API_OPENAPI_TEXT_H
#define BRIG_API_OPENAPI_TEXT_H

extern const char openapi_tool_paths[];
extern const char openapi_job_paths[];
extern const char openapi_session_paths[];
extern const char openapi_audit_paths[];
extern const char openapi_server_paths[];
extern const char openapi_frame[];

#define PROBLEM(status, words)                                                                     \
	"\"" status "\": {\"description\": \"" words "\", \"content\": "                           \
	"{\"application/problem+json\": {\"schema\": "                                             \
	"{\"$ref\": \"#/components/schemas/Problem\"}}}}"

#define CALL_PROBLEMS                                                                              \
	PROBLEM("400", "Malformed JSON")                                                           \
	"," PROBLEM("401", "A token is needed") "," PROBLEM(                                       \
		"403", "The role has no such tool") "," PROBLEM("413",                             \
		"Too large") "," PROBLEM("415", "Not JSON") "," PROBLEM("422",                     \
		"A field is not acceptable; `field` names it") "," PROBLEM("429",                  \
		"Beyond the role's quota; see Retry-After") "," PROBLEM("503",                     \
		"Not now; see Retry-After")

#define JSON_CONTENT(name)                                                                         \
	"\"content\": {\"application/json\": {\"schema\": "                                        \
	"{\"$ref\": \"#/components/schemas/" name "\"}}}"

#define ID_PARAMETER                                                                               \
	"{\"name\": \"id\", \"in\": \"path\", \"required\": true, "                                \
	"\"schema\": {\"type\": \"string\"}}"

#endif

/* openapi_audit: the log, and who the caller is. */
#include "api/openapi_text.h"

/* clang-format off */
#define TEXT_PARAMETER(name, words)                                                                \
	"{\"name\": \"" name "\", \"in\": \"query\", \"description\": \"" words "\", "             \
	"\"schema\": {\"type\": \"string\", \"maxLength\": 255}}"
#define NUMBER_PARAMETER(name, words)                                                              \
	"{\"name\": \"" name "\", \"in\": \"query\", \"description\": \"" words "\", "             \
	"\"schema\": {\"type\": \"integer\", \"minimum\": 1}}"
#define OBJECT_RESPONSE(words)                                                                     \
	"\"200\": {\"description\": \"" words "\", \"content\": "                                  \
	"{\"application/json\": {\"schema\": {\"type\": \"object\"}}}}"
#define AUDIT_PROBLEMS                                                                             \
	PROBLEM("401", "A token is needed") ","                                                    \
	PROBLEM("403", "The role does not read the audit log") ","                                 \
	PROBLEM("503", "Not now; see Retry-After")

const char openapi_audit_paths[] =
	"{\"/v1/whoami\": {\"get\": {\"operationId\": \"whoami\", \"tags\": [\"server\"],"
	"\"summary\": \"The caller's role, its tools and its limits\","
	"\"responses\": {" OBJECT_RESPONSE("The role") ","
	PROBLEM("401", "A token is needed") "}}},"
	"\"/v1/audit\": {\"get\": {\"operationId\": \"audit\", \"tags\": [\"audit\"],"
	"\"summary\": \"Calls in the log, the latest first\", \"parameters\": ["
	TEXT_PARAMETER("role", "Of this role") ","
	TEXT_PARAMETER("outcome", "With this outcome; running, rejected, interrupted too") ","
	TEXT_PARAMETER("since", "A moment: 2026-11-30T08:15:00, or 15m, 2h, 7d ago") ","
	TEXT_PARAMETER("until", "A moment") ","
	TEXT_PARAMETER("text", "In code, stdin, output, error, tool or inputs") ","
	NUMBER_PARAMETER("before", "Only calls that began before this row: the next page") ","
	NUMBER_PARAMETER("limit", "50 unless said, 200 at most") "],"
	"\"responses\": {" OBJECT_RESPONSE("`calls`, each with the beginning of its code") ","
	AUDIT_PROBLEMS "," PROBLEM("422", "A filter is not acceptable") "}}},"
	"\"/v1/audit/verify\": {\"get\": {\"operationId\": \"auditVerify\", \"tags\": [\"audit\"],"
	"\"summary\": \"Whether any row was changed, moved or is missing\","
	"\"responses\": {" OBJECT_RESPONSE("`good`, what was read, and the `fault` if there is one")
	"," AUDIT_PROBLEMS "}}},"
	"\"/v1/audit/{id}\": {\"parameters\": [" ID_PARAMETER "],"
	"\"get\": {\"operationId\": \"auditCall\", \"tags\": [\"audit\"],"
	"\"summary\": \"The rows of one call, by its id or the number of one of its rows\","
	"\"responses\": {" OBJECT_RESPONSE("`rows`, redacted as they were written") ","
	AUDIT_PROBLEMS "," PROBLEM("404", "No such call in the log") "}}}}";

/* openapi_frame: what stands around the paths. */
#include "api/openapi_text.h"

#include "api/version.h"

const char openapi_frame[] =
	"{\"openapi\": \"3.1.0\","
	"\"info\": {\"title\": \"brig\", \"version\": \"" BRIG_VERSION "\","
	"\"description\": \"A code interpreter for agents: Python in a jail, and arithmetic.\","
	"\"license\": {\"name\": \"See the LICENSE file\", \"identifier\": \"LicenseRef-brig\"}},"
	"\"security\": [{}, {\"token\": []}],"
	"\"tags\": [{\"name\": \"tools\", \"description\": \"What a model may call\"},"
	"{\"name\": \"jobs\", \"description\": \"What has been called\"},"
	"{\"name\": \"audit\", \"description\": \"The log of all calls\"},"
	"{\"name\": \"server\", \"description\": \"The server itself\"}],"
	"\"components\": {\"securitySchemes\": {\"token\": {\"type\": \"http\","
	"\"scheme\": \"bearer\"}}, \"schemas\": {"
	"\"Problem\": {\"type\": \"object\", \"description\": \"RFC 9457\", \"properties\": {"
	"\"type\": {\"type\": \"string\"}, \"title\": {\"type\": \"string\"},"
	"\"status\": {\"type\": \"integer\"}, \"detail\": {\"type\": \"string\"},"
	"\"field\": {\"type\": \"string\"}}, \"required\": [\"type\", \"title\", \"status\"]},"
	"\"Job\": {\"type\": \"object\", \"properties\": {\"job_id\": {\"type\": \"string\"},"
	"\"state\": {\"type\": \"string\", \"enum\": [\"queued\", \"running\", \"done\"]},"
	"\"role\": {\"type\": \"string\"}, \"token\": {\"type\": \"string\"},"
	"\"accepted_at\": {\"type\": \"string\", \"format\": \"date-time\"},"
	"\"ended_at\": {\"type\": \"string\", \"format\": \"date-time\"},"
	"\"outcome\": {\"type\": \"string\"},"
	"\"result\": {\"$ref\": \"#/components/schemas/RunResult\"}}}}}}";

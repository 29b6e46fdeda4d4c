/* openapi_sessions: sessions and their files. */
#include "api/openapi_text.h"

#define NO_TOKEN PROBLEM("401", "A token is needed")
#define NO_SESSION PROBLEM("404", "No such session of the caller's")
#define NO_FILE PROBLEM("404", "No such session of the caller's, or no such file")
#define LOST PROBLEM("410", "The session is lost; `detail` says why and how to begin again")
#define NO_ROOM PROBLEM("507", "No room in the session's work folder, or in its memory")
#define BUSY PROBLEM("409", "A call is running, or the path is a folder's or leads through a file")
#define ANY_BYTES "\"content\": {\"application/octet-stream\": {}}"
#define PATH_PARAMETER                                                                             \
	"{\"name\": \"path\", \"in\": \"path\", \"required\": true, \"description\": "             \
	"\"Below the work folder; may hold slashes, and with one at its end lists a folder\", "    \
	"\"schema\": {\"type\": \"string\"}}"
#define THE_SESSION JSON_CONTENT("Session")
#define THE_LIST JSON_CONTENT("SessionFiles")

const char openapi_session_paths[] =
	"{\"/v1/sessions\": {\"get\": {\"operationId\": \"sessions\", \"tags\": [\"sessions\"],"
	"\"summary\": \"The caller's own sessions, the newest first, and those lost of late\","
	"\"responses\": {\"200\": {\"description\": \"The list\", \"content\": "
	"{\"application/json\": {\"schema\": {\"type\": \"object\", \"properties\": {\"sessions\": "
	"{\"type\": \"array\", \"items\": {\"$ref\": "
	"\"#/components/schemas/Session\"}}}}}}}," NO_TOKEN "}},"
	"\"post\": {\"operationId\": \"sessionBegin\", \"tags\": [\"sessions\"],"
	"\"summary\": \"Begin a session, as session: new in a run does\","
	"\"requestBody\": {\"required\": true, \"content\": {\"application/json\": {\"schema\": "
	"{\"type\": \"object\", \"properties\": {"
	"\"limits\": {\"type\": \"object\", \"description\": \"As of a run: memory bounds the "
	"whole, the others are what "
	"its calls get that name none\"},"
	"\"idle_ms\": {\"type\": \"integer\", \"minimum\": 1, \"description\": \"How long it may "
	"be "
	"without a call\"},"
	"\"life_ms\": {\"type\": \"integer\", \"minimum\": 1, \"description\": \"How old it may "
	"become\"}}}}}},"
	"\"responses\": {\"201\": {\"description\": \"It is there\"," THE_SESSION "}," CALL_PROBLEMS
	"}}},"
	"\"/v1/sessions/{id}\": {\"parameters\": [" ID_PARAMETER "],"
	"\"get\": {\"operationId\": \"session\", \"tags\": [\"sessions\"],"
	"\"summary\": \"One session, or what became of it\","
	"\"responses\": {\"200\": {\"description\": \"The session\"," THE_SESSION "}," NO_TOKEN
	"," NO_SESSION "}},"
	"\"delete\": {\"operationId\": \"sessionEnd\", \"tags\": [\"sessions\"],"
	"\"summary\": \"End a session and cancel its call\","
	"\"responses\": {\"204\": {\"description\": \"It is gone\"}," NO_TOKEN "," NO_SESSION "}}},"
	"\"/v1/sessions/{id}/files\": {\"parameters\": [" ID_PARAMETER "],"
	"\"get\": {\"operationId\": \"sessionFiles\", \"tags\": [\"sessions\"],"
	"\"summary\": \"What is in the work folder, with its folders' contents\","
	"\"responses\": {\"200\": {\"description\": \"The list\"," THE_LIST "}," NO_TOKEN
	"," NO_SESSION "," LOST "}}},"
	"\"/v1/sessions/{id}/files/{path}\": {\"parameters\": [" ID_PARAMETER "," PATH_PARAMETER
	"],"
	"\"get\": {\"operationId\": \"sessionFile\", \"tags\": [\"sessions\"],"
	"\"summary\": \"A file\","
	"\"responses\": {\"200\": {\"description\": \"Its bytes\"," ANY_BYTES "}," NO_TOKEN
	"," NO_FILE "," LOST "}},"
	"\"put\": {\"operationId\": \"sessionFilePut\", \"tags\": [\"sessions\"],"
	"\"summary\": \"Make or replace a file, and the folders above it\","
	"\"requestBody\": {\"required\": true, " ANY_BYTES "},"
	"\"responses\": {\"201\": {\"description\": \"It is there\", \"content\": "
	"{\"application/json\": {\"schema\": {\"type\": \"object\", \"properties\": {"
	"\"name\": {\"type\": \"string\"}, \"bytes\": {\"type\": \"integer\"},"
	"\"sha256\": {\"type\": \"string\"}}}}}}," NO_TOKEN "," NO_SESSION "," BUSY "," LOST
	"," NO_ROOM "}},"
	"\"delete\": {\"operationId\": \"sessionFileRemove\", \"tags\": [\"sessions\"],"
	"\"summary\": \"Remove a file, or a folder with all that is in it\","
	"\"responses\": {\"204\": {\"description\": \"It is gone\"}," NO_TOKEN "," NO_FILE "," BUSY
	"," LOST "}}}}";

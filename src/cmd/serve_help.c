/* serve_help: what `brig serve -h` says. */
#include "cmd/serve_help.h"

const char serve_help[] =
	"usage: brig serve [--config FILE] [--listen ADDR:PORT] [--socket PATH]\n"
	"                  [--allow-degraded LAYERS]\n"
	"       brig serve --check-config [FILE]\n"
	"\n"
	"Serves REST and MCP over HTTP.\n"
	"\n"
	"  --config FILE            roles, tokens, limits (/etc/brig/brig.ini if it is there)\n"
	"  --listen ADDR:PORT       127.0.0.1:7777; port 0 takes a free one\n"
	"  --socket PATH            Unix socket (/run/brig/http.sock, or in XDG_RUNTIME_DIR);\n"
	"                           \"none\" for no such socket\n"
	"  --allow-degraded LAYERS  serve although the host lacks these; see brig doctor\n"
	"  --check-config FILE      say what is wrong with a configuration, and leave\n"
	"\n"
	"A line of JSON on stderr says when it is ready, and where. SIGHUP reads the "
	"configuration\n"
	"again, SIGTERM lets what runs finish.\n";

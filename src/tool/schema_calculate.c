/* schema_calculate: what the tool `calculate` says of itself. */
#include "tool/schema_text.h"

const char schema_calculate_description[] =
	"Evaluates one arithmetic expression exactly as Python does, and nothing else. Allowed: "
	"int "
	"and float literals (1_000, 0xff, 1e3), + - * / % ** and unary minus, parentheses. No "
	"names, "
	"no calls, no comparisons, no //, no thousands separators; a power is written 2**10, not "
	"2^10. At most 4,096 bytes. The result is a double (8.0 for 2 ** 3) and, beside it, the "
	"exact "
	"value as integer, decimal or fraction where it differs: 0.1 + 0.2 gives "
	"0.30000000000000004 (exactly 0.3).";

const char schema_calculate_else[] =
	" For functions, variables, statistics or data use run_sandboxed.";

const char schema_calculate_input[] =
	"{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\", \"type\": \"object\","
	"\"properties\": {\"expr\": {\"type\": \"string\", \"maxLength\": 4096,"
	"\"description\": \"Arithmetic in Python's syntax, for example (3 + 4) * 10 / 2 ** 0.5\"}},"
	"\"required\": [\"expr\"], \"additionalProperties\": false}";

const char schema_calculate_output[] =
	"{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\", \"type\": \"object\","
	"\"properties\": {"
	"\"value\": {\"type\": \"number\","
	"\"description\": \"The double; absent where it is infinite or not a number\"},"
	"\"text\": {\"type\": \"string\", \"description\": \"As Python prints it, with the exact "
	"value where that differs\"},"
	"\"exact\": {\"type\": \"string\","
	"\"description\": \"Integer, finite decimal or fraction, over the rationals\"},"
	"\"error\": {\"type\": \"object\", \"properties\": {"
	"\"type\": {\"type\": \"string\"}, \"message\": {\"type\": \"string\"},"
	"\"column\": {\"type\": \"integer\"}, \"hint\": {\"type\": \"string\"}},"
	"\"required\": [\"type\", \"message\"]}}}";

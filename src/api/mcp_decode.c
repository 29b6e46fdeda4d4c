/* mcp_decode: JSON-RPC's shape, the era, and the fields of HTTP that repeat what the body says. */
#include "api/mcp.h"

#include "api/request.h"

#include <errno.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>

#define META_VERSION "io.modelcontextprotocol/protocolVersion"
#define META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define NAME_BYTES_MAX 4096u

static const char *const legacy_versions[] = {
	MCP_LATEST_LEGACY, "2025-06-18", "2025-03-26", "2024-11-05"};

int mcp_refuse(struct mcp_fault *fault, int code, int status, const char *format, ...)
{
	va_list arguments;
	fault->code = code;
	fault->status = status;
	fault->data = NULL;
	va_start(arguments, format);
	(void)vsnprintf(fault->message, sizeof(fault->message), format, arguments);
	va_end(arguments);
	return -EINVAL;
}

void mcp_message_done(struct mcp_message *message)
{
	json_decref(message->root);
	*message = (struct mcp_message){0};
}

static int refuse_version(struct mcp_fault *fault, struct span requested)
{
	json_t *data = json_pack("{s:[s], s:o}", "supported", MCP_MODERN_VERSION, "requested",
		json_from_text(requested));
	(void)mcp_refuse(fault, MCP_UNSUPPORTED_VERSION, 400, "unsupported protocol version");
	fault->data = data;
	return -EINVAL;
}

static bool is_id(const json_t *id)
{
	return json_is_string(id) || json_is_integer(id) || json_is_real(id);
}

static int read_shape(struct mcp_message *message, struct mcp_fault *fault)
{
	const json_t *root = message->root;
	const json_t *method = json_object_get(root, "method");
	const json_t *id = json_object_get(root, "id");
	const json_t *params = json_object_get(root, "params");
	if (json_is_array(root))
		return mcp_refuse(fault, MCP_INVALID_REQUEST, 400,
			"batches are not taken; send one message at a time");
	if (!json_is_object(root))
		return mcp_refuse(fault, MCP_INVALID_REQUEST, 400, "a message is a JSON object");
	if (is_id(id))
		message->id = id;
	if (!span_is(json_text(json_object_get(root, "jsonrpc")), "2.0"))
		return mcp_refuse(fault, MCP_INVALID_REQUEST, 400, "jsonrpc must be \"2.0\"");
	message->method = "";
	if (!method && (json_object_get(root, "result") || json_object_get(root, "error"))) {
		message->kind = MCP_RESPONSE;
		return 0;
	}
	if (!json_is_string(method))
		return mcp_refuse(fault, MCP_INVALID_REQUEST, 400, "method must be a string");
	if (id && !message->id)
		return mcp_refuse(
			fault, MCP_INVALID_REQUEST, 400, "id must be a string or a number");
	message->method = json_string_value(method);
	message->kind = id ? MCP_REQUEST : MCP_NOTIFICATION;
	if (params && !json_is_object(params))
		return mcp_refuse(fault, MCP_INVALID_PARAMS, 400, "params must be an object");
	message->params = params;
	return 0;
}

/* RFC 2047's form, which the specification borrows for what a field cannot hold as it is. */
static bool field_is(struct span field, struct span wanted)
{
	static const char open[] = "=?base64?", close[] = "?=";
	char decoded[NAME_BYTES_MAX];
	size_t bytes = 0, around = sizeof(open) - 1 + sizeof(close) - 1;
	field = http_trim(field);
	if (field.len >= around && memcmp(field.data, open, sizeof(open) - 1) == 0 &&
		memcmp(field.data + field.len - 2, close, 2) == 0) {
		const char *text = (const char *)field.data + sizeof(open) - 1;
		if (sodium_base642bin((unsigned char *)decoded, sizeof(decoded), text,
			    field.len - around, NULL, &bytes, NULL,
			    sodium_base64_VARIANT_ORIGINAL) != 0)
			return false;
		field = span_of(decoded, bytes);
	}
	return field.len == wanted.len && memcmp(field.data, wanted.data, wanted.len) == 0;
}

static int mismatch(struct mcp_fault *fault, const char *name)
{
	return mcp_refuse(fault, MCP_HEADER_MISMATCH, 400, "%s and the message do not agree", name);
}

/* What a proxy routes by must be what the message says. */
static int check_fields(const struct mcp_message *message, const struct http_head *head,
	struct span version, struct mcp_fault *fault)
{
	struct span said = http_field(head, "mcp-protocol-version");
	struct span method = http_field(head, "mcp-method");
	struct span name = http_field(head, "mcp-name");
	if (!said.data || !field_is(said, version))
		return mismatch(fault, "MCP-Protocol-Version");
	if (!method.data || !field_is(method, span_text(message->method)))
		return mismatch(fault, "Mcp-Method");
	const char *key = NULL;
	if (strcmp(message->method, "tools/call") == 0 ||
		strcmp(message->method, "prompts/get") == 0)
		key = "name";
	if (strcmp(message->method, "resources/read") == 0)
		key = "uri";
	if (!key)
		return 0;
	struct span wanted = json_text(json_object_get(message->params, key));
	return !name.data || !field_is(name, wanted) ? mismatch(fault, "Mcp-Name") : 0;
}

static int check_modern(const struct mcp_message *message, const struct http_head *head,
	const json_t *meta, struct mcp_fault *fault)
{
	struct span version = json_text(json_object_get(meta, META_VERSION));
	if (!version.len)
		return mcp_refuse(
			fault, MCP_INVALID_PARAMS, 400, "params._meta lacks " META_VERSION);
	if (head) {
		int rc = check_fields(message, head, version, fault);
		if (rc < 0)
			return rc;
	}
	if (!span_is(version, MCP_MODERN_VERSION))
		return refuse_version(fault, version);
	if (message->kind == MCP_REQUEST &&
		!json_is_object(json_object_get(meta, META_CAPABILITIES)))
		return mcp_refuse(
			fault, MCP_INVALID_PARAMS, 400, "params._meta lacks " META_CAPABILITIES);
	return 0;
}

static int check_legacy(const struct http_head *head, struct mcp_fault *fault)
{
	struct span said = head ? http_field(head, "mcp-protocol-version") : span_of(NULL, 0);
	if (!said.data)
		return 0;
	for (size_t i = 0; i < sizeof(legacy_versions) / sizeof(legacy_versions[0]); i++)
		if (span_is(said, legacy_versions[i]))
			return 0;
	return refuse_version(fault, said);
}

/* A version in the message, or one in the field that the older eras do not have, decides. */
static bool is_modern(
	const struct mcp_message *message, const struct http_head *head, const json_t *meta)
{
	struct span said = head ? http_field(head, "mcp-protocol-version") : span_of(NULL, 0);
	return json_object_get(meta, META_VERSION) || span_is(said, MCP_MODERN_VERSION) ||
	       strcmp(message->method, "server/discover") == 0;
}

int mcp_decode(struct span text, const struct http_head *head, struct mcp_message *ret_message,
	struct mcp_fault *ret_fault)
{
	json_error_t error;
	*ret_message = (struct mcp_message){.method = ""};
	ret_fault->data = NULL;
	int rc = json_receive(text, &ret_message->root, &error);
	if (rc == -E2BIG)
		return mcp_refuse(ret_fault, MCP_PARSE_ERROR, 400, "%s", error.text);
	if (rc < 0)
		return mcp_refuse(ret_fault, MCP_PARSE_ERROR, 400,
			"malformed JSON at line %d, column %d", error.line, error.column);
	rc = read_shape(ret_message, ret_fault);
	if (rc < 0)
		return rc;
	const json_t *meta = json_object_get(ret_message->params, "_meta");
	ret_message->modern = is_modern(ret_message, head, meta);
	const json_t *progress = json_object_get(meta, "progressToken");
	if (is_id(progress))
		ret_message->progress = progress;
	if (ret_message->kind == MCP_RESPONSE)
		return 0;
	if (ret_message->modern)
		return check_modern(ret_message, head, meta, ret_fault);
	return check_legacy(head, ret_fault);
}

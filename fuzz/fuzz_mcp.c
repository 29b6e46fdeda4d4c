/*
 * fuzz_mcp: any bytes as a message of MCP, with and without the fields of HTTP before it.
 *
 * It traps where a message is neither answered, nor refused, nor passed over, and where what is
 * sent back cannot be read again.
 */
#include "api/mcp.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		__builtin_trap();
}

/* Takes `reply`. */
static void check_reply(json_t *reply)
{
	cleanup_buf struct buf text = {0};
	json_t *again = NULL;
	buf_init(&text, 16 * MIB);
	require(reply && json_object_get(reply, "id") != NULL);
	require((json_object_get(reply, "result") != NULL) !=
		(json_object_get(reply, "error") != NULL));
	if (json_write(reply, &text) == 0)
		require(json_read(span_of(text.data, text.len), &again) == 0);
	json_decref(again);
	json_decref(reply);
}

static void check_step(const struct mcp_message *message, struct mcp_step *step)
{
	switch (step->action) {
	case MCP_ANSWER:
		check_reply(mcp_response(message, step->result));
		break;
	case MCP_FAULT:
		check_reply(mcp_error(message, &step->fault));
		break;
	case MCP_CALL:
		/* One that cannot be made is told of as a call all the same, for the log. */
		require(step->tool_name || step->is_malformed);
		require(!step->arguments || json_is_object(step->arguments) || step->is_malformed);
		if (!step->tool || step->is_malformed)
			check_reply(mcp_error(message, &step->fault));
		break;
	case MCP_READ:
		require(step->uri.len > 0);
		break;
	case MCP_CANCEL:
		require(message->kind == MCP_NOTIFICATION && step->cancels);
		break;
	case MCP_NOTHING:
		require(message->kind != MCP_REQUEST);
		break;
	case MCP_LIST:
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct role role = {
		.name = "fuzz", .tools = ROLE_CALCULATE | ROLE_RUN_SANDBOXED};
	static const struct schema_facts facts = {
		.python = "3.13", .advertise = "numpy", .role = &role};
	static struct http_head head;
	struct mcp_message message;
	struct mcp_fault fault = {0};
	struct mcp_step step;
	struct http_fault http_fault;

	size_t head_bytes = http_head_bytes(span_of(data, size));
	bool has_head =
		head_bytes && http_parse(span_of(data, head_bytes), &head, &http_fault) == 0;
	size_t skip = has_head ? head_bytes : 0;
	int rc = mcp_decode(
		span_of(data + skip, size - skip), has_head ? &head : NULL, &message, &fault);
	if (rc < 0) {
		require(fault.code && fault.status >= 200 && fault.message[0]);
		check_reply(mcp_error(&message, &fault));
	} else {
		mcp_step(&message, &facts, &step);
		check_step(&message, &step);
	}
	mcp_message_done(&message);
	return 0;
}

/*
 * fuzz_e2b: bytes as a client's path, as a query, and as a result whose values a cell made, which
 * become the lines that E2B's clients read.
 *
 * It traps where a path leads out of the folder, or where a line is not one object of JSON.
 */
#include "api/e2b.h"
#include "api/query.h"
#include "tool/json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		__builtin_trap();
}

static void check_path(struct span given)
{
	char out[SESSION_PATH_BYTES];
	struct err err = {0};
	if (e2b_path(given, out, &err) < 0) {
		require(err.text[0] != 0);
		return;
	}
	require(out[0] != '/');
	require(session_path_check(out, strlen(out), true, NULL) == 0);
}

static void check_query(struct span query)
{
	struct span name, value, rest = query;
	cleanup_buf struct buf out = {0};
	buf_init(&out, 4096);
	while (query_next(&rest, &name, &value))
		require(name.len + value.len <= query.len && rest.len < query.len);
	if (query_find(query, "path", &out) == 1)
		check_path(span_of(out.data, out.len));
}

static void check_line(struct span line)
{
	cleanup_json json_t *object = NULL;
	require(json_read(line, &object) == 0 && json_is_object(object));
	const json_t *type = json_object_get(object, "type");
	require(span_is(json_text(type), "result") || span_is(json_text(type), "error"));
}

static void check_result(struct span text)
{
	cleanup_json json_t *result = NULL;
	cleanup_buf struct buf out = {0};
	size_t from = 0;
	buf_init(&out, 4 * MIB);
	if (json_read(text, &result) < 0 || !json_is_object(result) ||
		e2b_result_lines(result, json_object_get(result, "texts"), &out) < 0)
		return;
	for (size_t i = 0; i < out.len; i++) {
		if (out.data[i] != '\n')
			continue;
		check_line(span_of(out.data + from, i - from));
		from = i + 1;
	}
	require(from == out.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct span input = span_of(data, size);
	check_path(input);
	check_query(input);
	check_result(input);
	return 0;
}

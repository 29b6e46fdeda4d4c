/*
 * fuzz_http_job: an HTTP request as bytes: its head, its body as JSON and as chunks and as
 * multipart, and what a job is made of it. Nothing is started.
 *
 * It traps where what was accepted is out of its bounds.
 */
#include "api/request.h"
#include "http/chunked.h"
#include "http/multipart.h"
#include "http/origin.h"
#include "http/parse.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		__builtin_trap();
}

static bool within(struct span part, struct span whole)
{
	return part.len == 0 ||
	       (part.data >= whole.data && part.data + part.len <= whole.data + whole.len);
}

static void check_head(struct span head, struct http_head *parsed)
{
	struct http_fault fault = {0};
	if (http_parse(head, parsed, &fault) < 0) {
		require(fault.status >= 400 && fault.status < 600 && fault.detail);
		parsed->field_count = 0;
		return;
	}
	require(parsed->field_count <= HTTP_HEADERS_MAX);
	require(within(parsed->path, head) && within(parsed->query, head));
	for (size_t i = 0; i < parsed->field_count; i++)
		require(within(parsed->fields[i].name, head) &&
			within(parsed->fields[i].value, head));
	(void)origin_host_ok(http_field(parsed, "host"), NULL);
	(void)origin_own(http_field(parsed, "origin"), http_field(parsed, "host"), NULL);
	(void)origin_foreign_site(http_field(parsed, "sec-fetch-site"));
}

static void check_chunks(struct span body)
{
	struct chunked chunked = {0};
	size_t used = 0, total = 0;
	struct span piece;
	while (chunked_next(&chunked, body, &used, &piece) > 0) {
		require(used <= body.len && within(piece, body));
		total += piece.len;
		body = span_of(body.data + used, body.len - used);
	}
	require(total <= SIZE_MAX / 2);
}

static int on_begin(void *user, struct span name, struct span file)
{
	(void)user;
	return name.len + file.len > MULTIPART_HEAD_MAX ? -1 : 0;
}

static int on_data(void *user, struct span piece)
{
	*(size_t *)user += piece.len;
	return 0;
}

static int on_end(void *user)
{
	(void)user;
	return 0;
}

static void check_multipart(struct span type, struct span body)
{
	size_t total = 0;
	const struct multipart_events events = {
		.begin = on_begin, .data = on_data, .end = on_end, .user = &total};
	struct multipart multipart;
	struct span left = body;
	if (multipart_init(&multipart, type, &events) < 0)
		return;
	/* In pieces of another size each time, as a socket hands them over. */
	for (size_t step = 1; left.len; step = step * 3 % 61 + 1) {
		size_t part = step < left.len ? step : left.len;
		if (multipart_feed(&multipart, span_of(left.data, part)) < 0)
			break;
		left = span_of(left.data + part, left.len - part);
	}
	require(total <= body.len);
	multipart_done(&multipart);
}

static void check_job(struct span body)
{
	static const struct role role = {
		.name = "fuzz", .tools = ROLE_CALCULATE | ROLE_RUN_SANDBOXED};
	cleanup_json json_t *object = NULL;
	cleanup_job_spec struct job_spec spec;
	struct request_fault fault = {0};
	struct span expr;
	job_spec_init(&spec);
	if (request_parse(body, &object, &fault) < 0) {
		require(fault.status >= 400 && fault.detail[0]);
		return;
	}
	if (request_run(object, &role, &spec, &fault) == 0)
		require(spec.code.len <= LIMIT_CODE_BYTES && spec.input_count <= LIMIT_INPUTS);
	else
		require(fault.status >= 400 && fault.detail[0]);
	(void)!request_calculate(object, &expr, &fault);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct http_head parsed;
	struct span all = span_of(data, size);
	size_t head_bytes = http_head_bytes(all);
	struct span body = span_of(data + head_bytes, size - head_bytes);
	parsed.field_count = 0;
	if (head_bytes)
		check_head(span_of(data, head_bytes), &parsed);
	struct span type = http_field(&parsed, "content-type");
	if (parsed.chunked)
		check_chunks(body);
	else if (type.data && !http_same(type, "application/json"))
		check_multipart(type, body);
	else
		check_job(body);
	return 0;
}

/* problem: one object, one line of advice. */
#include "http/problem.h"

#include "tool/json.h"

#include <stdarg.h>
#include <stdio.h>

#define DETAIL_BYTES 512u
#define PROBLEM_BYTES_MAX 8192u

int problem_json(struct buf *out, int status, const char *field, const char *detail)
{
	cleanup_json json_t *object = json_object();
	int rc = json_put(object, "type", json_string("about:blank"));
	if (!rc)
		rc = json_put(object, "title", json_string(http_status_text(status)));
	if (!rc)
		rc = json_put(object, "status", json_integer(status));
	if (!rc)
		rc = json_put(object, "detail", json_from_words(detail));
	if (!rc && field)
		rc = json_put(object, "field", json_from_words(field));
	return rc ? rc : json_write(object, out);
}

void http_problem(
	struct http_exchange *exchange, int status, const char *field, const char *format, ...)
{
	char detail[DETAIL_BYTES];
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(detail, sizeof(detail), format, arguments);
	va_end(arguments);

	cleanup_buf struct buf body = {0};
	buf_init(&body, PROBLEM_BYTES_MAX);
	if (problem_json(&body, status, field, detail) < 0)
		body.len = 0;
	http_answer(exchange, status, PROBLEM_TYPE, span_of(body.data, body.len));
}

/* parse: one pass over the lines of a head. */
#include "http/parse.h"

#include <errno.h>
#include <stddef.h>

static const struct {
	const char *name;
	enum http_method method;
} methods[] = {
	{"GET", HTTP_GET},
	{"POST", HTTP_POST},
	{"PUT", HTTP_PUT},
	{"DELETE", HTTP_DELETE},
	{"HEAD", HTTP_HEAD},
	{"OPTIONS", HTTP_OPTIONS},
};

static int refuse(struct http_fault *fault, int status, const char *detail)
{
	*fault = (struct http_fault){.status = status, .detail = detail};
	return -EBADMSG;
}

/* RFC 9110, 5.6.2: the characters of a token. */
static bool is_token(struct span text)
{
	static const char others[] = "!#$%&'*+-.^_`|~";
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = text.data[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
		bool digit = c >= '0' && c <= '9';
		if (!letter && !digit && (c == 0 || !strchr(others, c)))
			return false;
	}
	return text.len > 0;
}

size_t http_head_bytes(struct span data)
{
	const unsigned char *end = data.len ? memmem(data.data, data.len, "\r\n\r\n", 4) : NULL;
	return end ? (size_t)(end - data.data) + 4 : 0;
}

bool http_same(struct span text, const char *lower)
{
	size_t i = 0;
	for (; i < text.len; i++) {
		unsigned char c = text.data[i];
		if (c >= 'A' && c <= 'Z')
			c = (unsigned char)(c + 'a' - 'A');
		if (c == 0 || c != (unsigned char)lower[i])
			return false;
	}
	return lower[i] == 0;
}

struct span http_trim(struct span text)
{
	while (text.len && (text.data[0] == ' ' || text.data[0] == '\t'))
		text = span_of(text.data + 1, text.len - 1);
	while (text.len && (text.data[text.len - 1] == ' ' || text.data[text.len - 1] == '\t'))
		text.len--;
	return text;
}

bool http_list_next(struct span *list, struct span *ret_element)
{
	if (!list->len)
		return false;
	const unsigned char *comma = memchr(list->data, ',', list->len);
	size_t length = comma ? (size_t)(comma - list->data) : list->len;
	*ret_element = http_trim(span_of(list->data, length));
	size_t used = length + (comma ? 1 : 0);
	*list = span_of(list->data + used, list->len - used);
	return true;
}

struct span http_field(const struct http_head *head, const char *name)
{
	for (size_t i = 0; i < head->field_count; i++)
		if (http_same(head->fields[i].name, name))
			return head->fields[i].value;
	return span_of(NULL, 0);
}

size_t http_field_count(const struct http_head *head, const char *name)
{
	size_t count = 0;
	for (size_t i = 0; i < head->field_count; i++)
		count += http_same(head->fields[i].name, name);
	return count;
}

/* Takes a line off `*rest`, without its CR LF; the head is known to end with one. */
static struct span next_line(struct span *rest)
{
	const unsigned char *end = memmem(rest->data, rest->len, "\r\n", 2);
	size_t length = end ? (size_t)(end - rest->data) : rest->len;
	struct span line = span_of(rest->data, length);
	size_t used = end ? length + 2 : length;
	*rest = span_of(rest->data + used, rest->len - used);
	return line;
}

static struct span next_word(struct span *line)
{
	const unsigned char *blank = memchr(line->data, ' ', line->len);
	size_t length = blank ? (size_t)(blank - line->data) : line->len;
	struct span word = span_of(line->data, length);
	size_t used = blank ? length + 1 : length;
	*line = span_of(line->data + used, line->len - used);
	return word;
}

static int parse_target(struct http_head *head, struct http_fault *fault)
{
	struct span target = head->target;
	for (size_t i = 0; i < target.len; i++)
		if (target.data[i] <= 0x20 || target.data[i] >= 0x7f)
			return refuse(fault, 400,
				"the request target holds a character that must "
				"be percent-encoded");
	bool star = span_is(target, "*") && head->method == HTTP_OPTIONS;
	if (!star && (target.len == 0 || target.data[0] != '/'))
		return refuse(fault, 400, "the request target must be a path that begins with /");
	const unsigned char *mark = memchr(target.data, '?', target.len);
	size_t length = mark ? (size_t)(mark - target.data) : target.len;
	head->path = span_of(target.data, length);
	head->query = mark ? span_of(mark + 1, target.len - length - 1) : span_of("", 0);
	return 0;
}

static int parse_request_line(struct span line, struct http_head *head, struct http_fault *fault)
{
	struct span method = next_word(&line);
	head->target = next_word(&line);
	if (!is_token(method))
		return refuse(fault, 400, "the request line does not begin with a method");
	head->method = HTTP_OTHER;
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (span_is(method, methods[i].name))
			head->method = methods[i].method;
	if (line.len != 8 || memcmp(line.data, "HTTP/", 5) != 0 || line.data[6] != '.')
		return refuse(fault, 400, "the request line does not end with an HTTP version");
	if (line.data[5] != '1' || (line.data[7] != '0' && line.data[7] != '1'))
		return refuse(fault, 505, "only HTTP/1.1 and HTTP/1.0 are spoken here");
	head->minor = (unsigned)(line.data[7] - '0');
	head->keep_alive = head->minor == 1;
	return parse_target(head, fault);
}

static int parse_field(struct span line, struct http_head *head, struct http_fault *fault)
{
	const unsigned char *colon = memchr(line.data, ':', line.len);
	size_t length = colon ? (size_t)(colon - line.data) : 0;
	if (head->field_count == HTTP_HEADERS_MAX)
		return refuse(fault, 431, "more than 100 header fields");
	struct http_field *field = &head->fields[head->field_count];
	field->name = span_of(line.data, length);
	if (!colon || !is_token(field->name))
		return refuse(fault, 400, "a header field has no proper name");
	field->value = http_trim(span_of(colon + 1, line.len - length - 1));
	for (size_t i = 0; i < field->value.len; i++) {
		unsigned char c = field->value.data[i];
		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return refuse(fault, 400, "a header field holds a control character");
	}
	head->field_count++;
	return 0;
}

static int parse_length(struct span text, uint64_t *ret_bytes)
{
	uint64_t bytes = 0;
	if (!text.data || text.len == 0 || text.len > 18)
		return -EBADMSG;
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] < '0' || text.data[i] > '9')
			return -EBADMSG;
		bytes = bytes * 10 + (uint64_t)(text.data[i] - '0');
	}
	*ret_bytes = bytes;
	return 0;
}

/* RFC 9112, 6: how the body is delimited must be beyond doubt. */
static int frame_body(struct http_head *head, struct http_fault *fault)
{
	struct span coding = http_field(head, "transfer-encoding");
	size_t lengths = http_field_count(head, "content-length");
	if (coding.data) {
		if (lengths || head->minor == 0)
			return refuse(fault, 400,
				"Transfer-Encoding beside Content-Length, or in HTTP/1.0");
		if (!http_same(coding, "chunked") ||
			http_field_count(head, "transfer-encoding") > 1)
			return refuse(fault, 501, "no Transfer-Encoding but chunked is known");
		head->chunked = true;
	}
	if (lengths > 1)
		return refuse(fault, 400, "more than one Content-Length");
	if (lengths && parse_length(http_field(head, "content-length"), &head->content_bytes) < 0)
		return refuse(fault, 400, "Content-Length is not a number of bytes");
	return 0;
}

static void read_connection(struct http_head *head)
{
	struct span list = http_field(head, "connection"), option;
	while (http_list_next(&list, &option)) {
		if (http_same(option, "close"))
			head->keep_alive = false;
		else if (http_same(option, "keep-alive") && head->minor == 0)
			head->keep_alive = true;
	}
	head->expects_continue =
		head->minor == 1 && http_same(http_field(head, "expect"), "100-continue");
}

int http_parse(struct span data, struct http_head *ret_head, struct http_fault *ret_fault)
{
	struct span line = next_line(&data);
	ret_head->field_count = 0;
	ret_head->chunked = false;
	ret_head->content_bytes = 0;
	int rc = parse_request_line(line, ret_head, ret_fault);
	while (!rc) {
		line = next_line(&data);
		if (!line.len)
			break;
		rc = parse_field(line, ret_head, ret_fault);
	}
	if (!rc && data.len)
		rc = refuse(ret_fault, 400, "the head ends before its end");
	if (!rc && http_field_count(ret_head, "host") != 1)
		rc = refuse(ret_fault, 400, "exactly one Host field is needed");
	if (!rc)
		rc = frame_body(ret_head, ret_fault);
	if (!rc)
		read_connection(ret_head);
	return rc;
}

/*
 * mcp_tools: results of the two tools as MCP has them: text that stands alone for clients that show
 * nothing else, images, links to files, and the structured result without image data.
 */
#include "api/mcp.h"

#include "tool/chart.h"
#include "tool/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define IMAGES_BYTES_MAX (1 * MIB) /* of base64, in one result */
#define NAME_BYTES_MAX 128u
/* About each chart and file: a URI, whose name may be percent-encoded, and words. */
#define WORDS_BYTES_MAX ((LIMIT_CHARTS + LIMIT_ARTIFACTS) * (4 * KIB + 512u))

static json_t *text_block(struct span text)
{
	return json_pack("{s:s, s:o}", "type", "text", "text", json_from_text(text));
}

json_t *mcp_refusal_result(const char *text)
{
	return json_pack("{s:[{s:s, s:o}], s:b}", "content", "type", "text", "text",
		json_from_words(text), "isError", 1);
}

static int put_error_text(struct buf *out, const json_t *error)
{
	struct span hint = json_text(json_object_get(error, "hint"));
	int rc = buf_printf(out, "error: %s: %s", json_string_value(json_object_get(error, "type")),
		json_string_value(json_object_get(error, "message")));
	if (!rc && json_object_get(error, "column"))
		rc = buf_printf(out, " (column %d)",
			(int)json_integer_value(json_object_get(error, "column")));
	if (!rc && hint.len)
		rc = buf_printf(out, "\nhint: %.*s", (int)hint.len, (const char *)hint.data);
	return rc;
}

json_t *mcp_calculate_result(struct span answer)
{
	cleanup_json json_t *structured = NULL;
	cleanup_buf struct buf words = {0};
	buf_init(&words, 16 * KIB);
	if (json_read(answer, &structured) < 0)
		return NULL;
	const json_t *error = json_object_get(structured, "error");
	struct span text = json_text(json_object_get(structured, "text"));
	if (error && put_error_text(&words, error) < 0)
		return NULL;
	if (error)
		text = span_of(words.data, words.len);
	return json_pack("{s:[o], s:O, s:b}", "content", text_block(text), "structuredContent",
		structured, "isError", error != NULL);
}

/* "http://HOST/v1/jobs/ID/files/NAME" as the resource that resources/read takes. */
static json_t *resource_uri(const char *url)
{
	static const char jobs[] = "/v1/jobs/";
	const char *at = url ? strstr(url, jobs) : NULL;
	return at ? json_sprintf(MCP_SCHEME "%s", at + sizeof(jobs) - 1) : NULL;
}

static json_t *link_block(
	const char *url, const char *name, const json_t *mime, const json_t *bytes)
{
	json_t *block = json_pack(
		"{s:s, s:o, s:s}", "type", "resource_link", "uri", resource_uri(url), "name", name);
	if (block && mime)
		(void)json_object_set(block, "mimeType", (json_t *)(uintptr_t)mime);
	if (block && bytes)
		(void)json_object_set(block, "size", (json_t *)(uintptr_t)bytes);
	return block;
}

static const char *last_part(const char *url)
{
	const char *slash = strrchr(url, '/');
	return slash ? slash + 1 : url;
}

/* A picture that is no more than a link has its words as well: few models see links. */
static int tell_link(struct buf *words, const char *what, const char *why, const char *url)
{
	cleanup_json json_t *uri = resource_uri(url);
	if (!uri)
		return buf_printf(words, "%s is not shown: %s; it could not be kept\n", what, why);
	return buf_printf(words, "%s is not shown: %s; resources/read gives it as %s\n", what, why,
		json_string_value(uri));
}

static int tell_chart(struct buf *words, size_t number, bool is_svg, const char *url)
{
	char what[40];
	(void)snprintf(what, sizeof(what), "chart %zu", number);
	return tell_link(words, what,
		is_svg ? "few clients show SVG; a PNG would be (chart_format)"
		       : "it does not fit into this answer; a smaller one would (figsize, dpi)",
		url);
}

static int add_charts(
	json_t *content, const json_t *charts, char *const *chart_urls, struct buf *words)
{
	size_t used = 0;
	int rc = 0;
	for (size_t i = 0; !rc && i < json_array_size(charts); i++) {
		const json_t *chart = json_array_get(charts, i);
		const json_t *data = json_object_get(chart, "data_base64");
		const json_t *mime = json_object_get(chart, "mime");
		size_t bytes = json_text(data).len;
		/* Few clients show SVG as an image: it goes as a file. */
		bool is_svg = span_is(json_text(mime), "image/svg+xml");
		bool shown = data && !is_svg && bytes <= IMAGES_BYTES_MAX - used;
		if (shown)
			rc = json_push(content, json_pack("{s:s, s:O, s:O}", "type", "image",
							"data", data, "mimeType", mime));
		else if (chart_urls[i])
			rc = json_push(content,
				link_block(chart_urls[i], last_part(chart_urls[i]), mime, NULL));
		if (!rc && !shown)
			rc = tell_chart(words, i + 1, is_svg, chart_urls[i]);
		used += shown ? bytes : 0;
	}
	return rc;
}

static int tell_file(struct buf *words, const json_t *file, const char *name, const char *url)
{
	struct span mime = json_text(json_object_get(file, "mime"));
	cleanup_buf struct buf what = {0};
	buf_init(&what, NAME_BYTES_MAX + 8);
	if (mime.len < 6 || memcmp(mime.data, "image/", 6) != 0)
		return 0;
	int rc = buf_add_text(&what, "file ");
	if (!rc)
		rc = text_add_line(&what, span_text(name), NAME_BYTES_MAX);
	if (!rc)
		rc = buf_add(&what, "", 1);
	return rc ? rc
		  : tell_link(words, (const char *)what.data,
			    "it is a file, and figures are shown that are left open", url);
}

static int add_files(json_t *content, const json_t *files, struct buf *words)
{
	int rc = 0;
	for (size_t i = 0; !rc && i < json_array_size(files); i++) {
		const json_t *file = json_array_get(files, i);
		const char *url = json_string_value(json_object_get(file, "url"));
		const char *name = json_string_value(json_object_get(file, "name"));
		if (url && name)
			rc = json_push(content, link_block(url, name, json_object_get(file, "mime"),
							json_object_get(file, "bytes")));
		if (!rc && url && name)
			rc = tell_file(words, file, name, url);
	}
	return rc;
}

static json_t *without_images(const json_t *result, char *const *chart_urls)
{
	cleanup_json json_t *copy = json_copy((json_t *)(uintptr_t)result);
	json_t *charts = json_array();
	int rc = json_put(copy, "charts", charts);
	const json_t *all = json_object_get(result, "charts");
	for (size_t i = 0; !rc && i < json_array_size(all); i++) {
		json_t *chart = json_copy(json_array_get(all, i));
		(void)json_object_del(chart, "data_base64");
		if (chart && chart_urls[i] && !json_object_get(chart, "url"))
			(void)json_object_set_new(chart, "url", json_string(chart_urls[i]));
		rc = json_push(charts, chart);
	}
	return rc ? NULL : TAKE_JSON(copy);
}

/* The text of the result, and what is to be said of pictures that are links alone. */
static json_t *whole_text(const json_t *result, const struct buf *words)
{
	struct span text = json_text(json_object_get(result, "text"));
	cleanup_buf struct buf whole = {0};
	buf_init(&whole, text.len + words->len + 1);
	int rc = buf_add(&whole, text.data, text.len);
	if (!rc && words->len && text.len && text.data[text.len - 1] != '\n')
		rc = buf_add_text(&whole, "\n");
	if (!rc)
		rc = buf_add(&whole, words->data, words->len);
	return rc ? NULL : text_block(span_of(whole.data, whole.len));
}

json_t *mcp_run_result(const json_t *result, char *const *chart_urls)
{
	cleanup_buf struct buf words = {0};
	cleanup_json json_t *content = json_array(), *links = json_array();
	bool ok = span_is(json_text(json_object_get(result, "outcome")), "ok");
	buf_init(&words, WORDS_BYTES_MAX);
	int rc = add_charts(links, json_object_get(result, "charts"), chart_urls, &words);
	if (!rc)
		rc = add_files(links, json_object_get(result, "files"), &words);
	if (!rc)
		rc = json_push(content, whole_text(result, &words));
	if (rc || json_array_extend(content, links) < 0)
		return NULL;
	return json_pack("{s:O, s:o, s:b}", "content", content, "structuredContent",
		without_images(result, chart_urls), "isError", !ok);
}

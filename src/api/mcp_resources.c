/* mcp_resources: the files of the caller's own jobs, by the uri that results link to. */
#include "api/mcp_serve.h"

#include "base/fd.h"
#include "base/utf8.h"
#include "http/percent.h"
#include "tool/view.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#define READ_BYTES_MAX (8 * MIB)
#define LIST_MAX 200u

static json_t *describe(const struct record *record, const struct job_file *file)
{
	cleanup_buf struct buf uri = {0};
	buf_init(&uri, 16 * KIB);
	int rc = buf_printf(&uri, MCP_SCHEME "%s/files/", record->id);
	if (!rc)
		rc = percent_encode(span_text(file->name), &uri);
	if (rc < 0)
		return NULL;
	return json_pack("{s:o, s:o, s:s, s:I}", "uri", json_from_text(span_of(uri.data, uri.len)),
		"name", view_name(span_text(file->name)), "mimeType", file->mime, "size",
		(json_int_t)file->bytes);
}

json_t *mcp_list_resources(struct dispatcher *dispatcher, const struct who *who)
{
	json_t *list = json_array();
	const struct record *record;
	size_t count = 0;
	TAILQ_FOREACH_REVERSE(record, &dispatcher->jobs.records, jobs_by_age, by_age)
	{
		if (!jobs_may_see(record, who))
			continue;
		for (size_t i = 0; i < record->file_count && count < LIST_MAX; i++, count++)
			if (json_push(list, describe(record, &record->files[i])) < 0)
				break;
	}
	return list ? json_pack("{s:o, s:i, s:s}", "resources", list, "ttlMs", 0, "cacheScope",
			      "private")
		    : NULL;
}

static const struct job_file *find(
	struct dispatcher *dispatcher, const struct who *who, struct span uri)
{
	static const char scheme[] = MCP_SCHEME, files[] = "/files/";
	cleanup_buf struct buf name = {0};
	buf_init(&name, RESULT_PATH_BYTES_MAX);
	if (uri.len < sizeof(scheme) || memcmp(uri.data, scheme, sizeof(scheme) - 1) != 0)
		return NULL;
	uri = span_of(uri.data + sizeof(scheme) - 1, uri.len - sizeof(scheme) + 1);
	const unsigned char *at = memmem(uri.data, uri.len, files, sizeof(files) - 1);
	if (!at)
		return NULL;
	struct record *record =
		jobs_find(&dispatcher->jobs, span_of(uri.data, (size_t)(at - uri.data)));
	at += sizeof(files) - 1;
	if (!record || !jobs_may_see(record, who) ||
		percent_decode(span_of(at, (size_t)(uri.data + uri.len - at)), &name) < 0)
		return NULL;
	return jobs_file(record, span_of(name.data, name.len));
}

static json_t *base64(struct span bytes)
{
	size_t room = sodium_base64_encoded_len(bytes.len, sodium_base64_VARIANT_ORIGINAL);
	char *text = malloc(room);
	json_t *value = NULL;
	if (text) {
		(void)sodium_bin2base64(
			text, room, bytes.data, bytes.len, sodium_base64_VARIANT_ORIGINAL);
		value = json_string(text);
	}
	free(text);
	return value;
}

/* What JSON has no short form for would be six times as large in a string. */
static bool has_control(struct span bytes)
{
	for (size_t i = 0; i < bytes.len; i++) {
		unsigned char c = bytes.data[i];
		if ((c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7f)
			return true;
	}
	return false;
}

static bool is_text(const struct job_file *file, struct span bytes)
{
	bool named = strncmp(file->mime, "text/", 5) == 0 ||
		     strcmp(file->mime, "application/json") == 0 ||
		     strcmp(file->mime, "image/svg+xml") == 0;
	return named && utf8_valid(bytes.data, bytes.len, NULL) && !has_control(bytes);
}

static json_t *contents_of(const struct job_file *file, struct span uri)
{
	size_t size = (size_t)file->bytes;
	unsigned char *bytes = malloc(size ? size : 1);
	json_t *result = NULL;
	if (bytes && fd_pread_all(file->fd, bytes, size, 0) == 0) {
		struct span whole = span_of(bytes, size);
		bool text = is_text(file, whole);
		result = json_pack("{s:[{s:o, s:s, s:o}], s:i, s:s}", "contents", "uri",
			json_from_text(uri), "mimeType", file->mime, text ? "text" : "blob",
			text ? json_from_text(whole) : base64(whole), "ttlMs", 0, "cacheScope",
			"private");
	}
	free(bytes);
	return result;
}

json_t *mcp_read_resource(struct dispatcher *dispatcher, const struct who *who, struct span uri,
	bool modern, struct mcp_fault *ret_fault)
{
	const struct job_file *file = find(dispatcher, who, uri);
	if (!file) {
		(void)mcp_refuse(ret_fault, modern ? MCP_INVALID_PARAMS : MCP_NO_RESOURCE, 200,
			"no such resource, or it has expired");
		ret_fault->data = json_pack("{s:o}", "uri", json_from_text(uri));
		return NULL;
	}
	if (file->bytes > READ_BYTES_MAX) {
		(void)mcp_refuse(ret_fault, MCP_INVALID_PARAMS, 200,
			"the resource is larger than 8 MiB: get it over HTTP, or write less");
		return NULL;
	}
	json_t *result = contents_of(file, uri);
	if (!result)
		(void)mcp_refuse(ret_fault, MCP_INTERNAL, 500, "the resource cannot be read");
	return result;
}

/* mime: first bytes before extension. */
#include "tool/mime.h"

#include "base/utf8.h"

#include <strings.h>

static const char octets[] = "application/octet-stream";

struct magic {
	const char *bytes;
	size_t length, offset;
	const char *type;
};

#define MAGIC(text, offset, type)                                                                  \
	{                                                                                          \
		text, sizeof(text) - 1, offset, type                                               \
	}

static const struct magic magics[] = {
	MAGIC("\x89PNG\r\n\x1a\n", 0, "image/png"),
	MAGIC("\xff\xd8\xff", 0, "image/jpeg"),
	MAGIC("GIF87a", 0, "image/gif"),
	MAGIC("GIF89a", 0, "image/gif"),
	MAGIC("WEBPVP8", 8, "image/webp"),
	MAGIC("II*\0", 0, "image/tiff"),
	MAGIC("MM\0*", 0, "image/tiff"),
	MAGIC("%PDF-", 0, "application/pdf"),
	MAGIC("PK\3\4", 0, "application/zip"),
	MAGIC("\x1f\x8b", 0, "application/gzip"),
	MAGIC("BZh", 0, "application/x-bzip2"),
	MAGIC("\xfd"
	      "7zXZ\0",
		0, "application/x-xz"),
	MAGIC("SQLite format 3\0", 0, "application/vnd.sqlite3"),
	MAGIC("PAR1", 0, "application/vnd.apache.parquet"),
	MAGIC("\x93NUMPY", 0, "application/x-npy"),
};

/* Zip archives with a purpose: the extension says which, the magic must agree. */
static const struct {
	const char *extension, *type;
} zips[] = {
	{"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
	{"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
	{"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
	{"ods", "application/vnd.oasis.opendocument.spreadsheet"},
	{"npz", "application/x-npz"},
};

/* Text has no magic: the extension decides, as long as the bytes are text. */
static const struct {
	const char *extension, *type;
} texts[] = {
	{"csv", "text/csv"},
	{"tsv", "text/tab-separated-values"},
	{"txt", "text/plain"},
	{"log", "text/plain"},
	{"md", "text/markdown"},
	{"html", "text/html"},
	{"htm", "text/html"},
	{"xml", "application/xml"},
	{"svg", "image/svg+xml"},
	{"json", "application/json"},
	{"jsonl", "application/jsonl"},
	{"geojson", "application/geo+json"},
	{"yaml", "application/yaml"},
	{"yml", "application/yaml"},
	{"tex", "application/x-tex"},
	{"py", "text/x-python"},
	{"sql", "application/sql"},
};

static struct span extension_of(struct span name)
{
	for (size_t i = name.len; i > 0 && name.data[i - 1] != '/'; i--)
		if (name.data[i - 1] == '.')
			return span_of(name.data + i, name.len - i);
	return span_of("", 0);
}

static bool is_extension(struct span extension, const char *wanted)
{
	return extension.len == strlen(wanted) &&
	       strncasecmp((const char *)extension.data, wanted, extension.len) == 0;
}

static bool is_text(struct span head)
{
	/* The head may end inside a character. */
	static const unsigned char blanks[] = {'\t', '\n', '\f', '\r', 0x1b};
	size_t whole = utf8_cut_head(head.data, head.len);
	for (size_t i = 0; i < whole; i++)
		if (head.data[i] < 0x20 && !memchr(blanks, head.data[i], sizeof(blanks)))
			return false;
	return utf8_valid(head.data, whole, NULL);
}

static const char *by_magic(struct span head)
{
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
		const struct magic *magic = &magics[i];
		if (head.len >= magic->offset + magic->length &&
			memcmp(head.data + magic->offset, magic->bytes, magic->length) == 0)
			return magic->type;
	}
	return NULL;
}

const char *mime_of(struct span name, struct span head)
{
	struct span extension = extension_of(name);
	const char *type = by_magic(head);

	if (type && strcmp(type, "application/zip") == 0)
		for (size_t i = 0; i < sizeof(zips) / sizeof(zips[0]); i++)
			if (is_extension(extension, zips[i].extension))
				return zips[i].type;
	if (type)
		return type;
	bool binary = head.len && memchr(head.data, 0, head.len);
	bool utf8 = is_text(head);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		/* A table in a Western code page is still one; a page or a drawing must be UTF-8.
		 */
		bool table = strcmp(texts[i].extension, "csv") == 0 ||
			     strcmp(texts[i].extension, "tsv") == 0;
		if (is_extension(extension, texts[i].extension) && (utf8 || (table && !binary)))
			return texts[i].type;
	}
	return utf8 && head.len ? "text/plain" : octets;
}

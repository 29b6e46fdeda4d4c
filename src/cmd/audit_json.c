/* audit_json: rows and calls as JSON. */
#include "cmd/audit_print.h"

#include "base/utf8.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <time.h>

#define TEXT_BYTES_MAX (64 * MIB)
#define CODE_HEAD_BYTES 240u

/* A log that somebody has changed may hold anything. */
static json_t *text_json(struct span text)
{
	cleanup_buf struct buf clean = {0};
	buf_init(&clean, TEXT_BYTES_MAX);
	if (utf8_valid(text.data, text.len, NULL))
		return json_from_text(text);
	return utf8_escape(&clean, text.data, text.len) < 0
		       ? NULL
		       : json_from_text(span_of(clean.data, clean.len));
}

static json_t *moment_json(uint64_t time_us)
{
	char text[40];
	time_t seconds = (time_t)(time_us / 1000000u);
	struct tm tm;
	if (!gmtime_r(&seconds, &tm))
		return json_string("");
	size_t length = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	(void)snprintf(
		text + length, sizeof(text) - length, ".%06uZ", (unsigned)(time_us % 1000000u));
	return json_string(text);
}

static json_t *hash_json(const unsigned char hash[AUDIT_HASH_BYTES])
{
	char hex[AUDIT_HASH_HEX_BYTES];
	return json_string(sodium_bin2hex(hex, sizeof(hex), hash, AUDIT_HASH_BYTES));
}

/* Empty texts are left out but in raw rows. */
static int put_text(json_t *object, const struct audit_row *row, size_t which, bool raw)
{
	bool structured = which == AUDIT_TEXT_INPUTS || which == AUDIT_TEXT_LIMITS ||
			  which == AUDIT_TEXT_USAGE || which == AUDIT_TEXT_NOTE;
	json_t *value = NULL;
	if (!raw && row->texts[which].len == 0)
		return 0;
	if (!raw && structured && json_read(row->texts[which], &value) < 0)
		value = NULL;
	return json_put(
		object, audit_text_names[which], value ? value : text_json(row->texts[which]));
}

json_t *audit_row_json(const struct audit_row *row, bool raw)
{
	json_t *object = json_object();
	int rc = json_put(object, "seq", json_integer((json_int_t)row->seq)) |
		 json_put(object, "time", moment_json(row->time_us)) |
		 json_put(object, "time_us", json_integer((json_int_t)row->time_us)) |
		 json_put(object, "writer", json_integer((json_int_t)row->writer)) |
		 json_put(object, "code_bytes", json_integer((json_int_t)row->code_bytes));
	for (size_t i = 0; i < AUDIT_TEXTS; i++)
		rc |= put_text(object, row, i, raw);
	rc |= json_put(object, "prev", hash_json(row->prev)) |
	      json_put(object, "hash", hash_json(row->hash));
	if (!rc)
		return object;
	json_decref(object);
	return NULL;
}

json_t *audit_found_json(const struct audit_found *found)
{
	static const enum audit_text ends[] = {
		AUDIT_TEXT_USAGE, AUDIT_TEXT_OUTPUT, AUDIT_TEXT_ERROR};
	const struct audit_row *begin = &found->begin, *end = &found->end;
	json_t *object = json_object();
	int rc = json_put(object, "id", text_json(begin->texts[AUDIT_TEXT_CALL])) |
		 json_put(object, "seq", json_integer((json_int_t)begin->seq)) |
		 json_put(object, "time", moment_json(begin->time_us)) |
		 json_put(object, "outcome", text_json(audit_outcome(found))) |
		 json_put(object, "code_bytes", json_integer((json_int_t)begin->code_bytes));
	for (size_t i = AUDIT_TEXT_ROLE; i < AUDIT_TEXTS; i++)
		if (i != AUDIT_TEXT_OUTCOME)
			rc |= put_text(object, begin, i, false);
	if (end->seq) {
		rc |= json_put(object, "ended", moment_json(end->time_us));
		for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
			rc |= put_text(object, end, ends[i], false);
	}
	if (!rc)
		return object;
	json_decref(object);
	return NULL;
}

json_t *audit_brief_json(const struct audit_found *found)
{
	static const enum audit_text words[] = {AUDIT_TEXT_KIND, AUDIT_TEXT_ROLE, AUDIT_TEXT_TOKEN,
		AUDIT_TEXT_DOOR, AUDIT_TEXT_TOOL};
	const struct audit_row *begin = &found->begin, *end = &found->end;
	struct span code = begin->texts[AUDIT_TEXT_CODE];
	json_t *object = json_object();
	if (code.len > CODE_HEAD_BYTES)
		code.len = utf8_cut_head(code.data, CODE_HEAD_BYTES);
	int rc = json_put(object, "id", text_json(begin->texts[AUDIT_TEXT_CALL])) |
		 json_put(object, "seq", json_integer((json_int_t)begin->seq)) |
		 json_put(object, "time", moment_json(begin->time_us)) |
		 json_put(object, "outcome", text_json(audit_outcome(found))) |
		 json_put(object, "code_bytes", json_integer((json_int_t)begin->code_bytes)) |
		 json_put(object, "code_head", text_json(code));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		rc |= put_text(object, begin, words[i], false);
	if (end->seq)
		rc |= json_put(object, "ended", moment_json(end->time_us)) |
		      put_text(object, end, AUDIT_TEXT_USAGE, false);
	if (!rc)
		return object;
	json_decref(object);
	return NULL;
}

int audit_put_json(json_t *value)
{
	cleanup_buf struct buf line = {0};
	buf_init(&line, TEXT_BYTES_MAX);
	int rc = value ? json_write(value, &line) : -ENOMEM;
	if (!rc)
		rc = buf_add(&line, "\n", 1);
	json_decref(value);
	if (rc < 0)
		return rc;
	return fwrite(line.data, 1, line.len, stdout) == line.len ? 0 : -EIO;
}

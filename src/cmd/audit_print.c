/* audit_print: the log for a reader. What callers wrote is shown without control characters. */
#include "cmd/audit_print.h"

#include "base/buf.h"
#include "tool/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define LINE_BYTES 400u
#define CODE_SHOWN_BYTES 60u
#define BODY_BYTES_MAX (64 * MIB)

static void moment(uint64_t time_us, char out[32])
{
	time_t seconds = (time_t)(time_us / 1000000u);
	struct tm tm;
	if (!gmtime_r(&seconds, &tm) || strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		out[0] = 0;
}

/* A cell of the table: the text, or a dash, padded. */
static int put_cell(struct buf *line, struct span text, size_t max_bytes, size_t width)
{
	size_t start = line->len;
	int rc = text_add_terminal_line(line, text.len ? text : span_text("-"), max_bytes);
	while (!rc && line->len - start < width)
		rc = buf_add(line, " ", 1);
	return rc ? rc : buf_add(line, " ", 1);
}

static struct span wall_time(const struct audit_found *found, char out[24])
{
	const struct audit_row *end = found->end.seq ? &found->end : &found->begin;
	json_t *usage;
	out[0] = 0;
	if (end->texts[AUDIT_TEXT_USAGE].len &&
		json_read(end->texts[AUDIT_TEXT_USAGE], &usage) == 0) {
		(void)snprintf(out, 24, "%lldms",
			(long long)json_integer_value(json_object_get(usage, "wall_ms")));
		json_decref(usage);
	}
	return span_text(out);
}

static struct span first_line(struct span code)
{
	size_t blank = 0;
	while (blank < code.len && (code.data[blank] == '\n' || code.data[blank] == ' '))
		blank++;
	const unsigned char *start = code.data + blank;
	const unsigned char *end = code.len > blank ? memchr(start, '\n', code.len - blank) : NULL;
	return span_of(start, end ? (size_t)(end - start) : code.len - blank);
}

int audit_print_call(const struct audit_found *found)
{
	const struct span *texts = found->begin.texts;
	cleanup_buf struct buf line = {0};
	char when[32], wall[24];
	buf_init(&line, LINE_BYTES + 512);
	moment(found->begin.time_us, when);
	int rc = put_cell(&line, span_text(when), 32, 20);
	if (!rc)
		rc = put_cell(&line, texts[AUDIT_TEXT_CALL], 64, 21);
	if (!rc)
		rc = put_cell(&line, texts[AUDIT_TEXT_ROLE], 32, 10);
	if (!rc)
		rc = put_cell(&line, texts[AUDIT_TEXT_TOKEN], 32, 8);
	if (!rc)
		rc = put_cell(&line, texts[AUDIT_TEXT_TOOL], 64, 13);
	if (!rc)
		rc = put_cell(&line, audit_outcome(found), 32, 12);
	if (!rc)
		rc = put_cell(&line, wall_time(found, wall), 24, 7);
	if (!rc)
		rc = text_add_terminal_line(
			&line, first_line(texts[AUDIT_TEXT_CODE]), CODE_SHOWN_BYTES);
	if (rc < 0)
		return rc;
	return printf("%.*s\n", (int)line.len, (const char *)line.data) < 0 ? -EIO : 0;
}

static int put_lines(const char *name, struct span text)
{
	cleanup_buf struct buf body = {0};
	unsigned char pending = 0;
	buf_init(&body, BODY_BYTES_MAX);
	int rc = text_add_terminal(&body, text, &pending);
	if (rc < 0)
		return rc;
	if (printf("%s:\n", name) < 0)
		return -EIO;
	for (size_t at = 0; at < body.len;) {
		const unsigned char *end = memchr(body.data + at, '\n', body.len - at);
		size_t length = end ? (size_t)(end - body.data) - at : body.len - at;
		if (printf("    %.*s\n", (int)length, (const char *)body.data + at) < 0)
			return -EIO;
		at += length + 1;
	}
	return 0;
}

static int put_word(const char *name, struct span text)
{
	cleanup_buf struct buf line = {0};
	buf_init(&line, 64 * KIB);
	int rc = text_add_terminal_line(&line, text, 32 * KIB);
	if (rc < 0)
		return rc;
	return printf("%-12s %.*s\n", name, (int)line.len,
		       line.len ? (const char *)line.data : "") < 0
		       ? -EIO
		       : 0;
}

int audit_print_row(const struct audit_row *row)
{
	char when[32];
	moment(row->time_us, when);
	if (printf("%-12s %llu\n%-12s %s\n", "row", (unsigned long long)row->seq, "time", when) < 0)
		return -EIO;
	int rc = 0;
	for (size_t i = 0; !rc && i < AUDIT_TEXTS; i++) {
		const struct span *text = &row->texts[i];
		bool body = i == AUDIT_TEXT_CODE || i == AUDIT_TEXT_STDIN ||
			    i == AUDIT_TEXT_OUTPUT || i == AUDIT_TEXT_ERROR;
		if (text->len == 0)
			continue;
		rc = body ? put_lines(audit_text_names[i], *text)
			  : put_word(audit_text_names[i], *text);
	}
	return rc ? rc : printf("\n") < 0 ? -EIO : 0;
}

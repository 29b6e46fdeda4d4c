/* log: one write a line, so that lines of several processes do not mix. */
#include "api/log.h"

#include "base/fd.h"
#include "tool/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define LINE_BYTES_MAX 4096u

static json_t *timestamp(void)
{
	char text[40], whole[56];
	struct timespec now;
	struct tm parts;
	if (clock_gettime(CLOCK_REALTIME, &now) < 0 || !gmtime_r(&now.tv_sec, &parts))
		return json_string("");
	(void)strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &parts);
	(void)snprintf(whole, sizeof(whole), "%s.%03ldZ", text, now.tv_nsec / 1000000);
	return json_string(whole);
}

void log_line(const char *event, ...)
{
	cleanup_json json_t *object = json_object();
	cleanup_buf struct buf line = {0};
	va_list pairs;
	buf_init(&line, LINE_BYTES_MAX);
	int rc = json_put(object, "time", timestamp());
	if (!rc)
		rc = json_put(object, "event", json_string(event));
	va_start(pairs, event);
	for (const char *key; !rc && (key = va_arg(pairs, const char *));) {
		const char *value = va_arg(pairs, const char *);
		rc = json_put(object, key, json_from_words(value ? value : ""));
	}
	va_end(pairs);
	if (!rc)
		rc = json_write(object, &line);
	if (!rc)
		rc = buf_add_text(&line, "\n");
	/* A log that cannot be written has nobody to tell. */
	if (!rc)
		(void)!write(STDERR_FILENO, line.data, line.len);
}

void log_fault(const char *event, const struct err *err)
{
	log_line(event, "stage", err->stage, "error", err->text, NULL);
}

/* rest_jobs: what a caller may see and end of its own jobs. */
#include "api/rest.h"

#include "api/call.h"
#include "http/percent.h"
#include "tool/text.h"
#include "wire/result.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define LIST_MAX 1000u

static const char *state_name(const struct record *record)
{
	switch (record->state) {
	case RECORD_QUEUED:
		return "queued";
	case RECORD_RUNNING:
		return "running";
	case RECORD_DONE:
		break;
	}
	return "done";
}

static json_t *time_text(int64_t ms)
{
	char text[TEXT_TIME_BYTES];
	return json_string(text_time(ms, text));
}

static json_t *describe(const struct record *record)
{
	cleanup_json json_t *object = json_object();
	int rc = json_put(object, "job_id", json_string(record->id));
	if (!rc)
		rc = json_put(object, "state", json_string(state_name(record)));
	if (!rc)
		rc = json_put(object, "role", json_string(record->role));
	if (!rc && record->token[0])
		rc = json_put(object, "token", json_string(record->token));
	if (!rc)
		rc = json_put(object, "accepted_at", time_text(record->accepted_ms));
	if (!rc && record->state == RECORD_DONE)
		rc = json_put(object, "ended_at", time_text(record->ended_ms));
	if (!rc && record->state == RECORD_DONE)
		rc = json_put(object, "outcome", json_string(outcome_name(record->outcome)));
	return rc ? NULL : TAKE_JSON(object);
}

void rest_jobs(struct rest *rest)
{
	cleanup_json json_t *object = json_object();
	json_t *list = json_array();
	const struct record *record;
	size_t count = 0;
	int rc = json_put(object, "jobs", list);
	TAILQ_FOREACH_REVERSE(record, &rest->dispatcher->jobs.records, jobs_by_age, by_age)
	{
		if (rc || count == LIST_MAX)
			break;
		if (!jobs_may_see(record, &rest->who))
			continue;
		rc = json_push(list, describe(record));
		count++;
	}
	if (rc < 0)
		rest_problem(rest, 503, NULL, "out of memory", 1);
	else
		rest_json(rest, 200, object);
}

/* What a browser must not run or show as this server's own page is only ever saved. */
static void add_file_fields(struct rest *rest, const struct job_file *file)
{
	bool image =
		strncmp(file->mime, "image/", 6) == 0 && strcmp(file->mime, "image/svg+xml") != 0;
	http_add_field(rest->exchange, "Content-Disposition", image ? "inline" : "attachment");
	http_add_field(rest->exchange, "Content-Security-Policy", "sandbox; default-src 'none'");
}

static void send_file(struct rest *rest, const struct record *record, struct span encoded)
{
	cleanup_buf struct buf name = {0};
	buf_init(&name, RESULT_PATH_BYTES_MAX);
	const struct job_file *file = percent_decode(encoded, &name) == 0
					      ? jobs_file(record, span_of(name.data, name.len))
					      : NULL;
	int fd = file ? fcntl(file->fd, F_DUPFD_CLOEXEC, 0) : -1;
	if (fd < 0) {
		rest_problem(rest, 404, NULL, "the job has no such file, or it has expired", 0);
		return;
	}
	add_file_fields(rest, file);
	http_answer_file(rest->exchange, file->mime, fd, file->bytes);
	rest_free(rest);
}

static void send_record(struct rest *rest, const struct record *record)
{
	cleanup_json json_t *object = describe(record);
	json_t *result = NULL;
	int rc = object ? 0 : -ENOMEM;
	if (!rc && record->result.len) {
		rc = json_read(span_of(record->result.data, record->result.len), &result);
		if (!rc)
			rc = json_put(object, "result", result);
	}
	if (rc < 0)
		rest_problem(rest, 503, NULL, "out of memory", 1);
	else
		rest_json(rest, 200, object);
}

void rest_job(struct rest *rest)
{
	static const char files[] = "/files/";
	const struct http_head *head = rest->exchange->head;
	struct span path = rest->rest_of_path;
	const unsigned char *slash = path.len ? memchr(path.data, '/', path.len) : NULL;
	size_t length = slash ? (size_t)(slash - path.data) : path.len;
	struct span left = span_of(path.data + length, path.len - length);
	struct record *record = jobs_find(&rest->dispatcher->jobs, span_of(path.data, length));

	/* Another's job and none are the same to whoever asks. */
	if (!record || !jobs_may_see(record, &rest->who)) {
		rest_problem(rest, 404, NULL, "no such job, or it has expired", 0);
		return;
	}
	bool is_file =
		left.len > sizeof(files) - 1 && memcmp(left.data, files, sizeof(files) - 1) == 0;
	if (head->method == HTTP_DELETE && !left.len) {
		if (record->call)
			call_cancel(record->call);
		rest_answer(rest, 204, NULL, span_of("", 0));
	} else if (head->method == HTTP_DELETE || (left.len && !is_file)) {
		rest_problem(rest, 404, NULL, "no such route; /openapi.json lists them", 0);
	} else if (is_file) {
		send_file(rest, record,
			span_of(left.data + sizeof(files) - 1, left.len - sizeof(files) + 1));
	} else {
		send_record(rest, record);
	}
}

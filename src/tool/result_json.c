/* result_json: the object, member by member. */
#include "tool/result_json.h"

#include "tool/mime.h"
#include "tool/render.h"
#include "tool/session_time.h"
#include "tool/syscall_name.h"
#include "tool/text.h"

#include <errno.h>
#include <unistd.h>

/* What the members that are added after the charts take at most, and the braces. */
#define SLACK_BYTES (16 * KIB)

const struct result_urls result_urls_none = {.images_inline = true};

static int put_streams(json_t *object, const struct view *view)
{
	const struct job_result *result = view->result;
	return json_put(object, "stdout", json_from_text(span_of(view->out.data, view->out.len))) ||
			       json_put(object, "stderr",
				       json_from_text(span_of(view->err.data, view->err.len))) ||
			       json_put(object, "stdout_bytes",
				       json_integer((json_int_t)result->out.bytes)) ||
			       json_put(object, "stderr_bytes",
				       json_integer((json_int_t)result->err.bytes)) ||
			       json_put(object, "stdout_truncated",
				       json_boolean(view->out_truncated)) ||
			       json_put(object, "stderr_truncated",
				       json_boolean(view->err_truncated))
		       ? -ENOMEM
		       : 0;
}

static int put_ending(json_t *object, const struct view *view)
{
	const struct job_result *result = view->result;
	char name[SYSCALL_NAME_BYTES];
	int rc = json_put(object, "error", view->error ? json_incref(view->error) : json_null());
	if (!rc && result->exit_code >= 0)
		rc = json_put(object, "exit_code", json_integer(result->exit_code));
	if (!rc && result->signal > 0)
		rc = json_put(object, "signal", json_integer(result->signal));
	if (!rc && result->outcome == OUTCOME_DENIED && result->syscall >= 0)
		rc = json_put(object, "syscall",
			json_string(syscall_name(result->syscall_arch, result->syscall, name)));
	return rc;
}

struct figure {
	const char *key;
	uint64_t value;
};

static int put_figures(json_t *object, const char *key, const struct figure *figures, size_t count)
{
	json_t *into = json_object();
	int rc = json_put(object, key, into);
	for (size_t i = 0; !rc && i < count; i++)
		rc = json_put(into, figures[i].key, json_integer((json_int_t)figures[i].value));
	return rc;
}

static int put_usage(json_t *object, const struct job_usage *usage)
{
	const struct figure figures[] = {
		{"wall_ms", usage->wall_ms},
		{"cpu_ms", usage->cpu_ms},
		{"memory_peak_bytes", usage->memory_peak_bytes},
		{"processes_peak", usage->processes_peak},
	};
	return put_figures(object, "usage", figures, sizeof(figures) / sizeof(figures[0]));
}

/* null is a limit that this host does not keep. */
static int put_limits(json_t *object, const struct job_limits *limits)
{
	const struct figure figures[] = {
		{"wall_ms", limits->wall_ms},
		{"cpu_ms", limits->cpu_ms},
		{"memory_bytes", limits->memory_bytes},
		{"output_bytes", limits->output_bytes},
		{"work_bytes", limits->work_bytes},
		{"work_inodes", limits->work_inodes},
		{"processes", limits->processes},
		{"cpus", limits->cpus},
	};
	int rc = put_figures(object, "limits", figures, sizeof(figures) / sizeof(figures[0]));
	json_t *into = json_object_get(object, "limits");
	if (!rc && !limits->memory_bytes)
		rc = json_put(into, "memory_bytes", json_null());
	return rc;
}

static int put_receipt(json_t *object, const struct job_receipt *receipt)
{
	json_t *layers = json_object();
	json_t *into = json_object();
	int rc = json_put(object, "receipt", into);
	if (rc) {
		json_decref(layers);
		return rc;
	}
	rc = json_put(into, "layers", layers);
	for (unsigned i = 0; !rc && i < LAYER_COUNT; i++) {
		const struct layer_report *report = &receipt->layers[i];
		rc = json_put(layers, layer_name((enum layer)i),
			json_pack("{s:s, s:o}", "state", layer_state_name(report->state), "detail",
				view_name(span_text(report->detail))));
	}
	if (!rc)
		rc = json_put(into, "image", view_name(span_text(receipt->image)));
	if (!rc)
		rc = json_put(into, "kernel", view_name(span_text(receipt->kernel)));
	return rc ? rc : json_put(into, "cgroup", view_name(span_text(receipt->cgroup_version)));
}

static int file_mime(const struct job_artifact *artifact, const char **ret_mime)
{
	unsigned char head[MIME_HEAD_BYTES];
	ssize_t got;
	do {
		got = pread(artifact->fd, head, sizeof(head), 0);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	size_t seen = (uint64_t)got < artifact->bytes ? (size_t)got : (size_t)artifact->bytes;
	*ret_mime = mime_of(artifact->name, span_of(head, seen));
	return 0;
}

static int push_file(json_t *files, const struct job_artifact *artifact, const char *url,
	const unsigned char *known_digest)
{
	unsigned char digest[DIGEST_BYTES];
	char hex[DIGEST_HEX_BYTES];
	const char *mime = NULL;
	json_t *file = json_object();
	int rc = json_push(files, file);
	if (!rc)
		rc = file_mime(artifact, &mime);
	if (!rc && known_digest)
		memcpy(digest, known_digest, sizeof(digest));
	else if (!rc)
		rc = digest_fd(artifact->fd, artifact->bytes, digest);
	if (rc < 0)
		return rc;
	digest_hex(digest, hex);
	rc = json_put(file, "name", view_name(artifact->name));
	if (!rc)
		rc = json_put(file, "bytes", json_integer((json_int_t)artifact->bytes));
	if (!rc)
		rc = json_put(file, "sha256", json_string(hex));
	if (!rc)
		rc = json_put(file, "mime", json_string(mime));
	if (!rc && url)
		rc = json_put(file, "url", json_string(url));
	return rc;
}

static int put_files(
	json_t *object, const struct job_result *result, const struct result_urls *urls)
{
	json_t *files = json_array();
	int rc = json_put(object, "files", files);
	for (size_t i = 0; !rc && i < result->artifact_count; i++)
		rc = push_file(files, &result->artifacts[i], urls->files ? urls->files[i] : NULL,
			urls->digests ? urls->digests[i] : NULL);
	return rc;
}

static int push_chart(json_t *object, const struct view *view, size_t number,
	const struct result_urls *urls, bool fits)
{
	const char *url = urls->charts ? urls->charts[number] : NULL;
	const struct chart *chart = &view->charts[number];
	cleanup_json json_t *entry = json_copy_flat(chart->meta);
	json_t *data, *charts = json_object_get(object, "charts");
	char name[32];
	int rc = entry ? 0 : -ENOMEM;

	if (!rc && fits) {
		rc = chart_base64(chart, &data);
		if (!rc)
			rc = json_put(entry, "data_base64", data);
	} else if (!rc && url) {
		rc = json_put(entry, "url", json_string(url));
	} else if (!rc) {
		(void)snprintf(name, sizeof(name), "chart %zu", number + 1);
		return json_push(json_object_get(object, "skipped"),
			json_pack("{s:s, s:s}", "name", name, "why", RESULT_WHY_NO_ROOM));
	}
	if (!rc && urls->chart_numbers)
		urls->chart_numbers[json_array_size(charts)] = (unsigned char)number;
	return rc ? rc : json_push(charts, TAKE_JSON(entry));
}

static int put_charts(json_t *object, const struct view *view, const struct result_urls *urls)
{
	size_t used = json_bytes(object, RESULT_JSON_BYTES_MAX);
	int rc = json_put(object, "charts", json_array());

	for (size_t i = 0; !rc && i < view->chart_count; i++) {
		size_t bytes = json_bytes(view->charts[i].meta, SIZE_MAX) + 64;
		size_t image = chart_base64_bytes(&view->charts[i]);
		bool fits = urls->images_inline && used < RESULT_JSON_BYTES_MAX - SLACK_BYTES &&
			    bytes + image < RESULT_JSON_BYTES_MAX - SLACK_BYTES - used;
		rc = push_chart(object, view, i, urls, fits);
		used += fits ? bytes + image : bytes;
	}
	return rc;
}

/* The forms that may be large, in the order in which they give way. */
static int shed(json_t *object)
{
	json_t *tables = json_object_get(object, "tables");
	json_t *value = json_object_get(object, "result");
	static const char *const forms[] = {"html", "svg", "json", "table", "latex", "markdown"};

	for (size_t i = json_array_size(tables);
		i > 0 && json_bytes(object, RESULT_JSON_BYTES_MAX - SLACK_BYTES) == SIZE_MAX; i--)
		if (json_array_remove(tables, i - 1) ||
			json_push(json_object_get(object, "skipped"),
				json_pack("{s:o, s:s}", "name", json_sprintf("table %zu", i), "why",
					"no room for it in this reply")))
			return -ENOMEM;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]) &&
			   json_bytes(object, RESULT_JSON_BYTES_MAX - SLACK_BYTES) == SIZE_MAX;
		i++)
		(void)json_object_del(value, forms[i]);
	return 0;
}

static int put_head(json_t *object, const struct view *view)
{
	cleanup_buf struct buf text = {0};
	buf_init(&text, RENDER_BYTES_MAX);
	int rc = render_text(view, &text);
	if (!rc)
		rc = json_put(object, "job_id", json_string(view->job_id));
	if (!rc)
		rc = json_put(object, "outcome", json_string(outcome_name(view->result->outcome)));
	if (!rc && view->hint[0])
		rc = json_put(object, "hint", json_string(view->hint));
	return rc ? rc : json_put(object, "text", json_from_text(span_of(text.data, text.len)));
}

static int put_session(json_t *object, const struct view *view)
{
	const struct session_status *status = &view->result->session;
	char at[TEXT_TIME_BYTES];
	if (!view->session.id[0] || status->state == SESSION_ALONE)
		return 0;
	json_t *session = json_object();
	int rc = json_put(object, "session", session);
	if (!rc)
		rc = json_put(session, "id", json_string(view->session.id));
	if (!rc && status->state == SESSION_LOST)
		return json_put(session, "lost", json_string(status->lost_why));
	if (!rc)
		rc = json_put(session, "expires_at",
			json_string(text_time(session_status_ends_ms(status), at)));
	if (!rc && status->state == SESSION_INTERRUPTED)
		rc = json_put(session, "interrupted", json_true());
	return rc;
}

static int fill(json_t *object, const struct view *view, const struct result_urls *urls)
{
	int rc = put_head(object, view);
	if (!rc)
		rc = put_streams(object, view);
	/* Copies, one level deep: what gives way is taken from the object, not from the view. */
	if (!rc && view->value)
		rc = json_put(object, "result", json_copy_flat(view->value));
	if (!rc)
		rc = json_put(object, "tables", json_copy_flat(view->tables));
	if (!rc)
		rc = put_files(object, view->result, urls);
	if (!rc)
		rc = json_put(object, "skipped", json_copy_flat(view->skipped));
	if (!rc)
		rc = put_ending(object, view);
	if (!rc)
		rc = put_usage(object, &view->result->usage);
	if (!rc)
		rc = put_limits(object, &view->result->limits);
	if (!rc)
		rc = put_session(object, view);
	if (!rc && view->result->receipt.present)
		rc = put_receipt(object, &view->result->receipt);
	if (!rc)
		rc = shed(object);
	return rc ? rc : put_charts(object, view, urls);
}

int result_json(const struct view *view, const struct result_urls *urls, json_t **ret_object)
{
	cleanup_json json_t *object = json_object();
	int rc = object ? fill(object, view, urls) : -ENOMEM;
	if (!rc)
		*ret_object = TAKE_JSON(object);
	return rc;
}

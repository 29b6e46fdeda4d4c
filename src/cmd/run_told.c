/* run_told: from JSON back to descriptors. */
#include "cmd/run_told.h"

#include "base/fd.h"
#include "cmd/cmd.h"
#include "cmd/run_files.h"
#include "cmd/run_report.h"
#include "http/percent.h"
#include "tool/input.h"
#include "tool/result_json.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define OBJECT_BYTES_MAX (2 * RESULT_FRAME_BYTES_MAX)

void run_told_init(struct run_told *told)
{
	*told = (struct run_told){.object = NULL};
	buf_init(&told->text, OBJECT_BYTES_MAX);
	job_result_init(&told->result);
	told->view.result = &told->result;
	told->result.artifacts = told->artifacts;
	buf_init(&told->result.storage, LIMIT_ARTIFACTS * (RESULT_PATH_BYTES_MAX + 1));
}

void run_told_done(struct run_told *told)
{
	for (size_t i = 0; i < LIMIT_ARTIFACTS; i++)
		if (i < told->result.artifact_count)
			fd_close(&told->artifacts[i].fd);
	for (size_t i = 0; i < told->view.chart_count; i++)
		fd_close(&told->charts[i].fd);
	/* These are members here, and not on the heap as elsewhere. */
	told->result.artifacts = NULL;
	told->result.artifact_count = 0;
	job_result_done(&told->result);
	json_decref(told->object);
	json_decref(told->display);
	buf_done(&told->text);
}

/* A server's own object: deeper than a stranger's may be, as the value is a member of it. */
static int read_object(struct span data, json_t **ret_object)
{
	json_t *object = json_loadb((const char *)data.data, data.len, JSON_ALLOW_NUL, NULL);
	if (!json_is_object(object)) {
		json_decref(object);
		return -EBADMSG;
	}
	json_decref(*ret_object);
	*ret_object = object;
	return 0;
}

int run_told_display(struct run_told *told, struct span data)
{
	return read_object(data, &told->display);
}

static int outcome_of(const json_t *object, enum outcome *ret_outcome)
{
	struct span name = json_text(json_object_get(object, "outcome"));
	for (int i = 0; i < OUTCOME_COUNT; i++)
		if (span_is(name, outcome_name((enum outcome)i))) {
			*ret_outcome = (enum outcome)i;
			return 0;
		}
	return -EBADMSG;
}

static int figure_of(const json_t *object, const char *key, int otherwise)
{
	const json_t *value = json_object_get(object, key);
	return json_is_integer(value) ? (int)json_integer_value(value) : otherwise;
}

/* In the object a name is text; the url has its very bytes. */
static int take_name(struct run_told *told, const json_t *file, struct span *ret_name)
{
	static const char folder[] = "/files/";
	struct buf *storage = &told->result.storage;
	size_t from = storage->len, length = sizeof(folder) - 1;
	struct span url = json_text(json_object_get(file, "url"));
	const unsigned char *at = url.len ? memmem(url.data, url.len, folder, length) : NULL;
	struct span name = json_text(json_object_get(file, "name"));
	int rc = at ? percent_decode(
			      span_of(at + length, url.len - (size_t)(at - url.data) - length),
			      storage)
		    : buf_add(storage, name.data, name.len);
	if (rc < 0)
		return -EBADMSG;
	ret_name->len = storage->len - from;
	return buf_add(storage, "", 1);
}

static int take_files(struct run_told *told)
{
	const json_t *files = json_object_get(told->object, "files");
	size_t count = json_array_size(files), at = 0;
	int rc = 0;
	if (count > LIMIT_ARTIFACTS)
		return -EBADMSG;
	for (size_t i = 0; !rc && i < count; i++) {
		const json_t *file = json_array_get(files, i);
		json_int_t bytes = json_integer_value(json_object_get(file, "bytes"));
		told->artifacts[i] = (struct job_artifact){.fd = -1, .bytes = (uint64_t)bytes};
		rc = take_name(told, file, &told->artifacts[i].name);
		told->result.artifact_count = i + 1;
		if (bytes < 0 || (uint64_t)bytes > LIMIT_ARTIFACT_BYTES)
			rc = -EBADMSG;
	}
	/* The storage stands still only now. */
	for (size_t i = 0; !rc && i < count; i++) {
		told->artifacts[i].name.data = told->result.storage.data + at;
		at += told->artifacts[i].name.len + 1;
	}
	return rc;
}

static int take_charts(struct run_told *told)
{
	json_t *charts = json_object_get(told->object, "charts");
	size_t count = json_array_size(charts);
	if (count > LIMIT_CHARTS)
		return -EBADMSG;
	for (size_t i = 0; i < count; i++) {
		json_t *meta = json_array_get(charts, i);
		const char *extension = chart_extension(json_text(json_object_get(meta, "mime")));
		if (!extension)
			return -EBADMSG;
		told->charts[i] = (struct job_item){.kind = ITEM_CHART, .fd = -1};
		told->view.charts[i] = (struct chart){
			.meta = meta, .item = &told->charts[i], .extension = extension};
		told->view.chart_count = i + 1;
	}
	return 0;
}

int run_told_result(struct run_told *told, struct span data)
{
	int rc = read_object(data, &told->object);
	if (!rc)
		rc = buf_add(&told->text, data.data, data.len);
	if (!rc)
		rc = outcome_of(told->object, &told->result.outcome);
	told->result.exit_code = figure_of(told->object, "exit_code", -1);
	told->result.signal = figure_of(told->object, "signal", 0);
	const json_t *session = json_object_get(told->object, "session");
	if (session)
		told->result.session.state =
			json_object_get(session, "lost") ? SESSION_LOST : SESSION_ALIVE;
	if (!rc)
		rc = take_files(told);
	return rc ? rc : take_charts(told);
}

struct download {
	int fd;
	uint64_t bytes, max;
};

static int keep_piece(void *user, struct span piece)
{
	struct download *download = user;
	download->bytes += piece.len;
	if (download->bytes > download->max)
		return -EMSGSIZE;
	return fd_write_all(download->fd, piece.data, piece.len);
}

static int no_room(struct err *err)
{
	return err_set(err, -ENOSPC, "out",
		"the brig that serves had no room to keep a file or chart of this job: raise "
		"artifacts_max in [server]");
}

/* A chart that neither the reply nor the store had room for is named there alone. */
static int check_skipped(const json_t *skipped, struct err *err)
{
	for (size_t i = 0; i < json_array_size(skipped); i++) {
		struct span why = json_text(json_object_get(json_array_get(skipped, i), "why"));
		if (span_is(why, RESULT_WHY_NO_ROOM))
			return no_room(err);
	}
	return 0;
}

/* A url is a path here: the socket has no host of its own. */
static int fetch(const struct serving *serving, const json_t *entry, uint64_t max, int *ret_fd,
	uint64_t *ret_bytes, struct err *err)
{
	struct span url = json_text(json_object_get(entry, "url"));
	const unsigned char *at = url.len ? memmem(url.data, url.len, "/v1/jobs/", 9) : NULL;
	struct span target = span_of(at, at ? url.len - (size_t)(at - url.data) : 0);
	cleanup_fd int fd = memfd_create("brig-file", MFD_CLOEXEC);
	struct download download = {.fd = fd, .max = max};
	if (fd < 0)
		return err_sys(err, -errno, "out", "memfd_create");
	if (!at)
		return no_room(err);
	int rc = serving_request(serving, "GET", target, keep_piece, &download, err);
	if (rc >= 0 && rc != 200)
		return err_set(err, -EIO, "out", "fetching a file was answered with %d", rc);
	if (rc < 0)
		return rc;
	*ret_bytes = download.bytes;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

static int decode_chart(const json_t *entry, struct job_item *item, struct err *err)
{
	struct span text = json_text(json_object_get(entry, "data_base64"));
	size_t bytes = 0;
	unsigned char *image = malloc(text.len);
	int rc = image ? 0 : err_sys(err, -ENOMEM, "out", "a chart");
	if (!rc && sodium_base642bin(image, text.len, (const char *)text.data, text.len, NULL,
			   &bytes, NULL, sodium_base64_VARIANT_ORIGINAL) < 0)
		rc = err_set(err, -EBADMSG, "out", "a chart is no base64");
	if (!rc)
		rc = input_of_bytes(span_of(image, bytes), &item->fd, err);
	item->bytes = bytes;
	free(image);
	return rc;
}

int run_told_fetch(struct run_told *told, const struct serving *serving, struct err *err)
{
	const json_t *files = json_object_get(told->object, "files");
	uint64_t got = 0;
	int rc = check_skipped(json_object_get(told->object, "skipped"), err);
	for (size_t i = 0; !rc && i < told->result.artifact_count; i++) {
		struct job_artifact *artifact = &told->artifacts[i];
		rc = fetch(serving, json_array_get(files, i), artifact->bytes, &artifact->fd, &got,
			err);
		if (!rc && got != artifact->bytes)
			rc = err_set(err, -ENODATA, "out", "a file came shorter than it is");
	}
	for (size_t i = 0; !rc && i < told->view.chart_count; i++) {
		struct job_item *item = &told->charts[i];
		const json_t *entry = told->view.charts[i].meta;
		rc = json_object_get(entry, "data_base64")
			     ? decode_chart(entry, item, err)
			     : fetch(serving, entry, LIMIT_CHART_BYTES, &item->fd, &item->bytes,
				       err);
	}
	return rc;
}

static int put_texts(struct run *run, const struct run_told *told)
{
	const struct {
		const char *key;
		struct sink *sink;
	} texts[] = {{"values", &run->out}, {"notices", &run->err}, {"receipt", &run->err}};
	int rc = 0;
	for (size_t i = 0; !rc && i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct span text = json_text(json_object_get(told->display, texts[i].key));
		if (text.len)
			rc = sink_end_line(texts[i].sink);
		if (!rc)
			rc = i == 0 ? sink_write(texts[i].sink, text)
				    : sink_tell(texts[i].sink, text);
	}
	return rc;
}

int run_told_report(struct run *run, struct run_told *told)
{
	struct err fault = {0};
	int rc;
	if (run->options.json) {
		rc = sink_write(&run->out, span_of(told->text.data, told->text.len));
		if (!rc)
			rc = sink_write(&run->out, span_text("\n"));
	} else {
		rc = put_texts(run, told);
	}
	if (rc < 0) {
		(void)err_sys(&fault, rc, "report", "cannot write the result");
		run_complain(&run->err, fault.text);
		return CMD_INTERNAL;
	}
	if (run_files(&run->options, &told->view, &run->err) < 0)
		return CMD_INTERNAL;
	return run_exit_status(&told->result);
}

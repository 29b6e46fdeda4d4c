/*
 * call_end: what a job left is copied into the dispatcher's store, piece by piece so that nobody
 * else waits for it; then the result is put together, audited, and told.
 */
#include "api/call_parts.h"
#include "api/describe.h"
#include "api/log.h"
#include "base/clock.h"
#include "base/fd.h"
#include "http/percent.h"
#include "tool/artifact_out.h"
#include "tool/result_json.h"
#include "tool/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define STEP_BYTES (512u * 1024u) /* in one turn of the loop */
#define PIECE_BYTES (64u * 1024u)
#define URL_PATH_BYTES (3 * RESULT_PATH_BYTES_MAX + 64)

static void collect(struct call *call);

static struct call *of_wait(struct ledger_wait *wait)
{
	return (struct call *)((char *)wait - offsetof(struct call, wait));
}

/* One line for each job; a client at the other end of a pipe wants none. */
static void log_job(const struct call *call, uint64_t took_us)
{
	char took[24];
	if (call->dispatcher->start->stdio_in >= 0)
		return;
	(void)snprintf(took, sizeof(took), "%llu", (unsigned long long)took_us);
	log_line("job", "id", call->spec.id, "role", call->who.role->name, "token", call->who.token,
		"door", call->who.door, "outcome", outcome_name(call->result.outcome), "took_us",
		took, NULL);
}

/* In the place of its result. */
static void withhold(struct call_end *end, int status, const char *why)
{
	end->status = status;
	end->detail = why;
	end->retry_after_s = status == 503 ? 1 : 0;
	end->result = NULL;
	end->view = NULL;
	end->text = span_of("", 0);
}

static void on_completed(struct ledger_wait *wait, int rc)
{
	struct call *call = of_wait(wait);
	struct dispatcher *dispatcher = call->dispatcher;
	struct call_end end = {
		.job_id = call->spec.id,
		.outcome = call->result.outcome,
		.result = call->json,
		.table_texts = call->has_view ? call->view.table_texts : NULL,
		.chart_urls = call->shown_urls,
		.text = span_of(call->text.data, call->text.len),
		.view = call->has_view ? &call->view : NULL,
	};
	uint64_t now_us = clock_now_us();
	metrics_job(&dispatcher->metrics, call->who.role->name, end.outcome);
	metrics_stage(&dispatcher->metrics, STAGE_COLLECT, now_us - call->result_us);
	metrics_stage(&dispatcher->metrics, STAGE_JOB, now_us - call->accepted_us);
	log_job(call, now_us - call->accepted_us);
	if (rc < 0 || !call->json)
		withhold(&end, 503, rc < 0 ? ledger_why(&dispatcher->ledger) : "out of memory");
	else if (call->withdrawn)
		withhold(&end, 403, call->withdrawn);
	jobs_end(&dispatcher->jobs, call->record, end.outcome, end.text);
	call->record = NULL;
	if (!call->left)
		call->sink.done(call->sink.user, &end);
	call_free(call);
}

static void complete(struct call *call)
{
	struct ledger *ledger = &call->dispatcher->ledger;
	struct audit_input inputs[LIMIT_INPUTS];
	struct audit_call described;
	struct err err;
	cleanup_buf struct buf output = {0}, error = {0};
	buf_init(&output, DESCRIBE_OUTPUT_BYTES);
	buf_init(&error, DESCRIBE_ERROR_BYTES);
	if (call->has_view)
		describe_end(&call->view, call->fault_id, &output, &error);
	const struct audit_end end = {
		.outcome = outcome_name(call->result.outcome),
		.usage = &call->result.usage,
		.output = span_of(output.data, output.len),
		.error = span_of(error.data, error.len),
	};
	call_describe(call, &described, inputs);
	int rc = ledger_room(ledger, &err);
	if (!rc)
		rc = audit_complete(ledger->audit, &described, &end, NULL, &err);
	call->state = CALL_COMPLETING;
	if (rc < 0) {
		log_fault("audit", &err);
		json_drop(&call->json);
	}
	ledger_wait(ledger, &call->wait, on_completed);
}

static void make_json(struct call *call)
{
	const char *const *names = (const char *const *)call->urls;
	unsigned char numbers[LIMIT_CHARTS] = {0};
	const struct result_urls urls = {
		.chart_numbers = numbers,
		.files = names,
		.charts = names + call->result.artifact_count,
		.images_inline = true,
		.digests = (const unsigned char(*)[DIGEST_BYTES])call->digests,
	};
	buf_init(&call->text, RESULT_JSON_BYTES_MAX + 64 * KIB);
	int rc = call->has_view ? result_json(&call->view, &urls, &call->json) : -ENOMEM;
	if (!rc)
		rc = json_write(call->json, &call->text);
	size_t shown = json_array_size(json_object_get(call->json, "charts"));
	for (size_t i = 0; i < shown && i < LIMIT_CHARTS; i++)
		call->shown_urls[i] = call->urls[call->result.artifact_count + numbers[i]];
	if (rc < 0) {
		struct err err;
		(void)err_sys(&err, rc, "result", "putting a result together");
		log_fault("fault", &err);
		json_drop(&call->json);
		call->text.len = 0;
	}
}

static char *file_url(const struct call *call, struct span name)
{
	cleanup_buf struct buf url = {0};
	buf_init(&url, URL_PATH_BYTES + URL_BASE_BYTES);
	int rc = buf_printf(&url, "%s/v1/jobs/%s/files/", call->url_base, call->spec.id);
	if (!rc)
		rc = percent_encode(name, &url);
	return rc ? NULL : strndup((const char *)url.data, url.len);
}

static size_t file_count(const struct call *call)
{
	return call->result.artifact_count + call->view.chart_count;
}

struct source {
	struct span name;
	char chart_name[48];
	int fd;
	uint64_t bytes;
};

static void source_of(const struct call *call, size_t index, struct source *ret)
{
	if (index < call->result.artifact_count) {
		const struct job_artifact *artifact = &call->result.artifacts[index];
		*ret = (struct source){
			.name = artifact->name, .fd = artifact->fd, .bytes = artifact->bytes};
		return;
	}
	size_t number = index - call->result.artifact_count;
	const struct job_item *item = call->view.charts[number].item;
	*ret = (struct source){.fd = item->fd, .bytes = item->bytes};
	artifact_out_chart_name(&call->view, number, ret->chart_name);
	ret->name = span_text(ret->chart_name);
}

static void finish_file(struct call *call, const struct source *source)
{
	struct collecting *at = &call->collecting;
	struct job_file file = {.bytes = at->bytes, .fd = at->fd};
	crypto_hash_sha256_final(&at->hash, file.sha256);
	file.mime = mime_of(source->name, span_of(at->head, at->head_bytes));
	at->fd = -1;
	if (at->next < call->result.artifact_count)
		memcpy(call->digests[at->next], file.sha256, DIGEST_BYTES);
	if (file.fd >= 0 &&
		jobs_file_add(&call->dispatcher->jobs, call->record, &file, source->name) == 0)
		call->urls[at->next] = file_url(call, source->name);
	at->next++;
}

static void begin_file(struct call *call, const struct source *source)
{
	struct collecting *at = &call->collecting;
	at->bytes = source->bytes;
	at->copied = 0;
	at->head_bytes = 0;
	(void)crypto_hash_sha256_init(&at->hash);
	/* Where the store has no room, the file is still named and hashed. */
	if (jobs_file_new(&call->dispatcher->jobs, call->record, source->bytes, &at->fd) < 0)
		at->fd = -1;
}

/* A piece of the file. -errno where it cannot be read; a store that fails gives the file up. */
static int copy_piece(struct call *call, const struct source *source)
{
	static unsigned char piece[PIECE_BYTES];
	struct collecting *at = &call->collecting;
	uint64_t left = at->bytes - at->copied;
	size_t wanted = left < sizeof(piece) ? (size_t)left : sizeof(piece);
	ssize_t got = pread(source->fd, piece, wanted, (off_t)at->copied);
	if (got <= 0)
		return got < 0 ? -errno : -ENODATA;
	if (!at->copied) {
		at->head_bytes = (size_t)got < sizeof(at->head) ? (size_t)got : sizeof(at->head);
		memcpy(at->head, piece, at->head_bytes);
	}
	(void)crypto_hash_sha256_update(&at->hash, piece, (unsigned long long)got);
	if (at->fd >= 0 && fd_write_all(at->fd, piece, (size_t)got) < 0) {
		jobs_file_forget(&call->dispatcher->jobs, call->record, at->bytes);
		fd_close(&at->fd);
	}
	at->copied += (uint64_t)got;
	return 0;
}

static void on_step(evutil_socket_t fd, short what, void *context)
{
	(void)fd;
	(void)what;
	collect(context);
}

/* Lets the loop see to others, then goes on. */
static void go_on_later(struct call *call)
{
	const struct timeval none = {0};
	struct collecting *at = &call->collecting;
	if (!at->step)
		at->step = event_new(call->dispatcher->base, -1, 0, on_step, call);
	if (!at->step || event_add(at->step, &none) < 0) {
		make_json(call);
		complete(call);
	}
}

static void give_up_file(struct call *call)
{
	struct collecting *at = &call->collecting;
	if (at->fd >= 0)
		jobs_file_forget(&call->dispatcher->jobs, call->record, at->bytes);
	fd_close(&at->fd);
	at->next++;
}

static void collect(struct call *call)
{
	struct collecting *at = &call->collecting;
	uint64_t budget = STEP_BYTES;
	bool opened = at->copied > 0;
	while (call->has_view && at->next < file_count(call)) {
		struct source source;
		source_of(call, at->next, &source);
		if (!opened)
			begin_file(call, &source);
		opened = true;
		uint64_t before = at->copied;
		if (at->copied < at->bytes && copy_piece(call, &source) < 0) {
			give_up_file(call);
			opened = false;
			at->copied = 0;
			continue;
		}
		budget -= at->copied - before < budget ? at->copied - before : budget;
		if (at->copied == at->bytes) {
			finish_file(call, &source);
			opened = false;
			at->copied = 0;
		}
		if (!budget) {
			go_on_later(call);
			return;
		}
	}
	make_json(call);
	complete(call);
}

void call_on_result(struct call *call)
{
	call->result_us = clock_now_us();
	if (call->opened_us)
		metrics_stage(
			&call->dispatcher->metrics, STAGE_RUN, call->result_us - call->opened_us);
	if (call->result.stages.run_us)
		metrics_cell_stages(&call->dispatcher->metrics, &call->result.stages);
	call_give_place_back(call);
	int status = call_session_result(call);
	if (status) {
		call_refuse(call, status, call->detail);
		return;
	}
	if (call->result.outcome == OUTCOME_INTERNAL) {
		if (fault_id_make(call->fault_id) < 0)
			(void)snprintf(call->fault_id, sizeof(call->fault_id), "f0");
		log_line("fault", "id", call->fault_id, "job", call->spec.id, "stage",
			call->result.fault.stage, "error", call->result.fault.text, NULL);
	}
	call->state = CALL_COLLECTING;
	call->has_view = view_init(&call->view, &call->result, call->spec.id,
				 call->fault_id[0] ? call->fault_id : NULL) == 0;
	if (call->has_view)
		view_set_session(&call->view, &call->spec.session);
	collect(call);
}

void call_end_without_cell(struct call *call, enum outcome outcome, const struct err *fault)
{
	call_close_channel(call);
	job_result_done(&call->result);
	job_result_init(&call->result);
	call->result.outcome = outcome;
	call->result.exit_code = call->result.syscall = -1;
	call->result.limits = call->spec.limits;
	if (fault)
		call->result.fault = *fault;
	call_on_result(call);
}

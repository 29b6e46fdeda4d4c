/* run_report: values to stdout, everything else to stderr; or one JSON object. */
#include "cmd/run_report.h"

#include "cmd/cmd.h"
#include "cmd/run_files.h"
#include "tool/job_id.h"
#include "tool/render.h"
#include "tool/result_json.h"
#include "tool/text.h"

#include <stdio.h>

#define LINE_BYTES 1024u

int run_exit_status(const struct job_result *result)
{
	switch (result->outcome) {
	case OUTCOME_OK:
		return CMD_OK;
	case OUTCOME_ERROR:
		return CMD_ERROR;
	case OUTCOME_EXIT:
		return result->exit_code > 0 ? result->exit_code : CMD_ERROR;
	case OUTCOME_SIGNAL:
		return CMD_SIGNAL_BASE + result->signal;
	case OUTCOME_TIMEOUT_WALL:
	case OUTCOME_TIMEOUT_CPU:
		return CMD_TIMEOUT;
	case OUTCOME_MEMORY:
	case OUTCOME_OUTPUT:
		return CMD_LIMIT;
	case OUTCOME_DENIED:
		return CMD_DENIED;
	case OUTCOME_CANCELLED:
		return CMD_CANCELLED;
	case OUTCOME_REJECTED:
		return CMD_REJECTED;
	case OUTCOME_INTERNAL:
	case OUTCOME_COUNT:
		break;
	}
	return CMD_INTERNAL;
}

void run_complain(struct sink *err, const char *text)
{
	cleanup_buf struct buf line = {0};
	buf_init(&line, LINE_BYTES);
	int rc = sink_end_line(err);
	if (!rc)
		rc = buf_add_text(&line, "brig: run: ");
	if (!rc)
		rc = text_add_terminal_line(&line, span_text(text), LINE_BYTES - 64);
	if (!rc)
		rc = buf_add_text(&line, "\n");
	/* There is nobody left to tell where stderr itself fails. */
	if (!rc)
		(void)!sink_write(err, span_of(line.data, line.len));
}

static int put_json(const struct view *view, struct sink *out)
{
	cleanup_json json_t *object = NULL;
	cleanup_buf struct buf line = {0};
	buf_init(&line, RESULT_JSON_BYTES_MAX + 1);
	int rc = result_json(view, &result_urls_none, &object);
	if (!rc)
		rc = json_write(object, &line);
	if (!rc)
		rc = buf_add_text(&line, "\n");
	return rc ? rc : sink_write(out, span_of(line.data, line.len));
}

int run_put(const struct view *view, run_renderer *render, size_t max_bytes, struct sink *sink)
{
	cleanup_buf struct buf text = {0};
	buf_init(&text, max_bytes);
	int rc = render(view, &text);
	if (!rc && text.len)
		rc = sink_end_line(sink);
	if (rc)
		return rc;
	/* The values are the job's; the rest is what brig says of it. */
	return render == render_values ? sink_write(sink, span_of(text.data, text.len))
				       : sink_tell(sink, span_of(text.data, text.len));
}

static int put_text(const struct view *view, struct sink *out, struct sink *err)
{
	int rc = run_put(view, render_values, RENDER_VALUES_BYTES_MAX, out);
	if (!rc)
		rc = run_put(view, render_notices, RENDER_NOTICES_BYTES_MAX, err);
	return rc ? rc : run_put(view, render_receipt, RENDER_RECEIPT_BYTES_MAX, err);
}

int run_report(const struct run_options *options, const struct view *view, struct sink *out,
	struct sink *err)
{
	struct err fault = {0};
	int rc = options->json ? put_json(view, out) : put_text(view, out, err);
	if (rc < 0) {
		(void)err_sys(&fault, rc, "report", "cannot write the result");
		run_complain(err, fault.text);
		return CMD_INTERNAL;
	}
	if (run_files(options, view, err) < 0)
		return CMD_INTERNAL;
	return run_exit_status(view->result);
}

int run_report_judge(const struct job_result *result, const struct job_spec *spec,
	char fault_id[JOB_ID_BYTES], struct view *view, struct sink *err)
{
	char line[LINE_BYTES];
	fault_id[0] = 0;
	if (result->outcome == OUTCOME_INTERNAL && fault_id_make(fault_id) == 0 &&
		result->fault.code) {
		/* Here the caller is the operator too; the result itself says only the id. */
		(void)snprintf(line, sizeof(line), "fault %s in %s: %s", fault_id,
			result->fault.stage, result->fault.text);
		run_complain(err, line);
	}
	int rc = view_init(view, result, spec->id, fault_id[0] ? fault_id : NULL);
	if (rc < 0)
		run_complain(err, "no memory for the result");
	else
		view_set_session(view, &spec->session);
	return rc;
}

int run_report_refusal(const struct run_options *options, enum outcome outcome,
	const struct err *cause, const char *job_id, struct sink *out, struct sink *err)
{
	cleanup_job_result struct job_result result;
	cleanup_view struct view view = {0};
	char fault_id[JOB_ID_BYTES] = "";

	job_result_init(&result);
	result.outcome = outcome;
	result.limits = options->limits;
	result.fault = *cause;
	run_complain(err, cause->text);
	if (outcome == OUTCOME_INTERNAL)
		(void)!fault_id_make(fault_id);
	if (options->json && view_init(&view, &result, job_id, fault_id[0] ? fault_id : NULL) == 0)
		(void)!put_json(&view, out);
	return run_exit_status(&result);
}

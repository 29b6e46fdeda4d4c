/* run_files: --out. */
#include "cmd/run_files.h"

#include "base/fd.h"
#include "tool/artifact_out.h"
#include "tool/render.h"
#include "tool/text.h"

#define LINE_BYTES 1024u

static int put_written(const char *folder, struct span name, uint64_t bytes, struct sink *err)
{
	cleanup_buf struct buf line = {0};
	char count[TEXT_FIGURE_BYTES];
	buf_init(&line, 8 * KIB);
	int rc = buf_add_text(&line, "wrote ");
	if (!rc)
		rc = text_add_terminal_line(&line, span_text(folder), LINE_BYTES);
	if (!rc && folder[strlen(folder) - 1] != '/')
		rc = buf_add_text(&line, "/");
	if (!rc)
		rc = text_add_terminal_line(&line, name, LINE_BYTES);
	if (!rc)
		rc = buf_printf(&line, " (%s %s)\n", text_count(bytes, count),
			bytes == 1 ? "byte" : "bytes");
	return rc ? rc : sink_write(err, span_of(line.data, line.len));
}

static int list_written(const char *folder, const struct view *view, struct sink *err)
{
	const struct job_result *result = view->result;
	char name[48];
	int rc = sink_end_line(err);
	for (size_t i = 0; !rc && i < result->artifact_count; i++)
		rc = put_written(
			folder, result->artifacts[i].name, result->artifacts[i].bytes, err);
	for (size_t i = 0; !rc && i < view->chart_count; i++) {
		artifact_out_chart_name(view, i, name);
		rc = put_written(folder, span_text(name), view->charts[i].item->bytes, err);
	}
	return rc;
}

static int write_folder(const char *folder, const struct view *view, struct err *err)
{
	cleanup_fd int folder_fd = -1;
	int rc = artifact_out_open(folder, &folder_fd, err);
	return rc ? rc : artifact_out_all(folder_fd, view, err);
}

int run_files(const struct run_options *options, const struct view *view, struct sink *err)
{
	struct err fault = {0};
	bool some = view->result->artifact_count || view->chart_count;

	if (options->out_folder) {
		int rc = write_folder(options->out_folder, view, &fault);
		if (rc < 0)
			run_complain(err, fault.text);
		else if (!options->json)
			rc = list_written(options->out_folder, view, err);
		return rc;
	}
	if (!some || options->json)
		return 0;
	enum session_state state = view->result->session.state;
	bool goes_on = state == SESSION_ALIVE || state == SESSION_INTERRUPTED;
	int rc = run_put(view, render_files, RENDER_NOTICES_BYTES_MAX, err);
	return rc ? rc
		  : sink_write(err, span_text(goes_on ? "files stay in the session, charts are not "
							"kept; --out DIR keeps both\n"
						      : "files and charts are not kept; --out DIR "
							"keeps them\n"));
}

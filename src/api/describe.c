/* describe: spec and view to rows. */
#include "api/describe.h"

#include "tool/role.h"

#include <unistd.h>

void describe_job(const struct job_spec *spec, struct audit_call *ret_call,
	struct audit_input inputs[LIMIT_INPUTS])
{
	for (uint32_t i = 0; i < spec->input_count; i++)
		inputs[i] = (struct audit_input){.name = spec->inputs[i].name,
			.bytes = spec->inputs[i].bytes,
			.sha256 = spec->inputs[i].sha256};
	*ret_call = (struct audit_call){
		.id = spec->id,
		.tool = ROLE_TOOL_RUN,
		.code = span_of(spec->code.data, spec->code.len),
		.inputs = inputs,
		.input_count = spec->input_count,
		.limits = &spec->limits,
		.session = spec->session.use == SESSION_NONE ? NULL : spec->session.id,
	};
}

void describe_unmade(const struct job_spec *spec, struct span code, struct audit_call *ret_call,
	struct audit_input inputs[LIMIT_INPUTS])
{
	describe_job(spec, ret_call, inputs);
	ret_call->id = NULL;
	ret_call->limits = NULL;
	ret_call->code = code;
}

struct span describe_stdin(const struct job_spec *spec, unsigned char look[AUDIT_LOOK_BYTES])
{
	if (spec->stdin_fd < 0)
		return span_of(NULL, 0);
	ssize_t got = pread(spec->stdin_fd, look, AUDIT_LOOK_BYTES, 0);
	return span_of(look, got > 0 ? (size_t)got : 0);
}

static void look_at_output(const struct view *view, struct buf *out)
{
	size_t of_out = view->out.len < AUDIT_LOOK_BYTES ? view->out.len : AUDIT_LOOK_BYTES;
	size_t of_err = view->err.len < AUDIT_LOOK_BYTES ? view->err.len : AUDIT_LOOK_BYTES;
	int rc = buf_add(out, view->out.data, of_out);
	if (!rc && of_out && of_err)
		rc = buf_add_text(out, "\n");
	if (!rc)
		rc = buf_add(out, view->err.data, of_err);
	if (rc < 0)
		out->len = 0;
}

static void look_at_error(const struct view *view, const char *fault_id, struct buf *out)
{
	const struct err *fault = &view->result->fault;
	int rc = 0;
	if (view->error) {
		struct span type = json_text(json_object_get(view->error, "type"));
		struct span message = json_text(json_object_get(view->error, "message"));
		rc = buf_add(out, type.data, type.len);
		if (!rc)
			rc = buf_add_text(out, ": ");
		if (!rc)
			rc = buf_add(out, message.data, message.len);
	} else if (fault_id && fault_id[0]) {
		rc = buf_printf(out, "%s: %s: %s", fault_id, fault->stage, fault->text);
	}
	if (rc < 0)
		out->len = 0;
}

void describe_end(
	const struct view *view, const char *fault_id, struct buf *output, struct buf *error)
{
	look_at_output(view, output);
	look_at_error(view, fault_id, error);
}

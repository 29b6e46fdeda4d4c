/* result_encode: the service's side of a result. */
#include "base/fd.h"
#include "wire/fault.h"
#include "wire/job.h"
#include "wire/result_fields.h"

#include <errno.h>

static int encode_output(struct buf *out, uint16_t tag, const struct job_output *output)
{
	size_t mark;
	int rc = wire_open(out, tag, &mark);
	if (!rc)
		rc = wire_add(out, OUTPUT_HEAD, output->head.data, output->head.len);
	if (!rc)
		rc = wire_add(out, OUTPUT_TAIL, output->tail.data, output->tail.len);
	if (!rc)
		rc = wire_add_u64(out, OUTPUT_BYTES, output->bytes);
	if (!rc)
		wire_close(out, mark);
	return rc;
}

static int encode_item(struct buf *out, const struct job_item *item)
{
	size_t mark;
	int rc = wire_open(out, TAG_ITEM, &mark);
	if (!rc)
		rc = wire_add_u64(out, ITEM_TAG_KIND, item->kind);
	if (!rc)
		rc = wire_add(out, ITEM_TAG_PAYLOAD, item->payload.data, item->payload.len);
	if (!rc && item->fd >= 0)
		rc = wire_add_u64(out, ITEM_TAG_IMAGE_BYTES, item->bytes);
	if (!rc)
		wire_close(out, mark);
	return rc;
}

static int encode_artifact(struct buf *out, const struct job_artifact *artifact)
{
	size_t mark;
	int rc = wire_open(out, TAG_ARTIFACT, &mark);
	if (!rc)
		rc = wire_add(out, FILE_NAME, artifact->name.data, artifact->name.len);
	if (!rc)
		rc = wire_add_u64(out, FILE_BYTES, artifact->bytes);
	if (!rc)
		wire_close(out, mark);
	return rc;
}

static int encode_skipped(struct buf *out, const struct job_skipped *skipped)
{
	size_t mark;
	int rc = wire_open(out, TAG_SKIPPED, &mark);
	if (!rc)
		rc = wire_add(out, FILE_NAME, skipped->name.data, skipped->name.len);
	if (!rc)
		rc = wire_add(out, FILE_WHY, skipped->why.data, skipped->why.len);
	if (!rc)
		wire_close(out, mark);
	return rc;
}

static int encode_record(struct buf *out, uint16_t tag, const struct wire_number *table,
	size_t count, const void *base)
{
	size_t mark;
	int rc = wire_open(out, tag, &mark);
	if (!rc)
		rc = wire_add_numbers(out, table, count, base);
	if (!rc)
		wire_close(out, mark);
	return rc;
}

static int encode_verdict(struct buf *out, const struct job_result *result)
{
	int rc = wire_add_u64(out, TAG_OUTCOME, result->outcome);
	if (!rc)
		rc = wire_add_u64(out, TAG_EXIT_CODE, (uint64_t)((int64_t)result->exit_code + 1));
	if (!rc)
		rc = wire_add_u64(out, TAG_SIGNAL, (uint64_t)result->signal);
	if (!rc)
		rc = wire_add_u64(out, TAG_SYSCALL, (uint64_t)((int64_t)result->syscall + 1));
	if (!rc)
		rc = wire_add_u64(out, TAG_SYSCALL_ARCH, result->syscall_arch);
	if (!rc)
		rc = wire_add_u64(out, TAG_LIMIT_HIT, result->limit_hit);
	if (!rc)
		rc = encode_record(
			out, TAG_USAGE, result_usage_fields, USAGE_FIELDS, &result->usage);
	if (!rc)
		rc = encode_record(
			out, TAG_STAGES, result_stage_fields, STAGE_FIELDS, &result->stages);
	if (!rc)
		rc = encode_record(
			out, TAG_LIMITS, result_limit_fields, APPLIED_FIELDS, &result->limits);
	return rc;
}

static int encode_layer(struct buf *out, unsigned layer, const struct layer_report *report)
{
	size_t mark;
	int rc = wire_open(out, TAG_LAYER, &mark);
	if (!rc)
		rc = wire_add_u64(out, LAYER_TAG_ID, layer);
	if (!rc)
		rc = wire_add_u64(out, LAYER_TAG_STATE, report->state);
	if (!rc)
		rc = wire_add_text(out, LAYER_TAG_DETAIL, report->detail);
	if (!rc)
		wire_close(out, mark);
	return rc;
}

static int encode_receipt(struct buf *out, const struct job_receipt *receipt)
{
	int rc = 0;
	for (unsigned i = 0; !rc && i < LAYER_COUNT; i++)
		rc = encode_layer(out, i, &receipt->layers[i]);
	if (!rc)
		rc = wire_add_text(out, TAG_IMAGE, receipt->image);
	if (!rc)
		rc = wire_add_text(out, TAG_KERNEL, receipt->kernel);
	return rc ? rc : wire_add_text(out, TAG_CGROUP, receipt->cgroup_version);
}

static int add_fd(int fd, int *fds, size_t *fd_count)
{
	if (*fd_count >= FD_MESSAGE_MAX)
		return -E2BIG;
	fds[(*fd_count)++] = fd;
	return 0;
}

static int encode_lists(
	const struct job_result *result, struct buf *out, int *fds, size_t *fd_count)
{
	int rc = 0;
	for (size_t i = 0; !rc && i < result->item_count; i++) {
		rc = encode_item(out, &result->items[i]);
		if (!rc && result->items[i].fd >= 0)
			rc = add_fd(result->items[i].fd, fds, fd_count);
	}
	for (size_t i = 0; !rc && i < result->artifact_count; i++) {
		rc = encode_artifact(out, &result->artifacts[i]);
		if (!rc)
			rc = add_fd(result->artifacts[i].fd, fds, fd_count);
	}
	for (size_t i = 0; !rc && i < result->skipped_count; i++)
		rc = encode_skipped(out, &result->skipped[i]);
	return rc;
}

int job_result_encode(
	const struct job_result *result, struct buf *out, int *fds, size_t *ret_fd_count)
{
	size_t mark, fd_count = 0;
	int rc = wire_begin(out, CHANNEL_RESULT, &mark);
	if (!rc)
		rc = encode_verdict(out, result);
	if (!rc)
		rc = encode_output(out, TAG_STDOUT, &result->out);
	if (!rc)
		rc = encode_output(out, TAG_STDERR, &result->err);
	if (!rc)
		rc = encode_lists(result, out, fds, &fd_count);
	if (!rc && result->receipt.present)
		rc = encode_receipt(out, &result->receipt);
	if (!rc && result->fault.code)
		rc = wire_add_fault(out, TAG_FAULT, &result->fault);
	if (!rc && result->session.state != SESSION_ALONE)
		rc = session_status_encode(&result->session, TAG_SESSION, out);
	if (!rc)
		rc = wire_end(out, mark, fd_count);
	if (!rc)
		*ret_fd_count = fd_count;
	return rc;
}

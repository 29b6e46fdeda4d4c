/*
 * result: reading what a job left.
 *
 * The service writes the frame, so its structure is as sound as the service; the bytes in it came
 * out of the cell and are judged by whoever uses them.
 */
#include "wire/result.h"

#include "base/fd.h"
#include "wire/fault.h"
#include "wire/result_fields.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Descriptors as they are handed out to items and artifacts, in order. */
struct fd_queue {
	int *fds;
	size_t count, next;
};

void job_result_init(struct job_result *result)
{
	*result = (struct job_result){.outcome = OUTCOME_INTERNAL, .exit_code = -1, .syscall = -1};
	buf_init(&result->storage, RESULT_FRAME_BYTES_MAX);
}

void job_result_done(struct job_result *result)
{
	if (!result)
		return;
	for (size_t i = 0; i < result->item_count; i++)
		fd_close(&result->items[i].fd);
	for (size_t i = 0; i < result->artifact_count; i++)
		fd_close(&result->artifacts[i].fd);
	free(result->items);
	free(result->artifacts);
	free(result->skipped);
	buf_done(&result->storage);
	job_result_init(result);
}

static int next_fd(struct fd_queue *queue, int *ret_fd)
{
	if (queue->next >= queue->count)
		return -EBADMSG;
	*ret_fd = TAKE_FD(queue->fds[queue->next]);
	queue->next++;
	return 0;
}

static int decode_output(struct span rest, struct job_output *output)
{
	struct wire_field field;
	int rc;
	while ((rc = wire_next(&rest, &field)) > 0) {
		if (field.tag == OUTPUT_HEAD)
			output->head = field.value;
		else if (field.tag == OUTPUT_TAIL)
			output->tail = field.value;
		else if (field.tag == OUTPUT_BYTES && wire_u64(&field, UINT64_MAX, &output->bytes))
			return -EBADMSG;
	}
	if (rc < 0 || output->head.len > LIMIT_TEXT_HEAD_BYTES ||
		output->tail.len > LIMIT_TEXT_TAIL_BYTES ||
		output->bytes < output->head.len + output->tail.len)
		return -EBADMSG;
	return 0;
}

static int decode_item(struct span rest, struct job_result *result, struct fd_queue *queue)
{
	struct job_item item = {.fd = -1};
	uint32_t kind = 0;
	bool has_image = false;
	struct wire_field field;
	int rc;

	while ((rc = wire_next(&rest, &field)) > 0) {
		if (field.tag == ITEM_TAG_KIND && wire_u32(&field, ITEM_NOTE, &kind))
			return -EBADMSG;
		if (field.tag == ITEM_TAG_PAYLOAD)
			item.payload = field.value;
		if (field.tag == ITEM_TAG_IMAGE_BYTES) {
			has_image = true;
			if (wire_u64(&field, LIMIT_CHART_BYTES, &item.bytes))
				return -EBADMSG;
		}
	}
	if (rc < 0 || kind < ITEM_VALUE || result->item_count >= RESULT_ITEMS_MAX)
		return -EBADMSG;
	if (has_image && next_fd(queue, &item.fd) < 0)
		return -EBADMSG;
	item.kind = (enum item_kind)kind;
	result->items[result->item_count++] = item;
	return 0;
}

static uint64_t artifacts_bytes(const struct job_result *result)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < result->artifact_count; i++)
		sum += result->artifacts[i].bytes;
	return sum;
}

static int decode_artifact(struct span rest, struct job_result *result, struct fd_queue *queue)
{
	struct job_artifact artifact = {.fd = -1};
	struct wire_field field;
	int rc;

	while ((rc = wire_next(&rest, &field)) > 0) {
		if (field.tag == FILE_NAME)
			artifact.name = field.value;
		else if (field.tag == FILE_BYTES &&
			 wire_u64(&field, LIMIT_ARTIFACT_BYTES, &artifact.bytes))
			return -EBADMSG;
	}
	if (rc < 0 || result->artifact_count >= LIMIT_ARTIFACTS || artifact.name.len == 0 ||
		artifact.name.len > RESULT_PATH_BYTES_MAX ||
		artifact.bytes > LIMIT_ARTIFACT_BYTES - artifacts_bytes(result) ||
		memchr(artifact.name.data, 0, artifact.name.len) ||
		next_fd(queue, &artifact.fd) < 0)
		return -EBADMSG;
	result->artifacts[result->artifact_count++] = artifact;
	return 0;
}

static int decode_skipped(struct span rest, struct job_result *result)
{
	struct job_skipped skipped = {0};
	struct wire_field field;
	int rc;

	while ((rc = wire_next(&rest, &field)) > 0) {
		if (field.tag == FILE_NAME)
			skipped.name = field.value;
		else if (field.tag == FILE_WHY)
			skipped.why = field.value;
	}
	if (rc < 0 || result->skipped_count >= RESULT_SKIPPED_MAX ||
		skipped.name.len > RESULT_PATH_BYTES_MAX)
		return -EBADMSG;
	result->skipped[result->skipped_count++] = skipped;
	return 0;
}

static int decode_record(
	struct span rest, const struct wire_number *table, size_t count, void *base)
{
	struct wire_field field;
	int rc;
	while ((rc = wire_next(&rest, &field)) > 0)
		if (wire_take_number(&field, table, count, base) < 0)
			return -EBADMSG;
	return rc;
}

static int decode_layer(struct span rest, struct job_receipt *receipt)
{
	struct layer_report report = {0};
	uint32_t layer = LAYER_COUNT, state = LAYER_MISSING;
	struct wire_field field;
	int rc;

	while ((rc = wire_next(&rest, &field)) > 0) {
		if (field.tag == LAYER_TAG_ID && wire_u32(&field, LAYER_COUNT - 1, &layer))
			return -EBADMSG;
		if (field.tag == LAYER_TAG_STATE && wire_u32(&field, LAYER_NOT_OFFERED, &state))
			return -EBADMSG;
		if (field.tag == LAYER_TAG_DETAIL &&
			wire_text(&field, report.detail, sizeof(report.detail)))
			return -EBADMSG;
	}
	if (rc < 0 || layer >= LAYER_COUNT)
		return -EBADMSG;
	report.state = (enum layer_state)state;
	receipt->layers[layer] = report;
	receipt->present = true;
	return 0;
}

/* A figure that is one more than it says, so that 0 stands for -1. */
static int decode_plus_one(const struct wire_field *field, uint64_t max, int *ret_value)
{
	uint64_t value;
	int rc = wire_u64(field, max + 1, &value);
	if (!rc)
		*ret_value = (int)((int64_t)value - 1);
	return rc;
}

static int decode_verdict(const struct wire_field *field, struct job_result *result)
{
	uint32_t value = 0;
	int rc;

	switch (field->tag) {
	case TAG_OUTCOME:
		rc = wire_u32(field, OUTCOME_COUNT - 1, &value);
		/* Refusing is the dispatcher's: a service that says so has lost its way. */
		if (rc < 0 || value == OUTCOME_REJECTED)
			return -EBADMSG;
		result->outcome = (enum outcome)value;
		return 0;
	case TAG_EXIT_CODE:
		return decode_plus_one(field, 255, &result->exit_code);
	case TAG_SIGNAL:
		rc = wire_u32(field, 64, &value);
		result->signal = (int)value;
		return rc;
	case TAG_SYSCALL:
		return decode_plus_one(field, INT32_MAX, &result->syscall);
	case TAG_SYSCALL_ARCH:
		return wire_u32(field, UINT32_MAX, &result->syscall_arch);
	case TAG_LIMIT_HIT:
		return wire_u64(field, UINT64_MAX, &result->limit_hit);
	case TAG_IMAGE:
		return wire_text(field, result->receipt.image, sizeof(result->receipt.image));
	case TAG_KERNEL:
		return wire_text(field, result->receipt.kernel, sizeof(result->receipt.kernel));
	case TAG_CGROUP:
		return wire_text(field, result->receipt.cgroup_version,
			sizeof(result->receipt.cgroup_version));
	default:
		return 0;
	}
}

static int decode_field(
	const struct wire_field *field, struct job_result *result, struct fd_queue *queue)
{
	switch (field->tag) {
	case TAG_STDOUT:
		return decode_output(field->value, &result->out);
	case TAG_STDERR:
		return decode_output(field->value, &result->err);
	case TAG_ITEM:
		return decode_item(field->value, result, queue);
	case TAG_ARTIFACT:
		return decode_artifact(field->value, result, queue);
	case TAG_SKIPPED:
		return decode_skipped(field->value, result);
	case TAG_USAGE:
		return decode_record(
			field->value, result_usage_fields, USAGE_FIELDS, &result->usage);
	case TAG_STAGES:
		return decode_record(
			field->value, result_stage_fields, STAGE_FIELDS, &result->stages);
	case TAG_LIMITS:
		return decode_record(
			field->value, result_limit_fields, APPLIED_FIELDS, &result->limits);
	case TAG_LAYER:
		return decode_layer(field->value, &result->receipt);
	case TAG_FAULT:
		return wire_fault(field->value, &result->fault);
	case TAG_SESSION:
		return session_status_decode(field->value, &result->session);
	default:
		return decode_verdict(field, result);
	}
}

static int decode_fields(struct job_result *result, struct fd_queue *queue)
{
	struct span rest = span_of(result->storage.data, result->storage.len);
	bool has_outcome = false;
	struct wire_field field;
	int rc;

	while ((rc = wire_next(&rest, &field)) > 0) {
		rc = decode_field(&field, result, queue);
		if (rc < 0)
			return -EBADMSG;
		has_outcome = has_outcome || field.tag == TAG_OUTCOME;
	}
	if (rc < 0 || !has_outcome || queue->next != queue->count)
		return -EBADMSG;
	return 0;
}

int job_result_decode(struct span fields, int *fds, size_t fd_count, struct job_result *result)
{
	struct fd_queue queue = {.fds = fds, .count = fd_count};
	result->items = calloc(RESULT_ITEMS_MAX, sizeof(*result->items));
	result->artifacts = calloc(LIMIT_ARTIFACTS, sizeof(*result->artifacts));
	result->skipped = calloc(RESULT_SKIPPED_MAX, sizeof(*result->skipped));
	int rc = result->items && result->artifacts && result->skipped ? 0 : -ENOMEM;
	if (!rc)
		rc = buf_add(&result->storage, fields.data, fields.len);
	if (!rc)
		rc = decode_fields(result, &queue);
	for (size_t i = queue.next; i < queue.count; i++)
		fd_close(&fds[i]);
	return rc == -ENOSPC ? -EBADMSG : rc;
}

/*
 * fuzz_tool_item: what the code in a cell may claim about itself. The first byte chooses the kind
 * of item, the rest is its payload.
 */
#include "base/utf8.h"
#include "tool/render.h"
#include "tool/result_json.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static int image_fd(void)
{
	static const unsigned char png[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\2\0\0\0\2\x08\2\0\0"
					   "\0\xfd\xd4\x9as";
	static int fd = -1;
	if (fd < 0) {
		fd = memfd_create("fuzz", MFD_CLOEXEC);
		require(write(fd, png, sizeof(png) - 1) == (ssize_t)sizeof(png) - 1);
	}
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct job_item item = {.fd = -1};
	struct job_result result;
	struct view view;
	json_t *object, *again;
	struct buf line, text;

	if (bytes < 1)
		return 0;
	item.kind = (enum item_kind)(ITEM_VALUE + data[0] % ITEM_NOTE);
	item.payload = span_of(data + 1, bytes - 1);
	if (item.kind == ITEM_CHART) {
		item.fd = image_fd();
		item.bytes = 33;
	}
	job_result_init(&result);
	result.outcome = OUTCOME_ERROR;
	result.items = &item;
	result.item_count = 1;
	require(view_init(&view, &result, "j", NULL) == 0);
	require(result_json(&view, &result_urls_none, &object) == 0);
	buf_init(&line, RESULT_JSON_BYTES_MAX);
	buf_init(&text, RENDER_BYTES_MAX);
	require(json_write(object, &line) == 0);
	require(json_read(span_of(line.data, line.len), &again) == 0 && json_equal(object, again));
	require(render_text(&view, &text) == 0);
	require(text.len > 0 && utf8_valid(text.data, text.len, NULL));
	json_decref(again);
	json_decref(object);
	buf_done(&line);
	buf_done(&text);
	view_done(&view);
	return 0;
}

/* output: head, tail, and what stands between. */
#include "tool/output.h"

#include "base/utf8.h"
#include "tool/text.h"

static int whole_text(const struct job_output *output, struct buf *out)
{
	/* A character may lie across the seam, so the two are joined before they are judged. */
	cleanup_buf struct buf joined = {0};
	buf_init(&joined, LIMIT_TEXT_BYTES);
	int rc = buf_add(&joined, output->head.data, output->head.len);
	if (!rc)
		rc = buf_add(&joined, output->tail.data, output->tail.len);
	return rc ? rc : utf8_escape(out, joined.data, joined.len);
}

int output_text(const struct job_output *output, struct buf *out, bool *ret_truncated)
{
	struct span head = output->head, tail = output->tail;

	*ret_truncated = output->bytes > head.len + tail.len;
	if (!*ret_truncated)
		return whole_text(output, out);
	head.len = utf8_cut_head(head.data, head.len);
	size_t skip = utf8_cut_tail(tail.data, tail.len);
	tail = span_of(tail.data + skip, tail.len - skip);

	char count[TEXT_FIGURE_BYTES];
	int rc = utf8_escape(out, head.data, head.len);
	if (!rc)
		rc = buf_printf(out, "\n… [%s bytes left out] …\n",
			text_count(output->bytes - head.len - tail.len, count));
	return rc ? rc : utf8_escape(out, tail.data, tail.len);
}

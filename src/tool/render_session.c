/* render_session: what a model has to know of a session to go on in it, or to begin again. */
#include "tool/render.h"

#include "tool/render_parts.h"
#include "tool/text.h"

#define SOON_MS (5u * 60 * 1000) /* a life that ends within that time is worth a line */

static int put_begun(const struct view *view, struct buf *out)
{
	char idle[TEXT_FIGURE_BYTES];
	return buf_printf(out,
		"session %s: pass it as session to go on with these variables and files; it ends "
		"after %s without a call\n",
		view->session.id, text_ms(view->result->session.idle_left_ms, idle));
}

int render_session(const struct view *view, struct buf *out)
{
	const struct session_status *status = &view->result->session;
	char left[TEXT_FIGURE_BYTES];
	int rc = 0;
	if (!view->session.id[0] || status->state == SESSION_ALONE)
		return 0;
	if (status->state == SESSION_LOST)
		return buf_printf(out,
			"session lost: %s; its variables and files are gone. Pass session: \"new\" "
			"to begin again\n",
			status->lost_why[0] ? status->lost_why : "its process has ended");
	if (status->state == SESSION_INTERRUPTED)
		rc = buf_add_text(
			out, "session: the call was interrupted; variables and files are kept\n");
	if (!rc && view->session.begun)
		rc = put_begun(view, out);
	else if (!rc && status->life_left_ms < SOON_MS)
		rc = buf_printf(
			out, "session: it ends in %s\n", text_ms(status->life_left_ms, left));
	return rc;
}

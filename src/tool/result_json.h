/*
 * result_json: a view as the one JSON object that every client gets (the contract's "Result").
 *
 * Charts go inline as base64 as long as the whole object stays within RESULT_JSON_BYTES_MAX, and
 * where they do not, by the caller's url, and without one into `skipped`. Tables and rich forms
 * give way before that; output, error and text never do.
 */
#ifndef BRIG_TOOL_RESULT_JSON_H
#define BRIG_TOOL_RESULT_JSON_H

#include "tool/digest.h"
#include "tool/view.h"

#define RESULT_JSON_BYTES_MAX (8 * MIB)

/* Why a chart stands in `skipped` that has neither room in the object nor a url. */
#define RESULT_WHY_NO_ROOM "no room for its image in this reply; write charts to a folder"

struct result_urls {
	const char *const *charts; /* one for each of the view's charts, or NULL: none is stored */
	const char *const *files;  /* one for each artifact, or NULL */
	const unsigned char (*digests)[DIGEST_BYTES]; /* of each artifact, or NULL: they are read */
	bool images_inline;			      /* false leaves all image data to the urls */
	/* Filled: which of the view's charts each of the object's is, as one without room or url is
	 * left out. LIMIT_CHARTS of them, or NULL. */
	unsigned char *chart_numbers;
};

/* The urls of a caller that stores nothing. */
extern const struct result_urls result_urls_none;

/*
 * Makes the object; reads the artifacts' heads, and all of them where no digests are given. 0;
 * -ENOMEM; -errno where an artifact cannot be read. Borrows everything.
 */
int result_json(
	const struct view *view, const struct result_urls *urls, json_t **ret_object) MUST_CHECK;

#endif

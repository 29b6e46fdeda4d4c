/*
 * chart: an image that a cell's runtime left, judged by its own bytes.
 *
 * The width and height that travel in JSON are the cell's word; a viewer allocates by them. So a
 * chart is kept only where its header says the same and stays within the caps. An SVG is data for
 * a client to show as an image, never markup: scripts in it are the client's to refuse.
 *
 * Source: PNG (https://www.w3.org/TR/png-3/, 5.2 and 11.2.1), JPEG (ITU T.81, annex B).
 */
#ifndef BRIG_TOOL_CHART_H
#define BRIG_TOOL_CHART_H

#include "tool/json.h"
#include "wire/result.h"

#define CHART_PIXELS_MAX 16000000u
#define CHART_SIDE_MAX 32768u
#define CHART_WHY_BYTES 96u

struct chart {
	json_t *meta;		     /* {mime, width, height, title?, alt, data?} */
	const struct job_item *item; /* borrowed: its fd and bytes */
	const char *extension;	     /* "png" */
};

/*
 * Judges one ITEM_CHART. 0 and a chart (chart_done frees it); -EBADMSG with `why` as one line for
 * `skipped`; -ENOMEM; -errno where the image cannot be read.
 */
int chart_check(
	const struct job_item *item, struct chart *ret_chart, char why[CHART_WHY_BYTES]) MUST_CHECK;
void chart_done(struct chart *chart);

/* "png", "jpg" or "svg" for the media type of a chart, NULL for any other. */
const char *chart_extension(struct span mime);

/* The size that the image itself gives, from its first bytes. 0 or -EBADMSG. */
int chart_png_size(struct span image, unsigned *ret_width, unsigned *ret_height) MUST_CHECK;
int chart_jpeg_size(struct span image, unsigned *ret_width, unsigned *ret_height) MUST_CHECK;

/* The whole image as base64 in a JSON string. 0, -ENOMEM, or -errno of the read. */
int chart_base64(const struct chart *chart, json_t **ret_text) MUST_CHECK;

/* How long that string is. */
size_t chart_base64_bytes(const struct chart *chart);

#endif

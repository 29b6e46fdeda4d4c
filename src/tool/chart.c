/* chart: headers against claims. */
#include "tool/chart.h"

#include "base/fd.h"
#include "base/utf8.h"
#include "tool/item.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define ALT_BYTES (1 * KIB)

static unsigned big_endian(const unsigned char *at, size_t bytes)
{
	unsigned value = 0;
	for (size_t i = 0; i < bytes; i++)
		value = value << 8 | at[i];
	return value;
}

int chart_png_size(struct span image, unsigned *ret_width, unsigned *ret_height)
{
	static const unsigned char start[16] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
	/* Bit depths that each colour type allows, as a set of bits. */
	static const unsigned depths[7] = {
		[0] = 1u << 1 | 1u << 2 | 1u << 4 | 1u << 8 | 1u << 16,
		[2] = 1u << 8 | 1u << 16,
		[3] = 1u << 1 | 1u << 2 | 1u << 4 | 1u << 8,
		[4] = 1u << 8 | 1u << 16,
		[6] = 1u << 8 | 1u << 16,
	};
	if (image.len < 33 || memcmp(image.data, start, sizeof(start)) != 0)
		return -EBADMSG;
	const unsigned char *header = image.data + 16;
	unsigned width = big_endian(header, 4), height = big_endian(header + 4, 4);
	unsigned depth = header[8], colour = header[9];
	if (colour > 6 || depth > 16 || !(depths[colour] >> depth & 1u) || header[10] ||
		header[11] || header[12] > 1)
		return -EBADMSG;
	*ret_width = width;
	*ret_height = height;
	return 0;
}

/* Whether a marker starts a frame, whose header holds the size. */
static bool starts_frame(unsigned marker)
{
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 &&
	       marker != 0xcc;
}

int chart_jpeg_size(struct span image, unsigned *ret_width, unsigned *ret_height)
{
	if (image.len < 4 || image.data[0] != 0xff || image.data[1] != 0xd8)
		return -EBADMSG;
	for (size_t at = 2; at + 9 <= image.len;) {
		const unsigned char *segment = image.data + at;
		if (segment[0] != 0xff)
			return -EBADMSG;
		if (starts_frame(segment[1])) {
			*ret_height = big_endian(segment + 5, 2);
			*ret_width = big_endian(segment + 7, 2);
			return 0;
		}
		at += 2 + big_endian(segment + 2, 2);
	}
	return -EBADMSG;
}

static bool is_svg(struct span image)
{
	size_t seen = image.len < 4096 ? image.len : 4096;
	return utf8_valid(image.data, image.len, NULL) && memmem(image.data, seen, "<svg", 4);
}

static int read_image(const struct job_item *item, struct buf *image)
{
	unsigned char *room = buf_reserve(image, (size_t)item->bytes);
	if (!room)
		return -ENOMEM;
	int rc = fd_pread_all(item->fd, room, (size_t)item->bytes, 0);
	if (!rc)
		image->len += (size_t)item->bytes;
	return rc;
}

static int refuse(char why[CHART_WHY_BYTES], const char *reason)
{
	(void)snprintf(why, CHART_WHY_BYTES, "%s", reason);
	return -EBADMSG;
}

static int check_size(
	const json_t *meta, unsigned width, unsigned height, char why[CHART_WHY_BYTES])
{
	if (width == 0 || height == 0 || width > CHART_SIDE_MAX || height > CHART_SIDE_MAX ||
		(uint64_t)width * height > CHART_PIXELS_MAX)
		return refuse(why, "the image has more than 16 megapixels, or none");
	if (json_integer_value(json_object_get(meta, "width")) != width ||
		json_integer_value(json_object_get(meta, "height")) != height)
		return refuse(why, "the image's header gives another size than was reported");
	return 0;
}

const char *chart_extension(struct span mime)
{
	if (span_is(mime, "image/png"))
		return "png";
	if (span_is(mime, "image/jpeg"))
		return "jpg";
	return span_is(mime, "image/svg+xml") ? "svg" : NULL;
}

/* What kind of image it is, and that its own header agrees. */
static int check_image(
	const json_t *raw, struct span image, struct chart *chart, char why[CHART_WHY_BYTES])
{
	struct span mime = json_text(json_object_get(raw, "mime"));
	unsigned width = 0, height = 0;
	int rc;

	chart->extension = chart_extension(mime);
	if (span_is(mime, "image/png")) {
		rc = chart_png_size(image, &width, &height);
	} else if (span_is(mime, "image/jpeg")) {
		rc = chart_jpeg_size(image, &width, &height);
	} else if (span_is(mime, "image/svg+xml")) {
		/* Drawn to any size: the reported one is only a proposal, within the caps. */
		json_int_t said_width = json_integer_value(json_object_get(raw, "width"));
		json_int_t said_height = json_integer_value(json_object_get(raw, "height"));
		rc = is_svg(image) && said_width > 0 && said_width <= CHART_SIDE_MAX &&
				     said_height > 0 && said_height <= CHART_SIDE_MAX
			     ? 0
			     : -EBADMSG;
		width = (unsigned)said_width;
		height = (unsigned)said_height;
	} else {
		return refuse(why, "not a kind of image that a result can carry");
	}
	if (rc < 0)
		return refuse(why, "the file is not the image that it was reported as");
	return check_size(raw, width, height, why);
}

static int make_meta(const json_t *raw, json_t **ret_meta)
{
	cleanup_json json_t *meta = json_object();
	json_t *data = json_object_get(raw, "data"), *plain;
	static const char *const copied[] = {"mime", "width", "height"};
	int rc = meta ? 0 : -ENOMEM;

	for (size_t i = 0; !rc && i < sizeof(copied) / sizeof(copied[0]); i++)
		rc = json_put(meta, copied[i], json_incref(json_object_get(raw, copied[i])));
	if (!rc)
		rc = item_copy_text(meta, raw, "title", ITEM_NAME_BYTES);
	if (!rc && json_string_length(json_object_get(raw, "alt")))
		rc = item_copy_text(meta, raw, "alt", ALT_BYTES);
	else if (!rc)
		rc = json_put(meta, "alt", json_string("a chart"));
	if (!rc && data && !json_is_null(data)) {
		rc = item_plain(data, ITEM_RICH_BYTES, &plain);
		if (!rc)
			rc = json_put(meta, "data", plain);
		/* The picture stands without the numbers behind it. */
		rc = rc == -E2BIG ? 0 : rc;
	}
	if (!rc)
		*ret_meta = TAKE_JSON(meta);
	return rc;
}

int chart_check(const struct job_item *item, struct chart *ret_chart, char why[CHART_WHY_BYTES])
{
	struct chart chart = {.item = item};
	cleanup_json json_t *raw = NULL;
	cleanup_buf struct buf image = {0};
	struct stat status;

	int rc = json_read(item->payload, &raw);
	if (rc == -EBADMSG)
		return refuse(why, "its description is malformed");
	if (rc < 0)
		return rc;
	if (item->fd < 0 || item->bytes == 0)
		return refuse(why, "its image is missing");
	if (item->bytes > LIMIT_CHART_BYTES)
		return refuse(why, "the image is larger than 4 MiB");
	if (fstat(item->fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return refuse(why, "its image is not a file");
	buf_init(&image, LIMIT_CHART_BYTES);
	rc = read_image(item, &image);
	if (rc == -ENODATA)
		return refuse(why, "the image is shorter than was reported");
	if (!rc)
		rc = check_image(raw, span_of(image.data, image.len), &chart, why);
	if (!rc)
		rc = make_meta(raw, &chart.meta);
	if (!rc)
		*ret_chart = chart;
	return rc;
}

void chart_done(struct chart *chart)
{
	json_decref(chart->meta);
	chart->meta = NULL;
}

size_t chart_base64_bytes(const struct chart *chart)
{
	return ((size_t)chart->item->bytes + 2) / 3 * 4;
}

int chart_base64(const struct chart *chart, json_t **ret_text)
{
	cleanup_buf struct buf image = {0}, text = {0};
	size_t wanted = chart_base64_bytes(chart) + 1;
	buf_init(&image, LIMIT_CHART_BYTES);
	buf_init(&text, wanted);
	int rc = read_image(chart->item, &image);
	if (rc < 0)
		return rc;
	char *room = (char *)buf_reserve(&text, wanted);
	if (!room)
		return -ENOMEM;
	(void)sodium_bin2base64(
		room, wanted, image.data, image.len, sodium_base64_VARIANT_ORIGINAL);
	*ret_text = json_stringn_nocheck(room, wanted - 1);
	return *ret_text ? 0 : -ENOMEM;
}

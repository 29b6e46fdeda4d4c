/* chart: images whose headers lie, and files that are no images. */
#include "sample_result.h"

#include "tool/chart.h"

#define PNG_HEAD "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"

/* A PNG header of some width and height, depth, colour type. */
static size_t png(unsigned width, unsigned height, unsigned depth, unsigned colour, char out[40])
{
	memcpy(out, PNG_HEAD, 16);
	const unsigned char rest[17] = {(unsigned char)(width >> 24), (unsigned char)(width >> 16),
		(unsigned char)(width >> 8), (unsigned char)width, (unsigned char)(height >> 24),
		(unsigned char)(height >> 16), (unsigned char)(height >> 8), (unsigned char)height,
		(unsigned char)depth, (unsigned char)colour};
	memcpy(out + 16, rest, sizeof(rest));
	return 33;
}

static int check(const char *payload, const void *image, size_t bytes, char why[CHART_WHY_BYTES])
{
	struct job_item item = {.kind = ITEM_CHART,
		.payload = span_text(payload),
		.fd = check_memfd(image, bytes),
		.bytes = bytes};
	struct chart chart = {0};
	int rc = chart_check(&item, &chart, why);
	if (!rc)
		chart_done(&chart);
	(void)close(item.fd);
	return rc;
}

static int check_png(
	unsigned claimed_width, unsigned claimed_height, const char *image, size_t bytes)
{
	char payload[128], why[CHART_WHY_BYTES] = "";
	(void)snprintf(payload, sizeof(payload),
		"{\"mime\":\"image/png\",\"width\":%u,\"height\":%u,\"alt\":\"x\"}", claimed_width,
		claimed_height);
	int rc = check(payload, image, bytes, why);
	assert_int_equal(rc == 0, why[0] == 0);
	return rc;
}

static void good_charts(void **state)
{
	(void)state;
	struct job_result result;
	struct chart chart;
	char why[CHART_WHY_BYTES] = "";
	json_t *text;
	sample_begin(&result, OUTCOME_OK);
	sample_chart(&result,
		"{\"mime\":\"image/png\",\"width\":2,\"height\":2,\"title\":\"T\",\"alt\":\"A\","
		"\"data\":{\"y\":[1,9007199254740993]},\"path\":\"/tmp/.brig/1.png\",\"x\":0}",
		sample_png, SAMPLE_PNG_BYTES);
	assert_int_equal(chart_check(&result.items[0], &chart, why), 0);
	char *meta = json_dumps(chart.meta, JSON_COMPACT);
	assert_string_equal(meta,
		"{\"mime\":\"image/png\",\"width\":2,\"height\":2,\"title\":\"T\",\"alt\":\"A\","
		"\"data\":{\"y\":[1,{\"$type\":\"int\",\"value\":\"9007199254740993\"}]}}");
	free(meta);
	assert_string_equal(chart.extension, "png");
	assert_int_equal(chart_base64(&chart, &text), 0);
	assert_int_equal(json_string_length(text), chart_base64_bytes(&chart));
	assert_memory_equal(json_string_value(text), "iVBORw0KGgo", 11);
	json_decref(text);
	chart_done(&chart);
	chart_done(&chart);
	job_result_done(&result);
}

static void png_headers(void **state)
{
	(void)state;
	char image[40];
	size_t bytes = png(4000, 4000, 8, 6, image);
	assert_int_equal(check_png(4000, 4000, image, bytes), 0);
	assert_int_equal(check_png(4001, 4000, image, bytes), -EBADMSG);
	assert_int_equal(check_png(4000, 3999, image, bytes), -EBADMSG);
	bytes = png(4001, 4000, 8, 6, image);
	assert_int_equal(check_png(4001, 4000, image, bytes), -EBADMSG);
	bytes = png(32768, 1, 8, 6, image);
	assert_int_equal(check_png(32768, 1, image, bytes), 0);
	bytes = png(32769, 1, 8, 6, image);
	assert_int_equal(check_png(32769, 1, image, bytes), -EBADMSG);
	bytes = png(0, 5, 8, 6, image);
	assert_int_equal(check_png(0, 5, image, bytes), -EBADMSG);
	bytes = png(UINT32_MAX, UINT32_MAX, 8, 6, image);
	assert_int_equal(check_png(UINT32_MAX, UINT32_MAX, image, bytes), -EBADMSG);
	bytes = png(2, 2, 8, 6, image);
	for (size_t n = 1; n < bytes; n++)
		assert_int_equal(check_png(2, 2, image, n), -EBADMSG);
	static const unsigned char wrong[][2] = {
		{3, 0}, {4, 2}, {16, 3}, {4, 4}, {1, 6}, {8, 1}, {8, 5}, {8, 7}, {0, 0}, {32, 0}};
	for (size_t i = 0; i < COUNT(wrong); i++) {
		bytes = png(2, 2, wrong[i][0], wrong[i][1], image);
		assert_int_equal(check_png(2, 2, image, bytes), -EBADMSG);
	}
	for (size_t i = 0; i < 16; i++) {
		bytes = png(2, 2, 8, 6, image);
		image[i] ^= 1;
		assert_int_equal(check_png(2, 2, image, bytes), -EBADMSG);
	}
}

static void jpeg_headers(void **state)
{
	(void)state;
	static const unsigned char good[] = {
		0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc0, 0, 17, 8, 0, 3, 0, 5, 3, 0, 0};
	static const unsigned char endless[] = {
		0xff, 0xd8, 0xff, 0xe0, 0, 0, 0xff, 0xe0, 0, 0, 0xff, 0xe0, 0, 0};
	unsigned width = 0, height = 0;
	assert_int_equal(chart_jpeg_size(span_of(good, sizeof(good)), &width, &height), 0);
	assert_int_equal(width, 5);
	assert_int_equal(height, 3);
	for (size_t n = 0; n < 17; n++)
		assert_int_equal(chart_jpeg_size(span_of(good, n), &width, &height), -EBADMSG);
	assert_int_equal(
		chart_jpeg_size(span_of(endless, sizeof(endless)), &width, &height), -EBADMSG);
}

static void drawings(void **state)
{
	(void)state;
	char why[CHART_WHY_BYTES];
	static const char good[] =
		"{\"mime\":\"image/svg+xml\",\"width\":640,\"height\":480,\"alt\":\"x\"}";
	static const char huge[] =
		"{\"mime\":\"image/svg+xml\",\"width\":99999999999,\"height\":1,\"alt\":\"x\"}";
	static const char negative[] =
		"{\"mime\":\"image/svg+xml\",\"width\":-640,\"height\":480,\"alt\":\"x\"}";
	static const char many[] =
		"{\"mime\":\"image/svg+xml\",\"width\":5000,\"height\":5000,\"alt\":\"x\"}";
	static const char svg[] = "<?xml version='1.0'?>\n<svg xmlns='…'></svg>";
	assert_int_equal(check(good, svg, sizeof(svg) - 1, why), 0);
	assert_int_equal(check(huge, svg, sizeof(svg) - 1, why), -EBADMSG);
	assert_int_equal(check(negative, svg, sizeof(svg) - 1, why), -EBADMSG);
	assert_int_equal(check(many, svg, sizeof(svg) - 1, why), -EBADMSG);
	assert_int_equal(check(good, "<html>", 6, why), -EBADMSG);
	assert_int_equal(check(good, "<svg>\xff", 6, why), -EBADMSG);
}

static void not_charts(void **state)
{
	(void)state;
	char why[CHART_WHY_BYTES];
	static const char html[] = "{\"mime\":\"text/html\",\"width\":2,\"height\":2}";
	assert_int_equal(check(html, "<script>", 8, why), -EBADMSG);
	assert_non_null(strstr(why, "kind of image"));
	assert_int_equal(check("{}", sample_png, SAMPLE_PNG_BYTES, why), -EBADMSG);
	assert_int_equal(check("[[", sample_png, SAMPLE_PNG_BYTES, why), -EBADMSG);
	assert_non_null(strstr(why, "malformed"));
	assert_int_equal(check(sample_chart_json, "", 0, why), -EBADMSG);
	assert_non_null(strstr(why, "missing"));
	assert_int_equal(check("{\"mime\":\"image/png\",\"width\":\"2\",\"height\":2}", sample_png,
				 SAMPLE_PNG_BYTES, why),
		-EBADMSG);
}

static void images_that_are_no_files(void **state)
{
	(void)state;
	struct chart chart;
	char why[CHART_WHY_BYTES] = "";
	int fds[2];
	struct job_item item = {
		.kind = ITEM_CHART, .payload = span_text(sample_chart_json), .fd = -1};
	assert_int_equal(chart_check(&item, &chart, why), -EBADMSG);
	/* A FIFO would block whoever reads it. */
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	item.fd = fds[0];
	item.bytes = 100;
	assert_int_equal(chart_check(&item, &chart, why), -EBADMSG);
	(void)close(fds[0]);
	(void)close(fds[1]);
	/* Shorter than was said. */
	item.fd = check_memfd(sample_png, SAMPLE_PNG_BYTES);
	item.bytes = SAMPLE_PNG_BYTES + 1;
	assert_int_equal(chart_check(&item, &chart, why), -EBADMSG);
	assert_non_null(strstr(why, "shorter"));
	item.bytes = LIMIT_CHART_BYTES + 1;
	assert_int_equal(chart_check(&item, &chart, why), -EBADMSG);
	assert_non_null(strstr(why, "4 MiB"));
	(void)close(item.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_charts),
		cmocka_unit_test(png_headers),
		cmocka_unit_test(jpeg_headers),
		cmocka_unit_test(drawings),
		cmocka_unit_test(not_charts),
		cmocka_unit_test(images_that_are_no_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

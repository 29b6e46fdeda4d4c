/* e2b: paths, charts and results in its shapes, without a server. */
#include "check.h"

#include "api/e2b.h"
#include "api/query.h"
#include "api/text_stream.h"

#include <errno.h>

static void paths_below_the_folder(void **state)
{
	static const char *const cases[][2] = {
		{"data.csv", "data.csv"},
		{"/home/user/data.csv", "data.csv"},
		{"/mnt/data/a/b", "a/b"},
		{"~/x", "x"},
		{"./a/./b//c/", "a/b/c"},
		{"/home/user", ""},
		{"/home/user/", ""},
		{"", ""},
		{"home/user/x", "home/user/x"},
	};
	char out[SESSION_PATH_BYTES];
	struct err err;
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(e2b_path(span_text(cases[i][0]), out, &err), 0);
		assert_string_equal(out, cases[i][1]);
	}
}

static void paths_elsewhere_are_refused(void **state)
{
	static const char *const cases[] = {"/etc/passwd", "/", "/home/userx", "/home",
		"/mnt/database", "../x", "a/../b", "/home/user/../x", "/mnt/data/.."};
	char out[SESSION_PATH_BYTES];
	static char longest[2 * SESSION_PATH_BYTES];
	struct err err;
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(e2b_path(span_text(cases[i]), out, &err), -EINVAL);
	memset(longest, 'a', sizeof(longest) - 1);
	assert_int_equal(e2b_path(span_text(longest), out, &err), -EINVAL);
	assert_int_equal(e2b_path(span_of("a\0b", 3), out, &err), -EINVAL);
	assert_int_equal(e2b_path(span_text("/etc/passwd"), out, &err), -EINVAL);
	assert_non_null(strstr(err.text, "/mnt/data"));
}

/* The chart that brig's data become, as JSON text. */
static void check_chart(const char *given, const char *wanted)
{
	cleanup_json json_t *chart = json_loads(given, 0, NULL);
	cleanup_json json_t *expected = json_loads(wanted, 0, NULL);
	cleanup_json json_t *got = e2b_chart(chart);
	assert_non_null(chart);
	assert_non_null(expected);
	if (!json_equal(got, expected)) {
		char *text = json_dumps(got, JSON_SORT_KEYS);
		print_message("got %s\n", text);
		free(text);
	}
	assert_true(json_equal(got, expected));
}

static void charts_of_each_shape(void **state)
{
	(void)state;
	check_chart("{\"title\": \"T\", \"data\": {\"axes\": [{\"x_label\": \"n\", \"series\": "
		    "[{\"type\": \"line\", \"label\": \"s\", \"x\": [1, 2], \"y\": [3, 4.5]}]}]}}",
		"{\"type\": \"line\", \"title\": \"T\", \"x_label\": \"n\", \"y_label\": null, "
		"\"x_unit\": null, \"y_unit\": null, \"x_scale\": \"linear\", \"y_scale\": "
		"\"linear\", \"x_ticks\": [], \"x_tick_labels\": [], \"y_ticks\": [], "
		"\"y_tick_labels\": [], \"elements\": [{\"label\": \"s\", \"points\": [[1, 3], "
		"[2, 4.5]]}]}");
	check_chart("{\"data\": {\"axes\": [{\"title\": \"A\", \"series\": [{\"type\": \"bar\", "
		    "\"label\": \"g\", \"x\": [\"a\", 2], \"y\": [1, 2]}]}]}}",
		"{\"type\": \"bar\", \"title\": \"A\", \"x_label\": null, \"y_label\": null, "
		"\"x_unit\": null, \"y_unit\": null, \"elements\": [{\"label\": \"a\", \"value\": "
		"1, \"group\": \"g\"}, {\"label\": \"2\", \"value\": 2, \"group\": \"g\"}]}");
	check_chart("{\"data\": {\"axes\": [{\"series\": [{\"type\": \"pie\", \"labels\": [\"a\", "
		    "\"b\"], \"values\": [1, 3]}]}]}}",
		"{\"type\": \"pie\", \"title\": null, \"elements\": [{\"label\": \"a\", \"angle\": "
		"90.0, \"radius\": 1.0}, {\"label\": \"b\", \"angle\": 270.0, \"radius\": 1.0}]}");
	check_chart(
		"{\"data\": {\"axes\": [{\"series\": [{\"type\": \"box\", \"boxes\": "
		"[{\"label\": \"1\", \"q1\": 2, \"median\": 3, \"q3\": 4, \"low\": 1, \"high\": "
		"5}]}]}]}}",
		"{\"type\": \"box_and_whisker\", \"title\": null, \"x_label\": null, \"y_label\": "
		"null, \"x_unit\": null, \"y_unit\": null, \"elements\": [{\"label\": \"1\", "
		"\"min\": 1, \"first_quartile\": 2, \"median\": 3, \"third_quartile\": 4, "
		"\"max\": 5, \"outliers\": []}]}");
}

static void charts_of_several_axes_and_of_none(void **state)
{
	(void)state;
	check_chart("{\"title\": \"S\", \"data\": {\"axes\": [{\"series\": [{\"type\": \"pie\", "
		    "\"labels\": [], \"values\": []}]}, {\"series\": [{\"type\": \"heatmap\"}]}]}}",
		"{\"type\": \"superchart\", \"title\": \"S\", \"elements\": [{\"type\": \"pie\", "
		"\"title\": null, \"elements\": []}, {\"type\": \"unknown\", \"title\": null, "
		"\"elements\": []}]}");
	cleanup_json json_t *none = json_loads("{\"alt\": \"a picture\"}", 0, NULL);
	assert_null(e2b_chart(none));
}

static void scales_follow_the_values(void **state)
{
	static const char *const cases[][2] = {
		{"\"2026-01-02T00:00:00\"", "datetime"},
		{"\"Oslo\"", "categorical"},
		{"\"\"", "categorical"},
		{"{\"$type\": \"int\", \"value\": \"99999999999999999999\"}", "categorical"},
		{"7", "linear"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[300];
		(void)snprintf(text, sizeof(text),
			"{\"data\": {\"axes\": [{\"y_scale\": \"log\", \"series\": [{\"type\": "
			"\"scatter\", \"x\": [%s], \"y\": [1]}]}]}}",
			cases[i][0]);
		cleanup_json json_t *chart = json_loads(text, 0, NULL);
		cleanup_json json_t *got = e2b_chart(chart);
		assert_string_equal(
			json_string_value(json_object_get(got, "x_scale")), cases[i][1]);
		assert_string_equal(json_string_value(json_object_get(got, "y_scale")), "log");
	}
}

/* The lines of a result, each ended by a line break. */
static void check_lines(const char *given, const char *wanted)
{
	cleanup_json json_t *result = json_loads(given, 0, NULL);
	cleanup_buf struct buf out = {0};
	buf_init(&out, 1 * MIB);
	assert_non_null(result);
	assert_int_equal(e2b_result_lines(result, json_object_get(result, "texts"), &out), 0);
	assert_int_equal(buf_add(&out, "", 1), 0);
	assert_string_equal((const char *)out.data, wanted);
}

static void results_and_errors(void **state)
{
	(void)state;
	check_lines("{\"outcome\": \"ok\", \"result\": {\"text\": \"42\", \"json\": 42}}",
		"{\"type\":\"result\",\"is_main_result\":true,\"text\":\"42\"}\n");
	check_lines("{\"outcome\": \"error\", \"error\": {\"type\": \"KeyError\", \"message\": "
		    "\"'x'\", \"line\": 1, \"traceback\": \"Traceback\"}}",
		"{\"type\":\"error\",\"name\":\"KeyError\",\"value\":\"'x'\",\"traceback\":"
		"\"Traceback\"}\n");
	check_lines("{\"outcome\": \"error\", \"hint\": \"100%s of it\", \"error\": {\"type\": "
		    "\"SyntaxError\", \"message\": \"invalid\", \"traceback\": \"T\\nE: i\"}}",
		"{\"type\":\"error\",\"name\":\"SyntaxError\",\"value\":\"invalid\\nhint: 100%s "
		"of it\",\"traceback\":\"T\\nE: i\\nhint: 100%s of it\\n\"}\n");
	check_lines("{\"outcome\": \"error\", \"hint\": \"h\", \"error\": {\"type\": \"E\", "
		    "\"message\": \"\", \"traceback\": \"E\\n\"}}",
		"{\"type\":\"error\",\"name\":\"E\",\"value\":\"hint: h\",\"traceback\":"
		"\"E\\nhint: h\\n\"}\n");
	check_lines("{\"outcome\": \"memory\", \"hint\": \"too much\", \"error\": null, "
		    "\"session\": {\"id\": \"s\", \"lost\": \"killed\"}}",
		"{\"type\":\"error\",\"name\":\"MemoryError\",\"value\":\"too much; the sandbox is "
		"lost, make a new one: killed\",\"traceback\":\"MemoryError: too much; the sandbox "
		"is lost, make a new one: killed\"}\n");
	check_lines("{\"outcome\": \"ok\", \"texts\": [\"shown\"], \"tables\": [{\"name\": \"t\", "
		    "\"columns\": [{\"name\": \"a<b\"}], \"rows\": [[1], [{\"$type\": \"date\", "
		    "\"value\": \"2026-01-02\"}], [null]], \"row_count\": 3}]}",
		"{\"type\":\"result\",\"is_main_result\":false,\"text\":\"shown\",\"html\":\"<"
		"table "
		"border=\\\"1\\\" class=\\\"dataframe\\\">\\n<thead>\\n<tr><th>a&lt;b</th></tr>"
		"\\n</thead>\\n<tbody>\\n<tr><td>1</td></tr>\\n<tr><td>2026-01-02</td></tr>\\n"
		"<tr><td></td></tr>\\n</tbody>\\n</table>\",\"data\":{\"a<b\":[1,\"2026-01-02\","
		"null]}}\n");
	check_lines("{\"outcome\": \"ok\", \"charts\": [{\"mime\": \"image/png\", \"alt\": \"a "
		    "line\", \"data_base64\": \"AAAA\"}]}",
		"{\"type\":\"result\",\"is_main_result\":false,\"text\":\"a line\",\"png\":"
		"\"AAAA\"}\n");
}

static void queries(void **state)
{
	cleanup_buf struct buf out = {0};
	(void)state;
	buf_init(&out, 64);
	assert_int_equal(query_find(span_text("a=1&path=%2Fhome+x%26&path=2"), "path", &out), 1);
	assert_int_equal(out.len, 8);
	assert_memory_equal(out.data, "/home x&", 8);
	assert_int_equal(query_find(span_text("a=1&pathx=2"), "path", &out), 0);
	assert_int_equal(query_find(span_text("path"), "path", &out), 1);
	assert_int_equal(query_find(span_text("path=%2"), "path", &out), -EINVAL);
	assert_int_equal(query_find(span_text(""), "path", &out), 0);
}

static void characters_stay_whole(void **state)
{
	static const char text[] = "a\xe2\x82\xac\xff"
				   "b";
	struct text_stream stream = {0};
	char got[64] = "";
	(void)state;
	for (size_t i = 0; i < sizeof(text) - 1; i++) {
		cleanup_json json_t *piece = text_stream_take(&stream, false, span_of(text + i, 1));
		if (piece)
			strcat(got, json_string_value(piece));
		assert_null(text_stream_rest(&stream, true));
	}
	assert_string_equal(got, "a\xe2\x82\xac\\xffb");
	cleanup_json json_t *half = text_stream_take(&stream, true, span_text("\xe2\x82"));
	assert_null(half);
	cleanup_json json_t *rest = text_stream_rest(&stream, true);
	assert_string_equal(json_string_value(rest), "\\xe2\\x82");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_below_the_folder),
		cmocka_unit_test(paths_elsewhere_are_refused),
		cmocka_unit_test(charts_of_each_shape),
		cmocka_unit_test(charts_of_several_axes_and_of_none),
		cmocka_unit_test(scales_follow_the_values),
		cmocka_unit_test(results_and_errors),
		cmocka_unit_test(queries),
		cmocka_unit_test(characters_stay_whole),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* item: payloads that conform, that almost do, and that mean harm. */
#include "check.h"

#include "tool/item.h"

typedef int reader(struct span payload, json_t **ret_value);

/* What a payload becomes, as JSON; "!" where nothing of it is usable. */
static const char *become(reader *read, const char *payload)
{
	static char out[1 << 20];
	json_t *value;
	struct buf written;
	int rc = read(span_text(payload), &value);
	if (rc < 0) {
		assert_int_equal(rc, -EBADMSG);
		return "!";
	}
	buf_init(&written, sizeof(out) - 1);
	assert_int_equal(json_write(value, &written), 0);
	memcpy(out, written.data, written.len);
	out[written.len] = 0;
	buf_done(&written);
	json_decref(value);
	return out;
}

static void values(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{"{\"text\":\"42\"}", "{\"text\":\"42\"}"},
		{"{\"text\":\"\",\"json\":null}", "{\"text\":\"\",\"json\":null}"},
		{"{\"text\":\"x\",\"html\":\"<b>\",\"markdown\":\"m\",\"latex\":\"l\","
		 "\"svg\":\"s\",\"evil\":1}",
			"{\"text\":\"x\",\"html\":\"<b>\",\"markdown\":\"m\",\"latex\":\"l\","
			"\"svg\":\"s\"}"},
		{"{\"text\":\"x\",\"html\":7,\"json\":[1]}", "{\"text\":\"x\",\"json\":[1]}"},
		{"{\"text\":\"x\",\"json\":9007199254740993}",
			"{\"text\":\"x\",\"json\":{\"$type\":\"int\",\"value\":"
			"\"9007199254740993\"}}"},
		{"{\"text\":\"x\",\"json\":[9007199254740992,{\"a\":[-9007199254740993]}]}",
			"{\"text\":\"x\",\"json\":[9007199254740992,{\"a\":[{\"$type\":\"int\","
			"\"value\":\"-9007199254740993\"}]}]}"},
		{"{\"text\":\"x\",\"cut\":{\"html\":99999,\"json\":null,\"odd\":1,"
		 "\"svg\":-4}}",
			"{\"text\":\"x\",\"cut\":{\"html\":99999,\"json\":null}}"},
		{"{\"text\":\"x\",\"cut\":{\"text\":null}}",
			"{\"text\":\"x\",\"cut\":{\"text\":null}}"},
		{"{\"text\":\"x\",\"json\":1,\"cut\":{\"json\":null,\"table\":null}}",
			"{\"text\":\"x\",\"json\":1,\"cut\":{\"table\":null}}"},
		{"{\"text\":\"x\",\"table\":{\"rows\":1}}", "{\"text\":\"x\"}"},
		{"{\"text\":5}", "!"},
		{"{}", "!"},
		{"[]", "!"},
		{"\"text\"", "!"},
		{"nonsense", "!"},
		{"", "!"},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(become(item_value, cases[i][0]), cases[i][1]);
}

/* `before`, then `count` times 'x', then `after`. */
static char *padded(const char *before, size_t count, const char *after)
{
	size_t head = strlen(before), tail = strlen(after);
	char *text = malloc(head + count + tail + 1);
	assert_non_null(text);
	memcpy(text, before, head);
	memset(text + head, 'x', count);
	memcpy(text + head + count, after, tail + 1);
	return text;
}

static void values_at_and_beyond_their_caps(void **state)
{
	(void)state;
	char *text = padded("{\"text\":\"", 32 * KIB, "\"}");
	assert_int_equal(strlen(become(item_value, text)), 32 * KIB + 11);
	free(text);
	text = padded("{\"text\":\"", 32 * KIB + 1, "\"}");
	const char *got = become(item_value, text);
	assert_non_null(strstr(got, "bytes left out] …"));
	assert_non_null(strstr(got, "\"cut\":{\"text\":32769}"));
	assert_true(strlen(got) < 33 * KIB);
	free(text);
	text = padded("{\"text\":\"x\",\"html\":\"", 64 * KIB, "\"}");
	assert_true(strlen(become(item_value, text)) > 64 * KIB);
	free(text);
	text = padded("{\"text\":\"x\",\"html\":\"", 64 * KIB + 1, "\"}");
	assert_string_equal(become(item_value, text), "{\"text\":\"x\",\"cut\":{\"html\":65537}}");
	free(text);
	text = padded("{\"text\":\"x\",\"json\":\"", 64 * KIB - 2, "\"}");
	assert_true(strlen(become(item_value, text)) > 64 * KIB);
	free(text);
	text = padded("{\"text\":\"x\",\"json\":\"", 64 * KIB - 1, "\"}");
	assert_string_equal(become(item_value, text), "{\"text\":\"x\",\"cut\":{\"json\":65537}}");
	free(text);
}

#define COLUMN "{\"name\":\"a\",\"dtype\":\"int64\"}"
#define TABLE(members) "{\"table\":{" members "},\"text\":\"t\"}"

static void tables(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{TABLE("\"columns\":[" COLUMN "],\"rows\":[[1],[null]],\"row_count\":2,"
		       "\"truncated\":false"),
			TABLE("\"columns\":[" COLUMN "],\"rows\":[[1],[null]],\"row_count\":2,"
			      "\"truncated\":false")},
		/* Sizes that lie are mended: what is shown is there, and cut means cut. */
		{TABLE("\"columns\":[" COLUMN "],\"rows\":[[1]],\"row_count\":0,"
		       "\"truncated\":true"),
			TABLE("\"columns\":[" COLUMN "],\"rows\":[[1]],\"row_count\":1,"
			      "\"truncated\":false")},
		{TABLE("\"columns\":[" COLUMN "],\"rows\":[[1]],\"row_count\":900,"
		       "\"column_count\":30"),
			TABLE("\"columns\":[" COLUMN "],\"rows\":[[1]],\"row_count\":900,"
			      "\"truncated\":true,\"column_count\":30")},
		{TABLE("\"columns\":[" COLUMN "],\"rows\":[],\"row_count\":\"9\""),
			TABLE("\"columns\":[" COLUMN "],\"rows\":[],\"row_count\":0,"
			      "\"truncated\":false")},
		{TABLE("\"name\":\"n\",\"columns\":[],\"rows\":[[]],\"x\":1"),
			TABLE("\"name\":\"n\",\"columns\":[],\"rows\":[[]],\"row_count\":1,"
			      "\"truncated\":false")},
		{TABLE("\"columns\":[" COLUMN "],\"index\":{\"names\":[null,\"k\"],\"dtypes\":"
		       "[\"object\",\"int64\"],\"values\":[[\"x\",1]]},\"rows\":[[1]]"),
			TABLE("\"columns\":[" COLUMN
			      "],\"index\":{\"names\":[null,\"k\"],\"dtypes\":[\"object\","
			      "\"int64\"],\"values\":[[\"x\",1]]},\"rows\":[[1]],\"row_count\":1,"
			      "\"truncated\":false")},
		/* Tagged cells stay, large integers become tagged. */
		{TABLE("\"columns\":[" COLUMN "],\"rows\":[[{\"$type\":\"Decimal\",\"value\":"
		       "\"1.10\"}],[9007199254740993],[true],[1.5]]"),
			TABLE("\"columns\":[" COLUMN "],\"rows\":[[{\"$type\":\"Decimal\","
			      "\"value\":\"1.10\"}],[{\"$type\":\"int\",\"value\":"
			      "\"9007199254740993\"}],[true],[1.5]],\"row_count\":4,"
			      "\"truncated\":false")},
		{TABLE("\"columns\":[" COLUMN "],\"rows\":[[1,2]]"), "!"},
		{TABLE("\"columns\":[" COLUMN "],\"rows\":[1]"), "!"},
		{TABLE("\"columns\":[" COLUMN "],\"rows\":{}"), "!"},
		{TABLE("\"columns\":[" COLUMN "]"), "!"},
		{TABLE("\"columns\":[{\"name\":1,\"dtype\":\"x\"}],\"rows\":[]"), "!"},
		{TABLE("\"columns\":[\"a\"],\"rows\":[]"), "!"},
		{TABLE("\"columns\":3,\"rows\":[]"), "!"},
		{TABLE("\"columns\":[" COLUMN "],\"index\":[],\"rows\":[[1]]"), "!"},
		{TABLE("\"columns\":[" COLUMN "],\"index\":{\"names\":[\"k\"],\"dtypes\":[\"x\"],"
		       "\"values\":[]},\"rows\":[[1]]"),
			"!"},
		{TABLE("\"columns\":[" COLUMN "],\"index\":{\"names\":[\"k\"],\"dtypes\":[],"
		       "\"values\":[[1]]},\"rows\":[[1]]"),
			"!"},
		{TABLE("\"columns\":[" COLUMN "],\"index\":{\"names\":[5],\"dtypes\":[\"x\"],"
		       "\"values\":[[1]]},\"rows\":[[1]]"),
			"!"},
		{"{\"table\":[]}", "!"},
		{"{\"text\":\"t\"}", "!"},
		{"[[[[", "!"},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(become(item_table, cases[i][0]), cases[i][1]);
}

static void cells_at_and_beyond_their_cap(void **state)
{
	(void)state;
	static const char before[] = "{\"table\":{\"columns\":[" COLUMN "],\"rows\":[[\"";
	char *text = padded(before, 1024, "\"]]},\"text\":\"t\"}");
	assert_null(strstr(become(item_table, text), "cut"));
	free(text);
	text = padded(before, 1025, "\"]]},\"text\":\"t\"}");
	const char *got = become(item_table, text);
	assert_non_null(strstr(got, "[{\"$type\":\"cut\",\"value\":\"xxxx"));
	assert_non_null(strstr(got, "xxx\",\"bytes\":1025}]"));
	free(text);
	/* A nested cell that is too large is cut too, whatever it is made of. */
	text = padded("{\"table\":{\"columns\":[" COLUMN "],\"rows\":[[[[\"", 3000,
		"\"]]]]},\"text\":\"t\"}");
	assert_non_null(strstr(
		become(item_table, text), "[[{\"$type\":\"cut\",\"value\":\"\",\"bytes\":3006}]]"));
	free(text);
	text = padded("{\"table\":{\"columns\":[" COLUMN
		      "],\"rows\":[[{\"$type\":\"bytes\",\"value\":\"",
		3000, "\",\"bytes\":9}]]},\"text\":\"t\"}");
	got = become(item_table, text);
	assert_non_null(strstr(got, "\"$type\":\"cut\",\"value\":\"xxx"));
	assert_true(strlen(got) < 1300);
	free(text);
}

static void a_table_that_is_too_large_is_refused(void **state)
{
	(void)state;
	struct buf text;
	buf_init(&text, 2 << 20);
	assert_int_equal(buf_add_text(&text, "{\"table\":{\"columns\":[" COLUMN "],\"rows\":["), 0);
	char *cell = padded("[\"", 1000, "\"],");
	for (unsigned i = 0; i < 600; i++)
		assert_int_equal(buf_add_text(&text, cell), 0);
	assert_int_equal(buf_add_text(&text, "[1]]},\"text\":\"t\"}"), 0);
	assert_int_equal(buf_add(&text, "", 1), 0);
	assert_string_equal(become(item_table, (const char *)text.data), "!");
	free(cell);
	buf_done(&text);
}

static void errors(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{"{\"type\":\"KeyError\",\"message\":\"'x'\",\"line\":3,\"traceback\":\"T\"}",
			"{\"type\":\"KeyError\",\"message\":\"'x'\",\"line\":3,"
			"\"traceback\":\"T\"}"},
		{"{\"type\":\"E1_\",\"message\":\"\"}",
			"{\"type\":\"E1_\",\"message\":\"\",\"traceback\":\"\"}"},
		{"{\"type\":\"Ошибка\",\"message\":\"m\",\"line\":-1,\"traceback\":7}",
			"{\"type\":\"Ошибка\",\"message\":\"m\",\"traceback\":\"\"}"},
		{"{\"type\":\"\",\"message\":\"m\"}", "!"},
		{"{\"type\":\"a b\",\"message\":\"m\"}", "!"},
		{"{\"type\":\"os.error\",\"message\":\"m\"}", "!"},
		{"{\"type\":\"1E\",\"message\":\"m\"}", "!"},
		{"{\"type\":\"E\\n\",\"message\":\"m\"}", "!"},
		{"{\"type\":\"E\"}", "!"},
		{"{\"type\":5,\"message\":\"m\"}", "!"},
		{"null", "!"},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(become(item_error, cases[i][0]), cases[i][1]);
	char *text = padded("{\"type\":\"E\",\"message\":\"", 1025, "\",\"traceback\":\"\"}");
	const char *got = become(item_error, text);
	assert_true(strlen(got) <= 1024 + 60);
	assert_non_null(strstr(got, "bytes left out"));
	free(text);
	text = padded("{\"type\":\"E\",\"message\":\"\",\"traceback\":\"", 5000, "\"}");
	got = become(item_error, text);
	assert_true(strlen(got) <= 4096 + 60);
	assert_non_null(strstr(got, "bytes left out"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(values_at_and_beyond_their_caps),
		cmocka_unit_test(tables),
		cmocka_unit_test(cells_at_and_beyond_their_cap),
		cmocka_unit_test(a_table_that_is_too_large_is_refused),
		cmocka_unit_test(errors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

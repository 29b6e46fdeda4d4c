/* json: what a stranger may send, and numbers that come out as they went in. */
#include "check.h"

#include "tool/json.h"

#include <errno.h>

/* Reads and writes again; "!" where it is refused. */
static const char *again(const char *text, size_t bytes)
{
	static char out[4096];
	json_t *value;
	struct buf written;
	if (json_read(span_of(text, bytes), &value) < 0)
		return "!";
	buf_init(&written, sizeof(out) - 1);
	assert_int_equal(json_write(value, &written), 0);
	assert_int_equal(json_bytes(value, SIZE_MAX), written.len);
	assert_int_equal(json_bytes(value, written.len), written.len);
	assert_true(json_bytes(value, written.len - 1) == SIZE_MAX);
	memcpy(out, written.data, written.len);
	out[written.len] = 0;
	buf_done(&written);
	json_decref(value);
	return out;
}

static void round_trips(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{"0.1", "0.1"},
		{"0.30000000000000004", "0.30000000000000004"},
		{"1.0", "1.0"},
		{"-0.0", "-0.0"},
		{"1e22", "1e+22"},
		{"1e5", "100000.0"},
		{"5e-324", "4.94065645841247e-324"},
		{"1.7976931348623157e308", "1.7976931348623157e+308"},
		{"9007199254740993", "9007199254740993"},
		{"-9223372036854775808", "-9223372036854775808"},
		{"true", "true"},
		{"null", "null"},
		{"[]", "[]"},
		{"{}", "{}"},
		{" [1, 2 ,\"x\"] ", "[1,2,\"x\"]"},
		{"{\"b\":1,\"a\":{\"c\":[false]}}", "{\"b\":1,\"a\":{\"c\":[false]}}"},
		{"\"\\u0000\\u001f\\u007f\\\"\\\\\\/\\n\\r\\t\"",
			"\"\\u0000\\u001f\\u007f\\\"\\\\/\\n\\r\\t\""},
		{"\"\\u00e9\\ud83d\\ude42\"", "\"\xc3\xa9\xf0\x9f\x99\x82\""},
		/* A dict of Python's may have keys that are one in JSON: the last one stands. */
		{"{\"1\":1,\"1\":2}", "{\"1\":2}"},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(again(cases[i][0], strlen(cases[i][0])), cases[i][1]);
}

static void refused(void **state)
{
	(void)state;
	static const char *const cases[] = {"", " ", "{", "[1,]", "NaN", "Infinity", "1 2", "'x'",
		"\"\\ud83d\"", "\"\xff\"", "1e999", "99999999999999999999", "{\"a\\u0000b\":1}",
		"\"a\nb\"", "[1] x", "\xef\xbb\xbf[]"};
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(again(cases[i], strlen(cases[i])), "!");
	assert_string_equal(again("[\0]", 3), "!");
}

static void depth_at_and_beyond_its_cap(void **state)
{
	(void)state;
	char text[3 * JSON_DEPTH_MAX];
	for (size_t over = 0; over < 2; over++) {
		size_t depth = JSON_DEPTH_MAX + over;
		memset(text, '[', depth);
		memset(text + depth, ']', depth);
		const char *got = again(text, 2 * depth);
		assert_int_equal(got[0], over ? '!' : '[');
	}
	/* Brackets inside a string nest nothing, escaped quotes do not end it. */
	char quoted[200] = "\"\\\"";
	memset(quoted + 3, '[', 150);
	quoted[153] = '"';
	assert_int_equal(again(quoted, 154)[0], '"');
	/* A megabyte of brackets is judged without a stack. */
	char *bomb = malloc(1 << 20);
	assert_non_null(bomb);
	memset(bomb, '[', 1 << 20);
	assert_string_equal(again(bomb, 1 << 20), "!");
	memset(bomb, ']', 1 << 20);
	assert_string_equal(again(bomb, 1 << 20), "!");
	free(bomb);
}

/* "[1,1,…]" or "{"0":1,…}" of so many members. */
static struct buf members(size_t count, bool keyed)
{
	struct buf text;
	buf_init(&text, 1 << 20);
	for (size_t i = 0; i < count; i++) {
		const char *before = i ? "," : keyed ? "{" : "[";
		int rc = keyed ? buf_printf(&text, "%s\"%zu\":1", before, i)
			       : buf_printf(&text, "%s1", before);
		assert_int_equal(rc, 0);
	}
	assert_int_equal(buf_add_text(&text, keyed ? "}" : "]"), 0);
	return text;
}

static int received(const void *text, size_t bytes, const char *words)
{
	json_error_t error;
	json_t *value = NULL;
	int rc = json_receive(span_of(text, bytes), &value, &error);
	if (rc < 0 && !strstr(error.text, words))
		fail_msg("%s, not %s", error.text, words);
	json_decref(value);
	return rc;
}

static void values_at_and_beyond_their_cap(void **state)
{
	(void)state;
	for (size_t keyed = 0; keyed < 2; keyed++)
		for (size_t over = 0; over < 2; over++) {
			struct buf text = members(JSON_VALUES_MAX - 1 + over, keyed);
			assert_int_equal(received(text.data, text.len, "more than 20000 values"),
				over ? -E2BIG : 0);
			buf_done(&text);
		}
	/* Found before the parser comes to what is malformed. */
	struct buf text = members(JSON_VALUES_MAX, false);
	text.data[text.len - 1] = '!';
	assert_int_equal(received(text.data, text.len, "one string"), -E2BIG);
	/* Commas and brackets inside a string are none; an escaped quote does not end it. */
	memset(text.data, ',', text.len);
	memcpy(text.data, "[\"\\\\\\\"[[", 8);
	memcpy(text.data + text.len - 2, "\"]", 2);
	assert_int_equal(received(text.data, text.len, "-"), 0);
	buf_done(&text);
}

static void what_is_received(void **state)
{
	(void)state;
	static const char *const malformed[] = {"", "{", "\"", "\"\\", "[1,]", "{\"a\":1,\"a\":2}"};
	char deep[2 * JSON_DEPTH_MAX + 2];
	for (size_t i = 0; i < COUNT(malformed); i++)
		assert_int_equal(received(malformed[i], strlen(malformed[i]), ""), -EBADMSG);
	for (size_t over = 0; over < 2; over++) {
		size_t depth = JSON_DEPTH_MAX + over;
		memset(deep, '[', depth);
		memset(deep + depth, ']', depth);
		assert_int_equal(received(deep, 2 * depth, "more than 64 deep"), over ? -E2BIG : 0);
	}
}

/* Random doubles: what is written reads back as the same bits. */
static void doubles_are_exact(void **state)
{
	(void)state;
	uint64_t seed = 0x9e3779b97f4a7c15u;
	for (unsigned i = 0; i < 200000; i++) {
		double value;
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		memcpy(&value, &seed, sizeof(value));
		if (value != value || value - value != 0)
			continue;
		char text[64];
		(void)snprintf(text, sizeof(text), "%.17e", value);
		const char *got = again(text, strlen(text));
		double back = strtod(got, NULL);
		assert_memory_equal(&back, &value, sizeof(value));
		assert_non_null(strpbrk(got, ".e"));
	}
}

static void a_full_buffer_is_left_as_it_was(void **state)
{
	(void)state;
	json_t *value;
	assert_int_equal(json_read(span_text("{\"a\":[1,\"x\\n\",2.5,null,true]}"), &value), 0);
	for (size_t cap = 3; cap < 35; cap++) {
		struct buf out;
		buf_init(&out, cap);
		assert_int_equal(buf_add_text(&out, "abc"), 0);
		if (json_write(value, &out) < 0)
			assert_int_equal(out.len, 3);
		else
			assert_bytes(out.data, out.len, "abc{\"a\":[1,\"x\\n\",2.5,null,true]}");
		buf_done(&out);
	}
	json_decref(value);
}

static void building_survives_what_could_not_be_made(void **state)
{
	(void)state;
	json_t *object = json_object(), *array = json_array();
	assert_int_equal(json_put(object, "a", NULL), -ENOMEM);
	assert_int_equal(json_put(NULL, "a", json_integer(1)), -ENOMEM);
	assert_int_equal(json_put(object, "a", json_integer(1)), 0);
	assert_int_equal(json_push(array, NULL), -ENOMEM);
	assert_int_equal(json_push(NULL, json_integer(1)), -ENOMEM);
	assert_int_equal(json_text(object).len, 0);
	assert_int_equal(json_text(NULL).len, 0);
	assert_null(json_from_text(span_of("\xff", 1)));
	json_decref(object);
	json_decref(array);
}

static void words_are_always_text(void **state)
{
	static const struct {
		const char *words, *wanted;
	} cases[] = {{"", ""}, {"caf\xc3\xa9", "caf\xc3\xa9"}, {"caf\xc3", "caf"},
		{"\xf0\x9f\x98", ""},
		{"a\xff"
		 "b",
			"a\\xffb"},
		{"\xa9", "\\xa9"}};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		json_t *value = json_from_words(cases[i].words);
		assert_string_equal(json_string_value(value), cases[i].wanted);
		json_decref(value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trips),
		cmocka_unit_test(words_are_always_text),
		cmocka_unit_test(refused),
		cmocka_unit_test(depth_at_and_beyond_its_cap),
		cmocka_unit_test(values_at_and_beyond_their_cap),
		cmocka_unit_test(what_is_received),
		cmocka_unit_test(doubles_are_exact),
		cmocka_unit_test(a_full_buffer_is_left_as_it_was),
		cmocka_unit_test(building_survives_what_could_not_be_made),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* view, hint, result_json, render_text: one result in all its forms. */
#include "sample_result.h"

#include "alloc_fail.h"
#include "base/utf8.h"
#include "tool/render.h"
#include "tool/result_json.h"

#include <signal.h>

/* The object of a result; the caller drops it. */
static json_t *object_of(const struct job_result *result, const char *fault_id)
{
	struct view view;
	json_t *object;
	assert_int_equal(view_init(&view, result, "job7", fault_id), 0);
	assert_int_equal(result_json(&view, &result_urls_none, &object), 0);
	view_done(&view);
	view_done(&view);
	view_done(NULL);
	return object;
}

/* One member as JSON text, or "-" where it is absent. */
static const char *member(const json_t *object, const char *key)
{
	static char out[65536];
	json_t *value = json_object_get(object, key);
	struct buf written;
	if (!value)
		return "-";
	buf_init(&written, sizeof(out) - 1);
	assert_int_equal(json_write(value, &written), 0);
	memcpy(out, written.data, written.len);
	out[written.len] = 0;
	buf_done(&written);
	return out;
}

static const char *text_of(const json_t *object)
{
	return json_string_value(json_object_get(object, "text"));
}

static void the_whole_of_it(void **state)
{
	(void)state;
	struct job_result result;
	sample_full(&result);
	json_t *object = object_of(&result, NULL);
	static const char *const wanted[][2] = {
		{"job_id", "\"job7\""},
		{"outcome", "\"error\""},
		{"hint", "\"look at the columns\""},
		{"stdout", "\"head\\n… [992 bytes left out] …\\ntail\""},
		{"stderr", "\"oops\""},
		{"stdout_bytes", "1000"},
		{"stderr_bytes", "4"},
		{"stdout_truncated", "true"},
		{"stderr_truncated", "false"},
		{"result", "{\"text\":\"42\",\"json\":42}"},
		{"tables",
			"[{\"columns\":[{\"name\":\"a\",\"dtype\":\"int64\"}],\"rows\":[[1],[2]],"
			"\"row_count\":2,\"truncated\":false}]"},
		{"files", "[{\"name\":\"out/data.csv\",\"bytes\":8,\"sha256\":"
			  "\"492d5ea496056f1a6a6592241032fab764c321596317930b4fa0e1e8bc3b7470\","
			  "\"mime\":\"text/csv\"},{\"name\":\"empty\",\"bytes\":0,\"sha256\":"
			  "\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\","
			  "\"mime\":\"application/octet-stream\"}]"},
		{"skipped", "[{\"name\":\"link\",\"why\":\"not a regular file\"}]"},
		{"error", "{\"type\":\"KeyError\",\"message\":\"'x'\",\"line\":3,"
			  "\"traceback\":\"\"}"},
		{"exit_code", "1"},
		{"signal", "11"},
		{"syscall", "-"},
		{"usage", "{\"wall_ms\":12,\"cpu_ms\":34,\"memory_peak_bytes\":58720256,"
			  "\"processes_peak\":2}"},
		{"limits", "{\"wall_ms\":30000,\"cpu_ms\":20000,\"memory_bytes\":536870912,"
			   "\"output_bytes\":33554432,\"work_bytes\":268435456,"
			   "\"work_inodes\":16384,\"processes\":64,\"cpus\":1}"},
	};
	for (size_t i = 0; i < COUNT(wanted); i++)
		assert_string_equal(member(object, wanted[i][0]), wanted[i][1]);
	const json_t *chart = json_array_get(json_object_get(object, "charts"), 0);
	assert_string_equal(member(chart, "title"), "\"T\"");
	assert_memory_equal(member(chart, "data_base64"), "\"iVBORw0KGgo", 12);
	const json_t *receipt = json_object_get(object, "receipt");
	const json_t *layers = json_object_get(receipt, "layers");
	assert_int_equal(json_object_size(layers), LAYER_COUNT);
	assert_string_equal(member(layers, "uid"), "{\"state\":\"on\",\"detail\":\"detail 0\"}");
	assert_string_equal(member(receipt, "image"), "\"default 0123\"");
	json_decref(object);
	job_result_done(&result);
}

static void text_of_the_whole(void **state)
{
	(void)state;
	struct job_result result;
	sample_full(&result);
	json_t *object = object_of(&result, NULL);
	assert_string_equal(text_of(object), "outcome: error\n"
					     "hint: look at the columns\n"
					     "KeyError: 'x' (line 3)\n"
					     "stdout:\nhead\n… [992 bytes left out] …\ntail\n"
					     "stderr:\noops\n"
					     "table 1:\n   a\n0  1\n1  2\n"
					     "value:\n42\n"
					     "chart 1 (png, 2 × 2) \"T\": dots\n"
					     "file out/data.csv (8 bytes)\n"
					     "file empty (0 bytes)\n"
					     "note: a note\n"
					     "left out: link: not a regular file\n");
	json_decref(object);
	job_result_done(&result);
}

/* A limit that nothing on the host keeps is no number, and a note says so once. */
static void memory_that_nothing_limits_is_null(void **state)
{
	(void)state;
	struct job_result result;
	sample_begin(&result, OUTCOME_OK);
	result.limits.memory_bytes = 0;
	json_t *object = object_of(&result, NULL);
	const json_t *limits = json_object_get(object, "limits");
	assert_string_equal(member(limits, "memory_bytes"), "null");
	assert_string_equal(member(limits, "processes"), "64");
	assert_string_equal(text_of(object), "note: this host does not limit the job's memory\n");
	json_decref(object);
	job_result_done(&result);
}

static void ok_has_no_hint_and_no_error(void **state)
{
	(void)state;
	struct job_result result;
	sample_begin(&result, OUTCOME_OK);
	result.exit_code = 0;
	/* Forged items: an error and a hint that the verdict knows nothing of. */
	sample_item(&result, ITEM_ERROR, "{\"type\":\"E\",\"message\":\"m\"}");
	sample_item(&result, ITEM_HINT, "run this again");
	json_t *object = object_of(&result, "f1");
	assert_string_equal(member(object, "hint"), "-");
	assert_string_equal(member(object, "error"), "null");
	assert_string_equal(member(object, "result"), "-");
	assert_string_equal(member(object, "tables"), "[]");
	assert_string_equal(member(object, "charts"), "[]");
	assert_string_equal(member(object, "receipt"), "-");
	assert_string_equal(member(object, "signal"), "-");
	assert_string_equal(text_of(object), "(no output)\n");
	json_decref(object);
	job_result_done(&result);
}

static void error_is_never_null_for_error(void **state)
{
	(void)state;
	struct job_result result;
	sample_begin(&result, OUTCOME_ERROR);
	sample_item(&result, ITEM_ERROR, "not json");
	json_t *object = object_of(&result, NULL);
	assert_string_equal(member(json_object_get(object, "error"), "type"), "\"Exception\"");
	assert_non_null(strstr(member(object, "hint"), "traceback"));
	json_decref(object);
	job_result_done(&result);
}

static void hints(void **state)
{
	(void)state;
	static const struct {
		enum outcome outcome;
		const char *hint, *text;
	} cases[] = {
		{OUTCOME_EXIT, "exit code 3", "outcome: exit 3\n"},
		{OUTCOME_SIGNAL, "SIGSEGV", "outcome: signal SIGSEGV\n"},
		{OUTCOME_TIMEOUT_WALL, "took 30 s, its limit", "outcome: timeout_wall\n"},
		{OUTCOME_TIMEOUT_CPU, "used 20 s of CPU time, its limit", "outcome: timeout_cpu\n"},
		{OUTCOME_MEMORY, "used 512 MiB, its limit; read the file in chunks",
			"outcome: memory\n"},
		{OUTCOME_OUTPUT, "printed 32 MiB, its limit", "outcome: output\n"},
		{OUTCOME_DENIED, "system call ptrace", "outcome: denied ptrace\n"},
		{OUTCOME_CANCELLED, "cancelled", "outcome: cancelled\n"},
		{OUTCOME_REJECTED, "the code is not UTF-8", "outcome: rejected\n"},
		{OUTCOME_INTERNAL, "with the id f00", "outcome: internal\n"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct job_result result;
		sample_begin(&result, cases[i].outcome);
		result.exit_code = 3;
		result.signal = SIGSEGV;
		result.syscall = 101;
		(void)strcpy(result.fault.text, "the code is not UTF-8\n");
		/* What the runtime suggests is for `error` alone. */
		sample_item(&result, ITEM_HINT, "rm -rf /");
		json_t *object = object_of(&result, "f00");
		const char *hint = json_string_value(json_object_get(object, "hint"));
		assert_non_null(hint);
		assert_non_null(strstr(hint, cases[i].hint));
		assert_null(strchr(hint, '\n'));
		assert_null(strstr(hint, "rm"));
		assert_memory_equal(text_of(object), cases[i].text, strlen(cases[i].text));
		assert_non_null(strstr(text_of(object), hint));
		assert_string_equal(member(object, "syscall"),
			cases[i].outcome == OUTCOME_DENIED ? "\"ptrace\"" : "-");
		json_decref(object);
		job_result_done(&result);
	}
}

/* Bytes that are no UTF-8 are escaped, and what looks like that as well. */
static void no_two_names_become_one(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{"plain \\ name\\", "plain \\ name\\"},
		{"\xff", "\\xff"},
		{"\\xff", "\\\\xff"},
		{"\\\xff", "\\\\\\xff"},
		{"\\\\xff", "\\\\\\\\xff"},
		{"\\xFF", "\\xFF"},
		{"gr\xc3\xbc\xc3\x9f\\x0", "gr\xc3\xbc\xc3\x9f\\x0"},
		{"\xc3\\a", "\\xc3\\\\a"},
		{"", ""},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		json_t *name = view_name(span_text(cases[i][0]));
		assert_non_null(name);
		assert_string_equal(json_string_value(name), cases[i][1]);
		json_decref(name);
	}
}

/* What is kept of a call depends on whether it stood in a session that goes on. */
static void an_error_in_a_session_sends_less_again(void **state)
{
	(void)state;
	static const struct {
		enum session_state state;
		const char *hint;
	} cases[] = {
		{SESSION_ALONE, "the whole code again; nothing is kept"},
		{SESSION_ALIVE, "only that part again; the session keeps the variables"},
		{SESSION_INTERRUPTED, "only that part again; the session keeps the variables"},
		{SESSION_LOST, "the whole code again; nothing is kept"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct job_result result;
		sample_begin(&result, OUTCOME_ERROR);
		result.session.state = cases[i].state;
		json_t *object = object_of(&result, NULL);
		assert_non_null(strstr(member(object, "hint"), cases[i].hint));
		json_decref(object);
		result.outcome = OUTCOME_CANCELLED;
		object = object_of(&result, NULL);
		bool goes_on = strstr(cases[i].hint, "the session keeps") != NULL;
		assert_non_null(strstr(
			member(object, "hint"), goes_on ? "the session keeps" : "from the start"));
		json_decref(object);
		job_result_done(&result);
	}
}

/* A job that has raised the limit of recursion says one word before it ends. */
static void recursion_is_foreseen(void **state)
{
	(void)state;
	static const struct {
		enum outcome outcome;
		const char *later, *hint;
	} cases[] = {
		{OUTCOME_MEMORY, NULL, "used 512 MiB, its limit, after the code had raised"},
		{OUTCOME_SIGNAL, NULL, "ended by SIGSEGV after the code had raised"},
		{OUTCOME_ERROR, NULL, "mend the line"},
		{OUTCOME_ERROR, "look here", "look here"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct job_result result;
		sample_begin(&result, cases[i].outcome);
		result.signal = SIGSEGV;
		sample_item(&result, ITEM_HINT, "recursion");
		if (cases[i].later)
			sample_item(&result, ITEM_HINT, cases[i].later);
		json_t *object = object_of(&result, NULL);
		const char *hint = json_string_value(json_object_get(object, "hint"));
		assert_non_null(strstr(hint, cases[i].hint));
		json_decref(object);
		job_result_done(&result);
	}
}

static void an_internal_fault_says_its_id_and_nothing_else(void **state)
{
	(void)state;
	struct job_result result;
	sample_begin(&result, OUTCOME_INTERNAL);
	result.fault = (struct err){
		.code = -EPERM, .stage = "landlock", .text = "/var/lib/brig/images: secret"};
	json_t *object = object_of(&result, "f00");
	char *all = json_dumps(object, 0);
	assert_null(strstr(all, "secret"));
	assert_null(strstr(all, "/var"));
	assert_null(strstr(all, "landlock"));
	free(all);
	json_decref(object);
	job_result_done(&result);
}

static void limits_that_were_hit_are_named(void **state)
{
	(void)state;
	struct job_result result;
	sample_begin(&result, OUTCOME_TIMEOUT_WALL);
	result.limit_hit = 1500;
	json_t *object = object_of(&result, NULL);
	assert_non_null(strstr(member(object, "hint"), "took 1.5 s, its limit"));
	json_decref(object);
	result.outcome = OUTCOME_SIGNAL;
	result.signal = 40;
	object = object_of(&result, NULL);
	assert_non_null(strstr(member(object, "hint"), "ended by signal 40"));
	json_decref(object);
	job_result_done(&result);
}

static void what_does_not_conform_is_left_out_and_named(void **state)
{
	(void)state;
	struct job_result result;
	sample_begin(&result, OUTCOME_OK);
	sample_item(&result, ITEM_VALUE, "[]");
	sample_item(&result, ITEM_TABLE, "{}");
	sample_item(&result, ITEM_TABLE, sample_table);
	sample_chart(&result, "{\"mime\":\"image/png\",\"width\":9000,\"height\":9000}", sample_png,
		SAMPLE_PNG_BYTES);
	sample_chart(&result, sample_chart_json, sample_png, SAMPLE_PNG_BYTES);
	sample_skipped(&result, "bad\xffname\n", "why\x1b[0m");
	json_t *object = object_of(&result, NULL);
	assert_string_equal(member(object, "skipped"),
		"[{\"name\":\"bad\\\\xffname\\n\",\"why\":\"why\\\\x1b[0m\"},"
		"{\"name\":\"value\",\"why\":\"not in the shape of a value\"},"
		"{\"name\":\"table 1\",\"why\":\"not in the shape of a table, or too large\"},"
		"{\"name\":\"chart 1\",\"why\":\"the image's header gives another size than was "
		"reported\"}]");
	assert_int_equal(json_array_size(json_object_get(object, "tables")), 1);
	assert_int_equal(json_array_size(json_object_get(object, "charts")), 1);
	json_decref(object);
	job_result_done(&result);
}

static void counts_beyond_their_caps(void **state)
{
	(void)state;
	struct job_result result;
	sample_begin(&result, OUTCOME_OK);
	for (unsigned i = 0; i < 25; i++) {
		sample_item(&result, ITEM_TABLE, sample_table);
		sample_chart(&result, sample_chart_json, sample_png, SAMPLE_PNG_BYTES);
		sample_item(&result, ITEM_NOTE, "n");
		sample_item(&result, ITEM_VALUE, i == 24 ? sample_value : "{\"text\":\"old\"}");
	}
	json_t *object = object_of(&result, NULL);
	assert_int_equal(json_array_size(json_object_get(object, "tables")), LIMIT_TABLES);
	assert_int_equal(json_array_size(json_object_get(object, "charts")), LIMIT_CHARTS);
	assert_int_equal(json_array_size(json_object_get(object, "skipped")), 10);
	assert_string_equal(member(object, "result"), sample_value);
	json_decref(object);
	job_result_done(&result);
}

static void names_in_any_bytes(void **state)
{
	(void)state;
	struct job_result result;
	sample_begin(&result, OUTCOME_OK);
	sample_artifact(&result, span_text("a\xff\n\x1b]0;x\x07"), "x", 1);
	json_t *object = object_of(&result, NULL);
	const json_t *file = json_array_get(json_object_get(object, "files"), 0);
	assert_string_equal(member(file, "name"), "\"a\\\\xff\\n\\u001b]0;x\\u0007\"");
	assert_string_equal(text_of(object), "file a\\xff\\n\\x1b]0;x\\x07 (1 byte)\n");
	json_decref(object);
	job_result_done(&result);
}

static void an_artifact_that_shrank_fails(void **state)
{
	(void)state;
	struct job_result result;
	struct view view;
	json_t *object = NULL;
	sample_begin(&result, OUTCOME_OK);
	sample_artifact(&result, span_text("a"), "abc", 3);
	result.artifacts[0].bytes = 4;
	assert_int_equal(view_init(&view, &result, "j", NULL), 0);
	assert_int_equal(result_json(&view, &result_urls_none, &object), -ENODATA);
	assert_null(object);
	view_done(&view);
	job_result_done(&result);
}

/* Charts of 1 MiB each: those that fit are inline, the others are named or go by url. */
static void charts_share_the_room_of_a_reply(void **state)
{
	(void)state;
	static char image[MIB];
	static const char *const urls[LIMIT_CHARTS] = {
		"u0", "u1", "u2", "u3", "u4", "u5", "u6", "u7", "u8", "u9"};
	struct job_result result;
	struct view view;
	memcpy(image, sample_png, SAMPLE_PNG_BYTES);
	sample_begin(&result, OUTCOME_OK);
	for (unsigned i = 0; i < 10; i++)
		sample_chart(&result, sample_chart_json, image, sizeof(image));
	assert_int_equal(view_init(&view, &result, "j", NULL), 0);
	const struct result_urls stored = {.charts = urls, .images_inline = true};
	const struct result_urls by_url = {.charts = urls};
	const struct result_urls *const ways[] = {&result_urls_none, &stored, &by_url};
	static const size_t inlined[] = {5, 5, 0}, shown[] = {5, 10, 10};
	for (size_t way = 0; way < COUNT(ways); way++) {
		json_t *object;
		size_t count = 0;
		assert_int_equal(result_json(&view, ways[way], &object), 0);
		const json_t *charts = json_object_get(object, "charts");
		for (size_t i = 0; i < json_array_size(charts); i++)
			count += json_object_get(json_array_get(charts, i), "data_base64") != NULL;
		assert_int_equal(count, inlined[way]);
		assert_int_equal(json_array_size(charts), shown[way]);
		assert_int_equal(
			json_array_size(json_object_get(object, "skipped")), 10 - shown[way]);
		assert_true(json_bytes(object, RESULT_JSON_BYTES_MAX) <= RESULT_JSON_BYTES_MAX);
		json_decref(object);
	}
	view_done(&view);
	job_result_done(&result);
}

/* As much as a job can send at all: the reply keeps to its cap, the text to its own. */
static void the_largest_reply_fits(void **state)
{
	(void)state;
	static unsigned char noise[LIMIT_TEXT_BYTES];
	struct job_result result;
	struct buf table;
	memset(noise, 1, sizeof(noise));
	buf_init(&table, MIB);
	/* Control characters take six bytes where they are written. */
	assert_int_equal(
		buf_add_text(&table, "{\"table\":{\"columns\":[{\"name\":\"a\",\"dtype\":\"x\"}],"
				     "\"rows\":["),
		0);
	for (unsigned i = 0; i < 60; i++) {
		assert_int_equal(buf_add_text(&table, i ? ",[\"" : "[\""), 0);
		for (unsigned j = 0; j < 1000; j++)
			assert_int_equal(buf_add_text(&table, "\\u0001"), 0);
		assert_int_equal(buf_add_text(&table, "\"]"), 0);
	}
	assert_int_equal(buf_add_text(&table, "]},\"text\":\""), 0);
	for (unsigned j = 0; j < 30000; j++)
		assert_int_equal(buf_add_text(&table, "\\u0001"), 0);
	assert_int_equal(buf_add_text(&table, "\"}"), 0);
	assert_int_equal(buf_add(&table, "", 1), 0);
	sample_begin(&result, OUTCOME_ERROR);
	for (unsigned i = 0; i < LIMIT_TABLES; i++)
		sample_item(&result, ITEM_TABLE, (const char *)table.data);
	for (unsigned i = 0; i < 40; i++)
		sample_item(&result, ITEM_NOTE, (const char *)table.data);
	for (unsigned i = 0; i < LIMIT_ARTIFACTS; i++)
		sample_artifact(&result, span_of(noise, RESULT_PATH_BYTES_MAX), "", 0);
	for (unsigned i = 0; i < RESULT_SKIPPED_MAX; i++)
		result.skipped[result.skipped_count++] = (struct job_skipped){
			.name = span_of(noise, RESULT_PATH_BYTES_MAX), .why = span_of(noise, 400)};
	result.out = (struct job_output){.head = span_of(noise, LIMIT_TEXT_HEAD_BYTES),
		.tail = span_of(noise, LIMIT_TEXT_TAIL_BYTES),
		.bytes = UINT64_MAX / 2};
	result.err = result.out;
	json_t *object = object_of(&result, NULL);
	assert_true(json_bytes(object, RESULT_JSON_BYTES_MAX) <= RESULT_JSON_BYTES_MAX);
	const json_t *text = json_object_get(object, "text");
	assert_true(json_string_length(text) <= RENDER_BYTES_MAX);
	assert_true(json_string_length(text) > RENDER_BYTES_MAX / 3);
	assert_non_null(strstr(json_string_value(text), "outcome: error"));
	assert_non_null(strstr(json_string_value(text), "table 20:"));
	json_decref(object);
	job_result_done(&result);
	buf_done(&table);
}

static void text_shares_its_room_fairly(void **state)
{
	(void)state;
	static char large[LIMIT_TEXT_BYTES];
	struct job_result result;
	memset(large, 'a', sizeof(large));
	sample_begin(&result, OUTCOME_OK);
	result.out = (struct job_output){.head = span_of(large, LIMIT_TEXT_HEAD_BYTES),
		.tail = span_of(large, LIMIT_TEXT_TAIL_BYTES),
		.bytes = LIMIT_TEXT_BYTES};
	result.err = result.out;
	sample_item(&result, ITEM_VALUE, sample_value);
	json_t *object = object_of(&result, NULL);
	const char *text = text_of(object);
	/* The small one is whole, the large ones are cut and say where the rest is. */
	assert_non_null(strstr(text, "value:\n42\n"));
	assert_non_null(strstr(text, "all of it is in stdout] …"));
	assert_non_null(strstr(text, "all of it is in stderr] …"));
	assert_true(strlen(text) > 40 * KIB);
	json_decref(object);
	job_result_done(&result);
}

static void output_is_always_text(void **state)
{
	(void)state;
	struct job_result result;
	static const char raw[] = "a\0b\x1b[31m\xff\xf0\x9f\x99\x82";
	sample_begin(&result, OUTCOME_OK);
	result.out = (struct job_output){
		.head = span_of(raw, sizeof(raw) - 1), .bytes = sizeof(raw) - 1};
	json_t *object = object_of(&result, NULL);
	assert_string_equal(
		member(object, "stdout"), "\"a\\u0000b\\u001b[31m\\\\xff\xf0\x9f\x99\x82\"");
	assert_string_equal(member(object, "stdout_bytes"), "13");
	json_decref(object);
	job_result_done(&result);
}

static void command_line_pieces(void **state)
{
	(void)state;
	struct job_result result;
	struct view view;
	struct buf out;
	sample_full(&result);
	assert_int_equal(view_init(&view, &result, "j", NULL), 0);
	buf_init(&out, RENDER_VALUES_BYTES_MAX);
	assert_int_equal(render_values(&view, &out), 0);
	assert_bytes(out.data, out.len, "   a\n0  1\n1  2\n42\n");
	out.len = 0;
	assert_int_equal(render_notices(&view, &out), 0);
	assert_bytes(out.data, out.len,
		"KeyError: 'x' (line 3)\n"
		"chart 1 (png, 2 × 2) \"T\": dots\n"
		"note: a note\n"
		"left out: link: not a regular file\n"
		"outcome: error\nhint: look at the columns\n");
	buf_done(&out);
	view_done(&view);
	job_result_done(&result);
}

static void no_memory_frees_all(void **state)
{
	(void)state;
	ALLOC_FAIL_OR_SKIP();
	struct job_result result;
	sample_full(&result);
	/* jansson seeds its hashes once. */
	json_decref(object_of(&result, NULL));
	size_t before = check_fds(), n = 0;
	for (bool failed = true; failed; n++) {
		struct view view;
		json_t *object = NULL;
		long live = alloc_live;
		alloc_fail_at(n);
		int rc = view_init(&view, &result, "j", "f");
		if (!rc) {
			rc = result_json(&view, &result_urls_none, &object);
			view_done(&view);
		}
		failed = alloc_fail_end();
		/* Only the runtime's hint gives way: to the general one. */
		if (failed && rc == 0)
			assert_non_null(strstr(member(object, "hint"), "mend the line"));
		else
			assert_int_equal(rc, failed ? -ENOMEM : 0);
		json_decref(object);
		assert_int_equal(alloc_live, live);
		assert_int_equal(check_fds(), before);
	}
	assert_true(n > 200);
	job_result_done(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_whole_of_it),
		cmocka_unit_test(text_of_the_whole),
		cmocka_unit_test(memory_that_nothing_limits_is_null),
		cmocka_unit_test(ok_has_no_hint_and_no_error),
		cmocka_unit_test(error_is_never_null_for_error),
		cmocka_unit_test(no_two_names_become_one),
		cmocka_unit_test(hints),
		cmocka_unit_test(an_error_in_a_session_sends_less_again),
		cmocka_unit_test(recursion_is_foreseen),
		cmocka_unit_test(an_internal_fault_says_its_id_and_nothing_else),
		cmocka_unit_test(limits_that_were_hit_are_named),
		cmocka_unit_test(what_does_not_conform_is_left_out_and_named),
		cmocka_unit_test(counts_beyond_their_caps),
		cmocka_unit_test(names_in_any_bytes),
		cmocka_unit_test(an_artifact_that_shrank_fails),
		cmocka_unit_test(charts_share_the_room_of_a_reply),
		cmocka_unit_test(the_largest_reply_fits),
		cmocka_unit_test(text_shares_its_room_fairly),
		cmocka_unit_test(output_is_always_text),
		cmocka_unit_test(command_line_pieces),
		cmocka_unit_test(no_memory_frees_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

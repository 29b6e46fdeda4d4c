/* utf8: RFC 3629 to the letter, and cuts that never split a character. */
#include "check.h"

#include "base/utf8.h"

static void lengths(void **state)
{
	(void)state;
	static const struct {
		const char *bytes;
		size_t given, length;
	} cases[] = {
		{"", 0, 0},
		{"a", 1, 1},
		{"\0", 1, 1},
		{"\x7f", 1, 1},
		{"\x80", 1, 0},
		{"\xbf", 1, 0},
		{"\xc0\x80", 2, 0}, /* overlong */
		{"\xc1\xbf", 2, 0},
		{"\xc2\x80", 2, 2},
		{"\xc2", 1, 0},
		{"\xc2\x7f", 2, 0},
		{"\xdf\xbf", 2, 2},
		{"\xe0\x9f\xbf", 3, 0}, /* overlong */
		{"\xe0\xa0\x80", 3, 3},
		{"\xed\x9f\xbf", 3, 3},
		{"\xed\xa0\x80", 3, 0}, /* surrogate */
		{"\xed\xbf\xbf", 3, 0},
		{"\xee\x80\x80", 3, 3},
		{"\xef\xbf\xbf", 3, 3},
		{"\xe2\x82", 2, 0},
		{"\xf0\x8f\xbf\xbf", 4, 0}, /* overlong */
		{"\xf0\x90\x80\x80", 4, 4},
		{"\xf4\x8f\xbf\xbf", 4, 4},
		{"\xf4\x90\x80\x80", 4, 0}, /* above U+10FFFF */
		{"\xf5\x80\x80\x80", 4, 0},
		{"\xff", 1, 0},
		{"\xf0\x9f\x99", 3, 0},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(utf8_length((const unsigned char *)cases[i].bytes, cases[i].given),
			cases[i].length);
}

static unsigned encode(unsigned point, unsigned char out[4])
{
	if (point < 0x80) {
		out[0] = (unsigned char)point;
		return 1;
	}
	unsigned length = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
	static const unsigned char first[5] = {0, 0, 0xc0, 0xe0, 0xf0};
	for (unsigned i = length - 1; i > 0; i--) {
		out[i] = (unsigned char)(0x80 | (point & 0x3f));
		point >>= 6;
	}
	out[0] = (unsigned char)(first[length] | point);
	return length;
}

static void every_code_point(void **state)
{
	(void)state;
	for (unsigned point = 0; point <= 0x10ffff; point++) {
		unsigned char bytes[4];
		unsigned length = encode(point, bytes);
		bool surrogate = point >= 0xd800 && point <= 0xdfff;
		assert_int_equal(utf8_length(bytes, length), surrogate ? 0 : length);
		if (!surrogate)
			assert_int_equal(utf8_decode(bytes, length), point);
		for (unsigned part = 1; part < length; part++)
			assert_int_equal(utf8_length(bytes, part), 0);
	}
}

static void says_where_it_is_broken(void **state)
{
	(void)state;
	size_t bad = 99;
	assert_true(utf8_valid("caf\xc3\xa9", 5, &bad));
	assert_int_equal(bad, 99);
	assert_false(utf8_valid("caf\xc3\xa9\xff x", 8, &bad));
	assert_int_equal(bad, 5);
	assert_false(utf8_valid("ab\xe2\x82", 4, &bad));
	assert_int_equal(bad, 2);
	assert_false(utf8_valid("\x80", 1, NULL));
	assert_true(utf8_valid("", 0, NULL));
}

static void cuts_between_characters(void **state)
{
	(void)state;
	const unsigned char text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x99\x82z";
	static const size_t starts[] = {0, 1, 3, 6, 10, 11};
	for (size_t at = 0; at <= 11; at++) {
		size_t below = 0, above = 11;
		for (size_t i = 0; i < COUNT(starts); i++) {
			if (starts[i] <= at)
				below = starts[i];
			if (starts[i] >= at && starts[i] < above)
				above = starts[i];
		}
		assert_int_equal(utf8_cut_head(text, at), below);
		assert_int_equal(at + utf8_cut_tail(text + at, 11 - at), above);
	}
}

static void escapes_what_is_no_character(void **state)
{
	(void)state;
	struct buf out;
	buf_init(&out, 100);
	assert_int_equal(utf8_escape(&out, "\xff\xfe raw \xc3\xa9\xe2\x82", 11), 0);
	assert_bytes(out.data, out.len, "\\xff\\xfe raw \xc3\xa9\\xe2\\x82");
	out.len = 0;
	assert_int_equal(utf8_escape(&out, "a\0b", 3), 0);
	assert_int_equal(out.len, 3);
	buf_done(&out);
	buf_init(&out, 5);
	assert_int_equal(utf8_escape(&out, "\xff\xff", 2), -ENOSPC);
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths),
		cmocka_unit_test(every_code_point),
		cmocka_unit_test(says_where_it_is_broken),
		cmocka_unit_test(cuts_between_characters),
		cmocka_unit_test(escapes_what_is_no_character),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

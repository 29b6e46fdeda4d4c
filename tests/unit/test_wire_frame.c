/* frame: headers and fields that lie about their length. */
#include "check.h"

#include "wire/frame.h"
#include "wire/number.h"

static struct buf sample(void)
{
	struct buf buf;
	size_t mark;
	buf_init(&buf, 4096);
	assert_int_equal(wire_begin(&buf, 7, &mark), 0);
	assert_int_equal(wire_add_text(&buf, 1, "hello"), 0);
	assert_int_equal(wire_add_u64(&buf, 2, UINT64_MAX), 0);
	assert_int_equal(wire_add(&buf, 3, NULL, 0), 0);
	assert_int_equal(wire_end(&buf, mark, 5), 0);
	return buf;
}

static void round_trip(void **state)
{
	(void)state;
	struct buf buf = sample();
	struct wire_frame frame;
	struct wire_field field;
	uint64_t value;
	char text[6];

	assert_int_equal(wire_peek(buf.data, buf.len, 4096, &frame), 1);
	assert_int_equal(frame.type, 7);
	assert_int_equal(frame.fds, 5);
	assert_int_equal(frame.bytes, buf.len);
	assert_int_equal(wire_next(&frame.fields, &field), 1);
	assert_int_equal(field.tag, 1);
	assert_int_equal(wire_text(&field, text, sizeof(text)), 0);
	assert_string_equal(text, "hello");
	assert_int_equal(wire_text(&field, text, 5), -EBADMSG);
	assert_int_equal(wire_u64(&field, UINT64_MAX, &value), -EBADMSG);
	assert_int_equal(wire_next(&frame.fields, &field), 1);
	assert_int_equal(wire_u64(&field, UINT64_MAX, &value), 0);
	assert_true(value == UINT64_MAX);
	assert_int_equal(wire_u64(&field, UINT64_MAX - 1, &value), -EBADMSG);
	assert_int_equal(wire_next(&frame.fields, &field), 1);
	assert_int_equal(field.value.len, 0);
	assert_int_equal(wire_next(&frame.fields, &field), 0);
	buf_done(&buf);
}

static void a_part_waits_for_the_rest(void **state)
{
	(void)state;
	struct buf buf = sample();
	struct wire_frame frame;
	for (size_t n = 0; n < buf.len; n++)
		assert_int_equal(wire_peek(buf.data, n, 4096, &frame), 0);
	buf_done(&buf);
}

static void an_oversized_length_is_refused_at_once(void **state)
{
	(void)state;
	struct wire_frame frame;
	const unsigned char huge[8] = {0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0};
	const unsigned char negative[8] = {0, 0, 0, 0x80, 1, 0, 0, 0};
	const unsigned char above[8] = {0x01, 0x10, 0, 0, 1, 0, 0, 0};
	const unsigned char just[8] = {0x00, 0x10, 0, 0, 1, 0, 0, 0};
	assert_int_equal(wire_peek(huge, 8, 4096, &frame), -EMSGSIZE);
	assert_int_equal(wire_peek(negative, 8, 4096, &frame), -EMSGSIZE);
	assert_int_equal(wire_peek(above, 8, 4096, &frame), -EMSGSIZE);
	assert_int_equal(wire_peek(just, 8, 4096, &frame), 0);
}

static void a_field_stays_within_its_frame(void **state)
{
	(void)state;
	struct wire_field field;
	for (uint32_t bytes = 0; bytes < 16; bytes++) {
		unsigned char data[16] = {9, 0, 0, 0, (unsigned char)bytes};
		struct span rest = span_of(data, sizeof(data));
		assert_int_equal(wire_next(&rest, &field), bytes <= 8 ? 1 : -EBADMSG);
	}
	for (size_t n = 1; n < 8; n++) {
		const unsigned char data[8] = {9};
		struct span rest = span_of(data, n);
		assert_int_equal(wire_next(&rest, &field), -EBADMSG);
	}
	const unsigned char wrap[8] = {9, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};
	struct span rest = span_of(wrap, sizeof(wrap));
	assert_int_equal(wire_next(&rest, &field), -EBADMSG);
}

static void texts_hold_no_nul(void **state)
{
	(void)state;
	char out[8];
	struct wire_field field = {.value = span_of("a\0b", 3)};
	assert_int_equal(wire_text(&field, out, sizeof(out)), -EBADMSG);
}

static void truths_are_zero_and_one(void **state)
{
	(void)state;
	struct buf buf;
	buf_init(&buf, 64);
	for (uint64_t n = 0; n < 3; n++) {
		struct wire_field field;
		bool value = false;
		buf.len = 0;
		assert_int_equal(wire_add_u64(&buf, 1, n), 0);
		struct span rest = span_of(buf.data, buf.len);
		assert_int_equal(wire_next(&rest, &field), 1);
		assert_int_equal(wire_bool(&field, &value), n < 2 ? 0 : -EBADMSG);
		assert_int_equal(value, n == 1);
	}
	buf_done(&buf);
}

struct figures {
	uint32_t narrow;
	uint64_t wide;
};
static const struct wire_number table[] = {
	WIRE_NUMBER(1, struct figures, narrow, 2, UINT64_MAX),
	WIRE_NUMBER(2, struct figures, wide, 0, 100),
};

static void figures_keep_to_their_range(void **state)
{
	(void)state;
	static const struct {
		uint16_t tag;
		uint64_t value;
		int rc;
	} cases[] = {
		{1, 1, -EBADMSG},
		{1, 2, 1},
		{1, UINT32_MAX, 1},
		{1, UINT32_MAX + 1ull, -EBADMSG},
		{2, 0, 1},
		{2, 100, 1},
		{2, 101, -EBADMSG},
		{3, 5, 0},
	};
	struct buf buf;
	buf_init(&buf, 64);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct figures figures = {.narrow = 77, .wide = 77};
		struct wire_field field;
		buf.len = 0;
		assert_int_equal(wire_add_u64(&buf, cases[i].tag, cases[i].value), 0);
		struct span rest = span_of(buf.data, buf.len);
		assert_int_equal(wire_next(&rest, &field), 1);
		assert_int_equal(
			wire_take_number(&field, table, COUNT(table), &figures), cases[i].rc);
		uint64_t got = cases[i].tag == 1 ? figures.narrow : figures.wide;
		assert_true(got == (cases[i].rc == 1 ? cases[i].value : 77));
	}
	buf_done(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(a_part_waits_for_the_rest),
		cmocka_unit_test(an_oversized_length_is_refused_at_once),
		cmocka_unit_test(a_field_stays_within_its_frame),
		cmocka_unit_test(texts_hold_no_nul),
		cmocka_unit_test(truths_are_zero_and_one),
		cmocka_unit_test(figures_keep_to_their_range),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

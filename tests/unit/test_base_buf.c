/* buf: growth up to the cap and not a byte further. */
#include "check.h"

#include "alloc_fail.h"
#include "base/buf.h"

static void fills_to_its_cap(void **state)
{
	(void)state;
	struct buf buf;
	buf_init(&buf, 10);
	assert_int_equal(buf_add(&buf, "12345", 5), 0);
	assert_int_equal(buf_add(&buf, "678901", 6), -ENOSPC);
	assert_bytes(buf.data, buf.len, "12345");
	assert_int_equal(buf_add(&buf, "67890", 5), 0);
	assert_int_equal(buf_add(&buf, "", 0), 0);
	assert_int_equal(buf_add_text(&buf, "x"), -ENOSPC);
	assert_bytes(buf.data, buf.len, "1234567890");
	buf_done(&buf);
}

static void grows_by_doubling_and_stops_at_odd_caps(void **state)
{
	(void)state;
	struct buf buf;
	buf_init(&buf, 1000003);
	for (size_t i = 0; i < 1000003; i++)
		assert_int_equal(buf_add(&buf, "z", 1), 0);
	assert_int_equal(buf_add(&buf, "z", 1), -ENOSPC);
	assert_int_equal(buf.len, 1000003);
	assert_true(buf.room <= buf.cap_bytes);
	buf_done(&buf);
}

static void a_huge_request_does_not_wrap(void **state)
{
	(void)state;
	struct buf buf;
	buf_init(&buf, SIZE_MAX);
	assert_int_equal(buf_add(&buf, "abc", 3), 0);
	assert_null(buf_reserve(&buf, SIZE_MAX - 2));
	assert_int_equal(buf.len, 3);
	buf_done(&buf);
}

static void prints(void **state)
{
	(void)state;
	struct buf buf;
	buf_init(&buf, 8);
	assert_int_equal(buf_printf(&buf, "%d-%s", 12, "ab"), 0);
	assert_bytes(buf.data, buf.len, "12-ab");
	/* The NUL of vsnprintf needs a place too. */
	assert_int_equal(buf_printf(&buf, "%s", "xyz"), -ENOSPC);
	assert_bytes(buf.data, buf.len, "12-ab");
	buf_done(&buf);
}

static void drops_from_the_front(void **state)
{
	(void)state;
	struct buf buf;
	buf_init(&buf, 100);
	assert_int_equal(buf_add_text(&buf, "hello"), 0);
	buf_drop(&buf, 2);
	assert_bytes(buf.data, buf.len, "llo");
	buf_drop(&buf, 99);
	assert_int_equal(buf.len, 0);
	buf_done(&buf);
	buf_drop(&buf, 1);
}

static void done_is_safe_on_nothing(void **state)
{
	(void)state;
	struct buf zero = {0};
	buf_done(&zero);
	buf_done(NULL);
	assert_int_equal(buf_add_text(&zero, "x"), -ENOSPC);
}

static void no_memory_leaves_it_unchanged(void **state)
{
	(void)state;
	ALLOC_FAIL_OR_SKIP();
	struct buf buf;
	buf_init(&buf, 1 << 20);
	assert_int_equal(buf_add_text(&buf, "kept"), 0);
	static char large[4096];
	alloc_fail_at(0);
	assert_int_equal(buf_add(&buf, large, sizeof(large)), -ENOMEM);
	assert_true(alloc_fail_end());
	assert_bytes(buf.data, buf.len, "kept");
	assert_int_equal(buf_add(&buf, large, sizeof(large)), 0);
	buf_done(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fills_to_its_cap),
		cmocka_unit_test(grows_by_doubling_and_stops_at_odd_caps),
		cmocka_unit_test(a_huge_request_does_not_wrap),
		cmocka_unit_test(prints),
		cmocka_unit_test(drops_from_the_front),
		cmocka_unit_test(done_is_safe_on_nothing),
		cmocka_unit_test(no_memory_leaves_it_unchanged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

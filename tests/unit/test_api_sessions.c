/* sessions: the table, its owners, its tombstones; and what a model is told of a session. */
#include "check.h"

#include "api/sessions.h"
#include "tool/render.h"
#include "tool/view.h"
#include "wire/job.h"

#include <errno.h>

static struct event_base *base;
static struct links links;
static struct sessions table;
static struct role role = {.name = "steps",
	.sessions = true,
	.sessions_max = 2,
	.session_idle_ms = 600000,
	.session_life_ms = 3600000};
static struct role plain = {.name = "plain"};
static const struct who me = {.role = &role, .token = "ci"};
static const struct who other = {.role = &role, .token = "other"};
static const struct who local = {.role = &role, .token = ""};

static int set_up(void **state)
{
	(void)state;
	base = event_base_new();
	links_init(&links);
	assert_int_equal(links_set(&links, "", -1), 0);
	TAILQ_INIT(&table.open);
	TAILQ_INIT(&table.tombstones);
	return base ? sessions_init(&table, base, &links) : -1;
}

static int take_down(void **state)
{
	(void)state;
	sessions_done(&table);
	links_done(&links);
	event_base_free(base);
	return 0;
}

static struct session *begin(const struct who *who)
{
	struct session *session = NULL;
	struct err err = {0};
	assert_int_equal(sessions_begin(&table, who, 0, 0, &session, &err), 0);
	return session;
}

/* Without a token it is the door and the uid that tell callers apart. */
static void tokenless_callers_are_apart(void **state)
{
	static const struct who tcp = {.role = &role, .owner = "tcp"},
				root = {.role = &role, .owner = "unix 0"},
				user = {.role = &role, .owner = "unix 1000"};
	struct session *session = begin(&root);
	(void)state;
	assert_ptr_equal(sessions_find(&table, &root, span_text(session->id)), session);
	assert_null(sessions_find(&table, &tcp, span_text(session->id)));
	assert_null(sessions_find(&table, &user, span_text(session->id)));
	session = begin(&tcp);
	assert_null(sessions_find(&table, &root, span_text(session->id)));
	assert_null(sessions_find(&table, &me, span_text(session->id)));
}

static void limits_of_the_whole_and_of_a_call(void **state)
{
	struct session *session = begin(&me);
	struct job_limits call = {0};
	(void)state;
	session->limits = limits_default;
	session->limits.wall_ms = 1000;
	session->limits.memory_bytes = 128 * MIB;
	session_limit(session, &call);
	assert_int_equal(call.wall_ms, 1000);
	assert_int_equal(call.memory_bytes, 128 * MIB);
	assert_int_equal(call.processes, limits_default.processes);
	call = (struct job_limits){.wall_ms = 5000, .memory_bytes = GIB};
	session_limit(session, &call);
	assert_int_equal(call.wall_ms, 5000);
	assert_int_equal(call.memory_bytes, 128 * MIB);
	call = (struct job_limits){.memory_bytes = 64 * MIB};
	session_limit(session, &call);
	assert_int_equal(call.memory_bytes, 64 * MIB);
}

static void ids_are_their_makers(void **state)
{
	struct session *session = begin(&me), *second = begin(&local);
	struct err err;
	(void)state;
	assert_int_equal(strlen(session->id), 33);
	assert_string_not_equal(session->id, second->id);
	assert_ptr_equal(sessions_find(&table, &me, span_text(session->id)), session);
	assert_null(sessions_find(&table, &other, span_text(session->id)));
	assert_null(sessions_find(&table, &local, span_text(session->id)));
	assert_null(sessions_find(&table, &me, span_text(second->id)));
	assert_null(sessions_find(&table, &me, span_text("")));
	assert_int_equal(session_check(NULL, &err), -ENOENT);
	assert_non_null(strstr(err.text, "session: \"new\""));
}

static void as_many_as_the_role_says(void **state)
{
	struct session *session = begin(&me), *more = NULL;
	struct err err = {0};
	const struct who nobody = {.role = &plain};
	(void)state;
	(void)begin(&other);
	assert_int_equal(sessions_begin(&table, &me, 0, 0, &more, &err), -EDQUOT);
	assert_non_null(strstr(err.text, "sessions_max"));
	sessions_drop(&table, session);
	assert_int_equal(sessions_begin(&table, &me, 0, 0, &more, &err), 0);
	assert_int_equal(sessions_begin(&table, &nobody, 0, 0, &more, &err), -EPERM);
}

static void times_are_the_roles_at_most(void **state)
{
	struct session *session;
	struct err err;
	(void)state;
	assert_int_equal(sessions_begin(&table, &me, 1000, 5000, &session, &err), 0);
	assert_int_equal(session->idle_ms, 1000);
	assert_int_equal(session->life_ms, 5000);
	sessions_drop(&table, session);
	assert_int_equal(sessions_begin(&table, &me, UINT64_MAX, UINT64_MAX, &session, &err), 0);
	assert_int_equal(session->idle_ms, 3600000);
	assert_int_equal(session->life_ms, 3600000);
	sessions_drop(&table, session);
	session = begin(&me);
	assert_int_equal(session->idle_ms, 600000);
}

static void the_lost_are_remembered(void **state)
{
	struct session *session = begin(&me);
	const struct session_status lost = {
		.state = SESSION_LOST, .lost_why = "its process was killed"};
	char id[SESSION_ID_BYTES];
	struct err err;
	(void)state;
	memcpy(id, session->id, sizeof(id));
	sessions_heard(&table, session, &lost);
	session = sessions_find(&table, &me, span_text(id));
	assert_non_null(session);
	assert_null(sessions_by_id(&table, span_text(id)));
	assert_null(sessions_find(&table, &other, span_text(id)));
	assert_int_equal(session_check(session, &err), -ESTALE);
	assert_non_null(strstr(err.text, "its process was killed"));
	assert_non_null(strstr(err.text, "session: \"new\""));
	/* It no longer counts, and its room is bounded. */
	for (size_t i = 0; i < SESSIONS_TOMBSTONES_MAX + 5; i++)
		sessions_lose(&table, begin(&me), "for the test");
	assert_int_equal(table.tombstone_count, SESSIONS_TOMBSTONES_MAX);
	assert_null(sessions_find(&table, &me, span_text(id)));
}

static void another_service_has_none_of_them(void **state)
{
	struct session *begun = begin(&me), *not_yet = begin(&other);
	(void)state;
	begun->epoch = links_epoch(&links, "");
	assert_int_equal(links_set(&links, "", -1), 0);
	sessions_link_changed(&table, "other-image");
	assert_false(begun->lost);
	sessions_link_changed(&table, "");
	assert_true(begun->lost);
	assert_false(not_yet->lost);
}

static int freed;
static void count_free(void *user)
{
	freed += *(int *)user;
}

static void what_is_kept_with_it_goes_with_it(void **state)
{
	struct session *session = begin(&me);
	int one = 1;
	(void)state;
	session->user = &one;
	session->user_free = count_free;
	sessions_lose(&table, session, "x");
	assert_int_equal(freed, 1);
	sessions_drop(&table, session);
	assert_int_equal(freed, 1);
}

static void check_text(
	const struct session_status *status, enum session_use use, const char *wanted)
{
	cleanup_job_result struct job_result result;
	struct job_session session = {.use = use, .id = "s1"};
	cleanup_view struct view view = {0};
	cleanup_buf struct buf text = {0};
	buf_init(&text, RENDER_BYTES_MAX);
	job_result_init(&result);
	result.outcome = OUTCOME_OK;
	result.session = *status;
	assert_int_equal(view_init(&view, &result, "j1", NULL), 0);
	view_set_session(&view, &session);
	assert_int_equal(render_text(&view, &text), 0);
	assert_int_equal(buf_add(&text, "", 1), 0);
	assert_string_equal((const char *)text.data, wanted);
}

static void what_a_model_is_told(void **state)
{
	struct session_status status = {
		.state = SESSION_ALIVE, .idle_left_ms = 600000, .life_left_ms = 3600000};
	(void)state;
	check_text(&status, SESSION_NONE, "(no output)\n");
	check_text(&status, SESSION_USE, "(no output)\n");
	check_text(&status, SESSION_NEW,
		"session s1: pass it as session to go on with these variables and files; it ends "
		"after 600 s without a call\n");
	status.life_left_ms = 60000;
	check_text(&status, SESSION_USE, "session: it ends in 60 s\n");
	status = (struct session_status){.state = SESSION_INTERRUPTED, .life_left_ms = 3600000};
	check_text(&status, SESSION_USE,
		"session: the call was interrupted; variables and files are kept\n");
	status = (struct session_status){.state = SESSION_LOST, .lost_why = "it was killed"};
	check_text(&status, SESSION_USE,
		"session lost: it was killed; its variables and files are gone. Pass session: "
		"\"new\" to begin again\n");
}

/* A role that grants less from now on, and one that grants more. */
static void less_time_is_for_open_ones_too(void **state)
{
	struct role less = role, more = role;
	struct session *usual = begin(&me), *asked = NULL;
	struct err err = {0};
	uint64_t idle_ms, life_ms;
	(void)state;

	assert_int_equal(sessions_begin(&table, &me, 3600000, 0, &asked, &err), 0);
	more.session_life_ms = 2 * role.session_life_ms;
	more.session_idle_ms = 2 * role.session_idle_ms;
	assert_false(sessions_tighten(usual, &more, &idle_ms, &life_ms));
	assert_false(sessions_tighten(usual, &role, &idle_ms, &life_ms));
	less.session_idle_ms = 1000;
	assert_true(sessions_tighten(usual, &less, &idle_ms, &life_ms));
	assert_int_equal(idle_ms, 1000);
	assert_int_equal(life_ms, 0);
	assert_false(sessions_tighten(usual, &less, &idle_ms, &life_ms));
	assert_false(sessions_tighten(asked, &less, &idle_ms, &life_ms));
	less.session_life_ms = 60000;
	assert_true(sessions_tighten(asked, &less, &idle_ms, &life_ms));
	assert_int_equal(idle_ms, 60000);
	assert_in_range(life_ms, 1, 60000);
	assert_in_range(session_life_left_ms(asked, &less), 1, 60000);
	asked->born_ms -= 60001;
	assert_int_equal(session_life_left_ms(asked, &less), 0);
	assert_true(sessions_tighten(asked, &less, &idle_ms, &life_ms));
	assert_int_equal(life_ms, 1);
	sessions_drop(&table, usual);
	sessions_drop(&table, asked);
}

static void who_has_them_is_told(void **state)
{
	struct session *one = begin(&other), *two = begin(&other), *none;
	struct err err = {0};
	(void)state;
	assert_int_equal(sessions_begin(&table, &me, 0, 0, &none, &err), -EDQUOT);
	assert_non_null(strstr(err.text, "all of other callers"));
	assert_int_equal(sessions_begin(&table, &other, 0, 0, &none, &err), -EDQUOT);
	assert_non_null(strstr(err.text, "2 of them yours"));
	sessions_drop(&table, one);
	sessions_drop(&table, two);
}

static void a_lost_one_stays_its_token_s(void **state)
{
	static struct role next = {.name = "next", .sessions = true};
	const struct who moved = {.role = &next, .token = "ci"};
	struct session *session = begin(&me);
	(void)state;
	assert_null(sessions_find(&table, &moved, span_text(session->id)));
	sessions_lose(&table, session, "its token has another role now");
	assert_ptr_equal(sessions_find(&table, &moved, span_text(session->id)), session);
	assert_null(sessions_find(&table, &other, span_text(session->id)));
	sessions_drop(&table, session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ids_are_their_makers, set_up, take_down),
		cmocka_unit_test_setup_teardown(tokenless_callers_are_apart, set_up, take_down),
		cmocka_unit_test_setup_teardown(
			limits_of_the_whole_and_of_a_call, set_up, take_down),
		cmocka_unit_test_setup_teardown(as_many_as_the_role_says, set_up, take_down),
		cmocka_unit_test_setup_teardown(times_are_the_roles_at_most, set_up, take_down),
		cmocka_unit_test_setup_teardown(the_lost_are_remembered, set_up, take_down),
		cmocka_unit_test_setup_teardown(less_time_is_for_open_ones_too, set_up, take_down),
		cmocka_unit_test_setup_teardown(who_has_them_is_told, set_up, take_down),
		cmocka_unit_test_setup_teardown(a_lost_one_stays_its_token_s, set_up, take_down),
		cmocka_unit_test_setup_teardown(
			another_service_has_none_of_them, set_up, take_down),
		cmocka_unit_test_setup_teardown(
			what_is_kept_with_it_goes_with_it, set_up, take_down),
		cmocka_unit_test(what_a_model_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

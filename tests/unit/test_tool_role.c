/* role: admission, and files below a role's roots; quota: run, queue, refuse, whose turn it is. */
#include "check.h"

#include "tool/quota.h"
#include "tool/role.h"

#include "temp_folder.h"

#include <sodium.h>

static struct role role_of(const char *name)
{
	struct role role = {.tools = ROLE_CALCULATE | ROLE_RUN_SANDBOXED,
		.limits_default = limits_default,
		.limits_max = limits_default,
		.jobs_at_once = 2,
		.queue_max = 3};
	(void)snprintf(role.name, sizeof(role.name), "%s", name);
	return role;
}

static void tools_are_the_roles(void **state)
{
	(void)state;
	struct role role = role_of("billing");
	struct err err = {0}, other = {0};
	role.tools = ROLE_CALCULATE;
	assert_int_equal(role_allows(&role, "calculate", &err), 0);
	assert_int_equal(role_allows(&role, "run_sandboxed", &err), -EPERM);
	assert_int_equal(role_allows(&role, "no_such_tool", &other), -EPERM);
	assert_string_equal(err.text, other.text);
	cleanup_job_spec struct job_spec spec;
	job_spec_init(&spec);
	assert_int_equal(role_admit(&role, &spec, false, &err), -EPERM);
}

static void limits_are_only_tightened(void **state)
{
	(void)state;
	struct role role = role_of("research");
	role.limits_max.wall_ms = 60000;
	role.limits_max.cpu_ms = 5000;
	role.limits_default.cpu_ms = 5000;
	role.limits_max.memory_bytes = GIB;
	cleanup_job_spec struct job_spec spec;
	job_spec_init(&spec);
	spec.limits = (struct job_limits){0};
	assert_int_equal(role_admit(&role, &spec, false, NULL), 0);
	assert_int_equal(spec.limits.wall_ms, 30000);
	assert_int_equal(spec.limits.cpu_ms, 5000);
	assert_int_equal(spec.limits.memory_bytes, 512 * MIB);
	assert_int_equal(spec.limits.output_bytes, LIMIT_OUTPUT_BYTES_MAX);
	assert_int_equal(spec.limits.processes, 64);
	assert_int_equal(spec.limits.cpus, 1);
	memset(&spec.limits, 0xff, sizeof(spec.limits));
	assert_int_equal(role_admit(&role, &spec, false, NULL), 0);
	assert_int_equal(spec.limits.wall_ms, 60000);
	assert_int_equal(spec.limits.cpu_ms, 5000);
	assert_int_equal(spec.limits.memory_bytes, GIB);
	assert_int_equal(spec.limits.work_bytes, LIMIT_WORK_BYTES_MAX);
	assert_int_equal(spec.limits.work_inodes, LIMIT_WORK_INODES_MAX);
	spec.limits = (struct job_limits){.wall_ms = 1, .memory_bytes = 1, .output_bytes = 7};
	assert_int_equal(role_admit(&role, &spec, false, NULL), 0);
	assert_int_equal(spec.limits.wall_ms, 1);
	assert_int_equal(spec.limits.memory_bytes, LIMIT_MEMORY_BYTES_MIN);
	assert_int_equal(spec.limits.output_bytes, 7);
}

static void sessions_need_leave(void **state)
{
	(void)state;
	struct role role = role_of("research");
	cleanup_job_spec struct job_spec spec;
	job_spec_init(&spec);
	assert_int_equal(role_admit(&role, &spec, true, NULL), -EPERM);
	role.sessions = true;
	assert_int_equal(role_admit(&role, &spec, true, NULL), 0);
}

static void write_file(const char *name, const char *text)
{
	int fd = open(temp_path(name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	(void)close(fd);
}

/* A root with files, and around it what must not be reached. */
static int make_tree(void **state)
{
	if (temp_folder_make(state) < 0)
		return -1;
	assert_int_equal(mkdir(temp_path("root"), 0755), 0);
	assert_int_equal(mkdir(temp_path("root/sub"), 0755), 0);
	assert_int_equal(mkdir(temp_path("outside"), 0755), 0);
	write_file("root/data.csv", "a,b\n1,2\n");
	write_file("root/sub/deep.txt", "deep");
	write_file("outside/secret", "secret");
	assert_int_equal(symlink("../outside/secret", temp_path("root/link")), 0);
	assert_int_equal(symlink("data.csv", temp_path("root/inside")), 0);
	assert_int_equal(symlink("../outside", temp_path("root/folder")), 0);
	assert_int_equal(symlink("/proc/self/environ", temp_path("root/magic")), 0);
	assert_int_equal(symlink("root", temp_path("alias")), 0);
	assert_int_equal(mkfifo(temp_path("root/fifo"), 0644), 0);
	return 0;
}

static int open_path(const struct role *role, const char *path, struct err *err)
{
	unsigned char sha256[32];
	uint64_t bytes = 0;
	int fd = -1;
	*err = (struct err){0};
	int rc = role_open(role, span_text(path), 1000, &fd, &bytes, sha256, err);
	if (rc == 0)
		(void)close(fd);
	return rc;
}

static struct role rooted(char *root)
{
	struct role role = role_of("research");
	(void)snprintf(role.roots[0].name, ROLE_NAME_BYTES, "reports");
	role.roots[0].path = root;
	role.root_count = 1;
	return role;
}

static void files_below_a_root_open(void **state)
{
	(void)state;
	char root[200];
	struct err err;
	(void)snprintf(root, sizeof(root), "%s", temp_path("root"));
	struct role role = rooted(root);
	size_t fds = check_fds();
	unsigned char sha256[32], wanted[32];
	uint64_t bytes;
	int fd;
	assert_int_equal(
		role_open(&role, span_text("reports/data.csv"), 8, &fd, &bytes, sha256, &err), 0);
	assert_int_equal(bytes, 8);
	(void)crypto_hash_sha256(wanted, (const unsigned char *)"a,b\n1,2\n", 8);
	assert_memory_equal(sha256, wanted, 32);
	(void)close(fd);
	assert_int_equal(open_path(&role, "reports/sub/deep.txt", &err), 0);
	assert_int_equal(open_path(&role, "reports//sub/./deep.txt", &err), 0);
	assert_int_equal(
		role_open(&role, span_text("reports/data.csv"), 7, &fd, &bytes, sha256, &err),
		-E2BIG);
	assert_int_equal(check_fds(), fds);
	cleanup_job_spec struct job_spec spec;
	job_spec_init(&spec);
	assert_int_equal(
		role_add_path(&role, &spec, span_text("reports/sub/deep.txt"), NULL, &err), 0);
	assert_string_equal(spec.inputs[0].name, "deep.txt");
	assert_int_equal(spec.inputs[0].bytes, 4);
	assert_int_equal(
		role_add_path(&role, &spec, span_text("reports/data.csv"), "x.csv", &err), 0);
	assert_string_equal(spec.inputs[1].name, "x.csv");
	assert_int_equal(
		role_add_path(&role, &spec, span_text("reports/data.csv"), "x.csv", &err), -EEXIST);
	assert_int_equal(
		role_add_path(&role, &spec, span_text("reports/data.csv"), "../x", &err), -EINVAL);
}

static void the_rest_is_not_there(void **state)
{
	(void)state;
	/* Absent, forbidden, no file: one answer but for the name that the caller gave. */
	static const char *const paths[] = {"reports/absent", "reports/link", "reports/inside",
		"reports/folder/secret", "reports/magic", "reports/fifo", "reports/sub", "reports",
		"reports/", "other/data.csv", "reports/data.csv/x", "report/data.csv",
		"reports2/data.csv", "reports/unreadable"};
	char root[200];
	struct err err;
	(void)snprintf(root, sizeof(root), "%s", temp_path("root"));
	struct role role = rooted(root);
	size_t fds = check_fds();
	for (size_t i = 0; i < COUNT(paths); i++) {
		char wanted[300];
		if (open_path(&role, paths[i], &err) != -ENOENT)
			fail_msg("%s", paths[i]);
		(void)snprintf(wanted, sizeof(wanted),
			"no file %s; write ROOT/relative, with a root that this role has",
			paths[i]);
		assert_string_equal(err.text, wanted);
		assert_null(strstr(err.text, temp_folder));
	}
	static const char *const bad[] = {"", "/etc/passwd", "reports/../outside/secret", "..",
		"../outside/secret", "reports/..", "reports/sub/../../outside/secret"};
	for (size_t i = 0; i < COUNT(bad); i++)
		if (open_path(&role, bad[i], &err) != -EINVAL)
			fail_msg("%s", bad[i]);
	unsigned char sha256[32];
	uint64_t bytes;
	int fd;
	char longest[5000];
	assert_int_equal(
		role_open(&role, span_of("reports/a\0b", 11), 9, &fd, &bytes, sha256, &err),
		-EINVAL);
	memset(longest, 'x', sizeof(longest));
	assert_int_equal(
		role_open(&role, span_of(longest, sizeof(longest)), 9, &fd, &bytes, sha256, &err),
		-EINVAL);
	/* A root that has become a link since it was read. */
	(void)snprintf(root, sizeof(root), "%s", temp_path("alias"));
	assert_int_equal(open_path(&role, "reports/data.csv", &err), -ENOENT);
	role.root_count = 0;
	assert_int_equal(open_path(&role, "reports/data.csv", &err), -ENOENT);
	assert_int_equal(check_fds(), fds);
}

static const struct quota_asker somebody = {.caller = "somebody", .wall_ms = 30000};

static struct quota *quota_of(uint32_t running_max)
{
	struct quota *quota;
	assert_int_equal(quota_new(running_max, &quota), 0);
	return quota;
}

static uint64_t ask(struct quota *quota, const struct role *role, const char *caller,
	uint64_t now_ms, enum quota_decision wanted)
{
	const struct quota_asker asker = {.caller = caller, .wall_ms = 60000};
	struct quota_ticket ticket;
	assert_int_equal(quota_ask(quota, role, &asker, now_ms, &ticket), wanted);
	return wanted == QUOTA_REFUSE ? ticket.retry_after_s : ticket.id;
}

/* One that keeps all places and the whole queue busy does not keep another from its turn. */
static void callers_of_a_role_take_turns(void **state)
{
	(void)state;
	struct quota *quota = quota_of(100);
	const struct role role = {.name = "r", .jobs_at_once = 2, .queue_max = 4};
	uint64_t greedy[6], modest, late;
	for (int i = 0; i < 6; i++)
		greedy[i] = ask(quota, &role, "greedy", 0, i < 2 ? QUOTA_RUN : QUOTA_QUEUE);
	(void)ask(quota, &role, "greedy", 0, QUOTA_REFUSE);
	modest = ask(quota, &role, "modest", 0, QUOTA_QUEUE); /* to a full queue, once */
	(void)ask(quota, &role, "modest", 0, QUOTA_REFUSE);
	quota_done(quota, greedy[0], 10);
	assert_int_equal(quota_next(quota, 10), modest);
	assert_int_equal(quota_next(quota, 10), 0);
	/* Who waits with more than its part may add none while another waits too. */
	late = ask(quota, &role, "late", 10, QUOTA_QUEUE);
	(void)ask(quota, &role, "greedy", 10, QUOTA_REFUSE);
	quota_done(quota, greedy[1], 20);
	assert_int_equal(
		quota_next(quota, 20), late); /* none runs of it, greedy's has just ended */
	quota_done(quota, modest, 30);
	assert_int_equal(quota_next(quota, 30), greedy[2]); /* each caller's own in their order */
	quota_leave(quota, greedy[4]);
	quota_done(quota, late, 40);
	assert_int_equal(quota_next(quota, 40), greedy[3]);
	assert_int_equal(quota_count(quota, "r").waiting, 1);
	quota_leave(quota, greedy[5]);
	quota_leave(quota, greedy[5]);
	assert_int_equal(quota_count(quota, "r").waiting, 0);
	quota_free(quota);
}

static void without_a_queue_nobody_waits(void **state)
{
	(void)state;
	struct quota *quota = quota_of(100);
	const struct role role = {.name = "r", .jobs_at_once = 1};
	(void)ask(quota, &role, "a", 0, QUOTA_RUN);
	(void)ask(quota, &role, "b", 0, QUOTA_REFUSE);
	quota_free(quota);
}

/* The time to wait is that of the jobs: as they have been, and, for one that goes on, its limit. */
static void the_time_to_wait_is_that_of_the_jobs(void **state)
{
	(void)state;
	struct quota *quota = quota_of(100);
	const struct role role = {.name = "r", .jobs_at_once = 1};
	uint64_t id = ask(quota, &role, "a", 0, QUOTA_RUN);
	assert_int_equal(ask(quota, &role, "a", 10000, QUOTA_REFUSE), 50); /* 60 s less 10 */
	quota_done(quota, id, 30000);
	id = ask(quota, &role, "a", 100000, QUOTA_RUN);
	assert_in_range(ask(quota, &role, "a", 110000, QUOTA_REFUSE), 20, 21); /* 30 s less 10 */
	assert_in_range(ask(quota, &role, "a", 150000, QUOTA_REFUSE), 10, 11); /* 60 s less 50 */
	quota_done(quota, id, 150000);
	quota_free(quota);
}

static void jobs_at_once_then_a_queue_then_no_more(void **state)
{
	(void)state;
	struct quota *quota = quota_of(100);
	struct role role = role_of("research");
	struct quota_ticket tickets[6];
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(quota_ask(quota, &role, &somebody, 0, &tickets[i]),
			i < 2 ? QUOTA_RUN : QUOTA_QUEUE);
	assert_int_equal(quota_ask(quota, &role, &somebody, 0, &tickets[5]), QUOTA_REFUSE);
	assert_int_equal(tickets[5].id, 0);
	assert_int_equal(tickets[5].retry_after_s, 30);
	assert_string_equal(tickets[5].why, "queue_max");
	assert_int_equal(quota_count(quota, "research").running, 2);
	assert_int_equal(quota_count(quota, NULL).waiting, 3);
	assert_int_equal(quota_next(quota, 0), 0);
	quota_done(quota, tickets[0].id, 0);
	quota_done(quota, tickets[0].id, 0);
	quota_done(quota, 12345, 0);
	/* First come, first served; who leaves is passed over. */
	quota_leave(quota, tickets[2].id);
	quota_leave(quota, tickets[2].id);
	quota_leave(quota, tickets[1].id);
	assert_int_equal(quota_next(quota, 0), tickets[3].id);
	assert_int_equal(quota_next(quota, 0), 0);
	/* A queue that is not empty is not overtaken. */
	quota_done(quota, tickets[1].id, 0);
	assert_int_equal(quota_ask(quota, &role, &somebody, 0, &tickets[5]), QUOTA_QUEUE);
	assert_int_equal(quota_next(quota, 0), tickets[4].id);
	quota_done(quota, tickets[3].id, 0);
	quota_leave(quota, tickets[5].id);
	assert_int_equal(quota_next(quota, 0), 0);
	assert_int_equal(quota_ask(quota, &role, &somebody, 0, &tickets[0]), QUOTA_RUN);
	quota_free(quota);
	quota_free(NULL);
}

static void a_minute_has_so_many(void **state)
{
	(void)state;
	struct quota *quota = quota_of(1000);
	struct role role = role_of("research");
	struct quota_ticket ticket;
	role.jobs_at_once = 1000;
	role.jobs_per_minute = 7;
	uint64_t now = 123456;
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(quota_ask(quota, &role, &somebody, now, &ticket), QUOTA_RUN);
	assert_int_equal(quota_ask(quota, &role, &somebody, now, &ticket), QUOTA_REFUSE);
	assert_string_equal(ticket.why, "jobs_per_minute");
	/* 60 s / 7 = 8.57 s. */
	assert_int_equal(ticket.retry_after_s, 9);
	assert_int_equal(quota_ask(quota, &role, &somebody, now + 8571, &ticket), QUOTA_REFUSE);
	assert_int_equal(ticket.retry_after_s, 1);
	assert_int_equal(quota_ask(quota, &role, &somebody, now + 8572, &ticket), QUOTA_RUN);
	assert_int_equal(quota_ask(quota, &role, &somebody, now + 8573, &ticket), QUOTA_REFUSE);
	/* A clock that stands or goes back gives nothing. */
	assert_int_equal(quota_ask(quota, &role, &somebody, 0, &ticket), QUOTA_REFUSE);
	/* No more than a minute's worth is saved up. */
	now += 86400000;
	size_t count = 0;
	while (quota_ask(quota, &role, &somebody, now, &ticket) == QUOTA_RUN)
		count++;
	assert_int_equal(count, 7);
	/* Over ten minutes, asked each ms, exactly 70 more. */
	for (uint64_t ms = 1; ms <= 600000; ms++)
		if (quota_ask(quota, &role, &somebody, now + ms, &ticket) == QUOTA_RUN)
			count++;
	assert_int_equal(count, 77);
	quota_free(quota);
}

static void roles_take_turns(void **state)
{
	(void)state;
	struct quota *quota = quota_of(1);
	struct role roles[3] = {role_of("a"), role_of("b"), role_of("c")};
	struct quota_ticket ticket, running;
	uint64_t ids[3][8];
	for (size_t i = 0; i < 3; i++)
		roles[i].queue_max = 8;
	assert_int_equal(quota_ask(quota, &roles[0], &somebody, 0, &running), QUOTA_RUN);
	/* One role floods the queue before the others come. */
	for (size_t i = 0; i < 3; i++)
		for (size_t j = 0; j < (i ? 2u : 8u); j++) {
			assert_int_equal(
				quota_ask(quota, &roles[i], &somebody, 0, &ticket), QUOTA_QUEUE);
			ids[i][j] = ticket.id;
		}
	uint64_t last = running.id, order[12];
	for (size_t i = 0; i < 12; i++) {
		assert_int_equal(quota_next(quota, 0), 0);
		quota_done(quota, last, 0);
		last = order[i] = quota_next(quota, 0);
		assert_int_not_equal(last, 0);
	}
	/* b and c are both served before a's second, and again. */
	for (size_t round = 0; round < 2; round++) {
		bool b = false, c = false;
		for (size_t i = 3 * round; i < 3 * round + 3; i++) {
			b |= order[i] == ids[1][round];
			c |= order[i] == ids[2][round];
		}
		assert_true(b && c);
	}
	for (size_t i = 7; i < 12; i++)
		assert_int_equal(order[i], ids[0][i - 4]);
	quota_done(quota, last, 0);
	assert_int_equal(quota_count(quota, NULL).running, 0);
	quota_free(quota);
}

static void one_role_does_not_block_another(void **state)
{
	(void)state;
	struct quota *quota = quota_of(10);
	struct role a = role_of("a"), b = role_of("b");
	struct quota_ticket ticket;
	a.jobs_at_once = 1;
	assert_int_equal(quota_ask(quota, &a, &somebody, 0, &ticket), QUOTA_RUN);
	assert_int_equal(quota_ask(quota, &a, &somebody, 0, &ticket), QUOTA_QUEUE);
	assert_int_equal(quota_ask(quota, &b, &somebody, 0, &ticket), QUOTA_RUN);
	assert_int_equal(quota_next(quota, 0), 0);
	quota_free(quota);
}

static void one_of_several_roles_leaves_places(void **state)
{
	(void)state;
	struct quota *quota = quota_of(4);
	struct role roles[] = {role_of("a"), role_of("b")};
	struct quota_ticket ticket, waiting;
	roles[0].jobs_at_once = roles[1].jobs_at_once = 16;
	quota_reload(quota, roles, 2);
	for (int i = 0; i < 3; i++)
		assert_int_equal(quota_ask(quota, &roles[0], &somebody, 0, &ticket), QUOTA_RUN);
	assert_int_equal(quota_ask(quota, &roles[0], &somebody, 0, &waiting), QUOTA_QUEUE);
	assert_int_equal(quota_ask(quota, &roles[1], &somebody, 0, &ticket), QUOTA_RUN);
	assert_int_equal(quota_next(quota, 0), 0);
	/* Alone it may have them all. */
	quota_done(quota, ticket.id, 0);
	quota_reload(quota, roles, 1);
	assert_int_equal(quota_next(quota, 0), waiting.id);
	quota_free(quota);
}

static void counts_survive_a_reload(void **state)
{
	(void)state;
	struct quota *quota = quota_of(10);
	struct role role = role_of("a"), gone = role_of("gone");
	struct quota_ticket first, second, waiting, left;
	assert_int_equal(quota_ask(quota, &role, &somebody, 0, &first), QUOTA_RUN);
	assert_int_equal(quota_ask(quota, &role, &somebody, 0, &second), QUOTA_RUN);
	assert_int_equal(quota_ask(quota, &role, &somebody, 0, &waiting), QUOTA_QUEUE);
	assert_int_equal(quota_ask(quota, &gone, &somebody, 0, &left), QUOTA_RUN);
	role.jobs_at_once = 3;
	quota_reload(quota, &role, 1);
	assert_int_equal(quota_next(quota, 0), waiting.id);
	assert_int_equal(quota_count(quota, "a").running, 3);
	role.jobs_at_once = 1;
	quota_reload(quota, &role, 1);
	assert_int_equal(quota_count(quota, "gone").running, 1);
	quota_done(quota, left.id, 0);
	quota_reload(quota, &role, 1);
	assert_int_equal(quota_ask(quota, &role, &somebody, 0, &waiting), QUOTA_QUEUE);
	quota_done(quota, first.id, 0);
	quota_done(quota, second.id, 0);
	assert_int_equal(quota_next(quota, 0), 0);
	quota_free(quota);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tools_are_the_roles),
		cmocka_unit_test(limits_are_only_tightened),
		cmocka_unit_test(sessions_need_leave),
		cmocka_unit_test(files_below_a_root_open),
		cmocka_unit_test(the_rest_is_not_there),
		cmocka_unit_test(callers_of_a_role_take_turns),
		cmocka_unit_test(without_a_queue_nobody_waits),
		cmocka_unit_test(the_time_to_wait_is_that_of_the_jobs),
		cmocka_unit_test(jobs_at_once_then_a_queue_then_no_more),
		cmocka_unit_test(a_minute_has_so_many),
		cmocka_unit_test(roles_take_turns),
		cmocka_unit_test(one_role_does_not_block_another),
		cmocka_unit_test(one_of_several_roles_leaves_places),
		cmocka_unit_test(counts_survive_a_reload),
	};
	return cmocka_run_group_tests_name("tool_role", tests, make_tree, temp_folder_remove);
}

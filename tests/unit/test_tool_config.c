/* config: what a file may say, each fault with its line and its fix, file roots, tokens, reload. */
#include "check.h"

#include "tool/config.h"

#include <sodium.h>
#include <sys/stat.h>

static char folder[64], path[100];

static int make_folder(void **state)
{
	(void)state;
	(void)snprintf(folder, sizeof(folder), "/tmp/brig-config-XXXXXX");
	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/brig.ini", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	(void)unlink(path);
	return rmdir(folder);
}

static void write_text(const char *where, const char *text, mode_t mode)
{
	(void)unlink(where);
	int fd = open(where, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	(void)close(fd);
}

static struct config *load(const char *text)
{
	struct config *config = NULL;
	struct err err = {0};
	write_text(path, text, 0600);
	if (config_load(path, &config, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	return config;
}

/* The first fault of a text stands at the line and says this. */
static void assert_fault(const char *text, int line, const char *words)
{
	struct config *config = NULL;
	struct err err = {0};
	char place[128];
	write_text(path, text, 0600);
	int rc = config_load(path, &config, &err);
	if (rc != -EINVAL)
		fail_msg("%s: %d instead of a fault", text, rc);
	assert_null(config);
	(void)snprintf(place, sizeof(place), "%s:%d: ", path, line);
	if (strncmp(err.text, place, strlen(place)) != 0 || !strstr(err.text, words))
		fail_msg("%s\n%s\nnot line %d with: %s", text, err.text, line, words);
}

#define HASH "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define HASH2 "BBbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static void a_full_file_is_read(void **state)
{
	(void)state;
	char text[4096];
	char root[200];
	(void)snprintf(root, sizeof(root), "%s/reports", folder);
	assert_int_equal(mkdir(root, 0755), 0);
	(void)snprintf(text, sizeof(text),
		"\xef\xbb\xbf# a comment\n"
		"[server]\n"
		"listen = [::1]:0\r\n"
		"socket = /run/x.sock ; a comment\n"
		"hosts = a.example, b.example:8080\n"
		"origins = https://app.example\n"
		"body_max = 1M\n"
		"idle_timeout = 1.5s\n"
		"[token ci]\n"
		"role = research\n"
		"sha256 = " HASH "\n"
		"[role research]\n"
		"tools = calculate,run_sandboxed\n"
		"image: science\n"
		"tier = cell\n"
		"isolate = yes\n"
		"sessions = yes\n"
		"sessions_max = 5\n"
		"session_idle = 2m\n"
		"session_life = 30m\n"
		"audit = yes\n"
		"file_root reports = %s\n"
		"wall_max = 60s\n"
		"cpu_max = 5s\n"
		"memory_max = 1G\n"
		"output_max = 1M\n"
		"jobs_at_once = 3\n"
		"jobs_per_minute = 30\n"
		"queue_max = 0\n"
		"[role billing]\n"
		"tools = calculate\n"
		"[service]\n"
		"allow_degraded = memory, pids\n"
		"cells_max = 9\n"
		"silence_max = 45s\n"
		"[audit]\n"
		"db = /var/lib/brig/a.db\n"
		"durability = power\n"
		"retention_days = 2\n"
		"retention_bytes = 1G\n"
		"head_interval = 5m\n"
		"[token app]\n"
		"sha256 = " HASH2 "\n"
		"role = billing",
		root);
	struct config *config = load(text);
	assert_string_equal(config->server.listen, "[::1]:0");
	assert_string_equal(config->server.socket, "/run/x.sock");
	assert_int_equal(config->server.host_count, 2);
	assert_string_equal(config->server.hosts[1], "b.example:8080");
	assert_string_equal(config->server.origins[0], "https://app.example");
	assert_int_equal(config->server.body_bytes_max, 1 << 20);
	assert_int_equal(config->server.idle_timeout_ms, 1500);
	assert_int_equal(config->service.allow_degraded, 1u << LAYER_MEMORY | 1u << LAYER_PIDS);
	assert_int_equal(config->service.cells_max, 9);
	assert_int_equal(config->service.silence_max_ms, 45000);
	assert_string_equal(config->audit.db, "/var/lib/brig/a.db");
	assert_true(config->audit.power);
	assert_int_equal(config->audit.retention_ms, 2 * 86400000ull);
	assert_int_equal(config->audit.head_ms, 300000);
	const struct role *research = config_role(config, "research");
	const struct role *billing = config_role(config, "billing");
	assert_int_equal(research->tools, ROLE_CALCULATE | ROLE_RUN_SANDBOXED);
	assert_int_equal(billing->tools, ROLE_CALCULATE);
	assert_string_equal(research->image, "science");
	assert_true(research->sessions && research->isolate && research->audit);
	assert_int_equal(research->sessions_max, 5);
	assert_int_equal(research->session_idle_ms, 120000);
	assert_int_equal(research->session_life_ms, 1800000);
	assert_int_equal(research->root_count, 1);
	assert_string_equal(research->roots[0].name, "reports");
	assert_string_equal(research->roots[0].path, root);
	assert_int_equal(research->limits_max.wall_ms, 60000);
	assert_int_equal(research->limits_default.wall_ms, 30000);
	assert_int_equal(research->limits_default.cpu_ms, 5000);
	assert_int_equal(research->limits_max.memory_bytes, 1 << 30);
	assert_int_equal(research->limits_default.memory_bytes, 512 << 20);
	assert_int_equal(research->jobs_per_minute, 30);
	assert_int_equal(research->queue_max, 0);
	assert_int_equal(billing->limits_max.wall_ms, 30000);
	assert_null(config_role(config, "local"));
	assert_true(config_runs_code(config));
	assert_int_equal(config->token_count, 2);
	assert_ptr_equal(config->tokens[0].role, research);
	assert_ptr_equal(config->tokens[1].role, billing);
	config_unref(config_ref(config));
	config_unref(config);
	assert_int_equal(rmdir(root), 0);
}

static void without_a_file_local_has_both(void **state)
{
	(void)state;
	struct config *config;
	assert_int_equal(config_default(&config, NULL), 0);
	const struct role *local = config_role(config, "local");
	assert_int_equal(local->tools, ROLE_CALCULATE | ROLE_RUN_SANDBOXED);
	assert_int_equal(local->limits_max.wall_ms, LIMIT_WALL_MS_MAX);
	assert_int_equal(local->limits_default.wall_ms, 30000);
	assert_true(local->sessions);
	assert_int_equal(local->sessions_max, 24);
	assert_int_equal(config->token_count, 0);
	assert_null(config->path);
	config_unref(config);
	config_unref(NULL);
}

static void faults_name_line_and_fix(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int line;
		const char *words;
	} cases[] = {
		{"", 0, "no role"},
		{"tools = calculate\n", 1, "before the first section"},
		{"[rol x]\n", 1, "did you mean [role NAME]"},
		{"[serve]\n", 1, "did you mean [server]"},
		{"[zzzzzzzzzzz]\n", 1, "unknown section"},
		{"[role]\n", 1, "needs a name"},
		{"[]\n", 1, "without a name"},
		{"[role a b]\n", 1, "one name"},
		{"[server x]\n", 1, "no name"},
		{"[role ../x]\n", 1, "a role's name is"},
		{"[role aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]\n", 1, "a role's name is 1 to 32"},
		{"[role a] tools = calculate\n", 1, "stands alone"},
		{"[role a\ntools = calculate\n", 1, "stands alone"},
		{"[role a]\ntools = calculate\n[role a]\n", 3, "a second [role a]"},
		{"[audit]\n[audit]\n", 2, "a second [audit]"},
		{"[role a]\ntool = calculate\n", 2, "did you mean tools?"},
		{"[role a]\nzzzzzzzzzzzz = 1\n", 2, "see etc/brig.ini"},
		{"[role a]\ntools calculate\n", 2, "neither [section] nor key"},
		{"[role a]\ntools = calculate\ntools = calculate\n", 3, "tools is given twice"},
		{"[role a]\ntools =\n", 2, "tools has no value"},
		{"[role a]\ntools = calculate,\n", 2, "without an empty place"},
		{"[role a]\ntools = calculat\n", 2, "did you mean calculate"},
		{"[role a]\n", 1, "has no tools"},
		{"[role a]\ntools = calculate\n  image = x\n", 3, "begins with a blank"},
		{"[role a]\ntools = calculate\nwall_max = 400s\n", 3, "at most 300 s"},
		{"[role a]\ntools = calculate\nwall_max = 0s\n", 3, "at least 1 ms"},
		{"[role a]\ntools = calculate\nwall_max = 60\n", 3, "as in wall_max = 60s"},
		{"[role a]\ntools = calculate\nwall_max = 60s # x\n", 3, "is a duration"},
		{"[role a]\ntools = calculate\nmemory_max = 9G\n", 3, "from 64 MiB to 8 GiB"},
		{"[role a]\ntools = calculate\nmemory_max = 1M\n", 3, "from 64 MiB to 8 GiB"},
		{"[role a]\ntools = calculate\nmemory_max = lots\n", 3, "as in memory_max = 512M"},
		{"[role a]\ntools = calculate\ntier = gvisor\n", 3, "planned"},
		{"[role a]\ntools = calculate\ntier = microvm\n", 3, "planned"},
		{"[role a]\ntools = calculate\ntier = x\n", 3, "tier is cell"},
		{"[role a]\ntools = calculate\nsessions = true\n", 3, "yes or no"},
		{"[role a]\ntools = calculate\nisolate = session\n", 3, "isolate"},
		{"[role a]\ntools = calculate\nsessions = yes\nsession_idle = 120m\n", 1,
			"above its session_life (3600 s)"},
		{"[role a]\ntools = calculate\nsession_life = 5m\nsession_idle = 6m\n", 1,
			"lower the one or raise the other"},
		{"[role a]\ntools = calculate\nallow_degraded = pids\n", 3, "move it to [service]"},
		{"[role a]\ntools = calculate\nimage = ../x\n", 3, "image is"},
		{"[role a]\ntools = calculate\njobs_at_once = 0\n", 3, "from 1 to 1024"},
		{"[role a]\ntools = calculate\njobs_at_once = 99999999999\n", 3, "from 1 to 1024"},
		{"[role a]\ntools = calculate\njobs_at_once = -1\n", 3, "from 1 to 1024"},
		{"[role a]\ntools = calculate\nfile_root = /srv\n", 3, "write file_root NAME"},
		{"[role a]\ntools = calculate\nfile_root x = srv\n", 3, "a path from the root"},
		{"[role a]\ntools = calculate\ntools x = calculate\n", 3, "takes no name"},
		{"[service]\nsilence_max = 4s\n", 2, "at least 5s"},
		{"[token t]\nrole = a\nsha256 = abc\n", 3, "64 hexadecimal digits"},
		{"[token t]\nsha256 = "
		 "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n",
			2, "empty token"},
		{"[token t]\nrole = a\n", 1, "has no sha256"},
		{"[token t]\nsha256 = " HASH "\n", 1, "has no role"},
		{"[token t]\nsha256 = " HASH "\nrole = b\n[role a]\ntools = calculate\n", 1,
			"add [role b]"},
		{"[role a]\ntools = calculate\n[token t]\nsha256 = " HASH
		 "\nrole = a\n[token u]\nsha256 = " HASH "\nrole = a\n",
			6, "has the sha256 of [token t]"},
		{"[token t]\n[token t]\n", 2, "a second [token t]"},
		{"[server]\nlisten = 8080\n", 2, "listen is ADDRESS:PORT"},
		{"[server]\nlisten = example.com:80\n", 2, "listen is ADDRESS:PORT"},
		{"[server]\nlisten = 127.0.0.1:99999\n", 2, "listen is ADDRESS:PORT"},
		{"[server]\nlisten = [::1:80\n", 2, "listen is ADDRESS:PORT"},
		{"[server]\nuser = root\n", 2, "not root"},
		{"[server]\norigins = app.example\n", 2, "as a browser sends them"},
		{"[server]\nhosts = http://x\n", 2, "without http://"},
		{"[server]\nsocket = x.sock\n", 2, "a path from the root"},
		{"[server]\npublic_url = https://x/y\n", 2, "without a path"},
		{"[service]\nallow_degraded = memry\n", 2, "did you mean memory"},
		{"[audit]\ndurability = disk\n", 2, "process"},
		{"[audit]\nretention_days = 0\n", 2, "from 1 to 36500"},
		{"[audit]\nretention_bytes = 1K\n", 2, "from 1 MiB"},
		{"[audit]\nredact_file = /nonexistent/x\n", 2, "No such file"},
		{"[audit]\ndata_base = /x\n", 2, "has no key 'data_base'"},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_fault(cases[i].text, cases[i].line, cases[i].words);
}

/* A life that is shorter than the usual idling needs no second line. */
static void idling_ends_with_life(void **state)
{
	(void)state;
	struct config *config =
		load("[server]\nsocket = none\n[role a]\ntools = calculate\nsession_life = 5m\n");
	assert_int_equal(config_role(config, "a")->session_idle_ms, 5 * 60 * 1000);
	assert_string_equal(config->server.socket, "none");
	config_unref(config);
}

static void long_lines_and_odd_bytes_are_refused(void **state)
{
	(void)state;
	char text[1000];
	int length = snprintf(text, sizeof(text), "[role a]\ntools = calculate\nimage = ");
	memset(text + length, 'x', 300);
	(void)snprintf(text + length + 300, 10, "\n");
	assert_fault(text, 3, "a line of more than");
	struct config *config = NULL;
	struct err err = {0};
	write_text(path, "[role a]\ntools = \xff\n", 0600);
	assert_int_equal(config_load(path, &config, &err), -EINVAL);
	assert_non_null(strstr(err.text, "UTF-8"));
	assert_int_equal(config_load("/nonexistent.ini", &config, &err), -ENOENT);
	assert_int_equal(config_load("/", &config, &err), -EINVAL);
	assert_null(config);
}

/* A role with one root at `where`: good, or a fault with these words. */
static void try_root(const char *where, const char *words)
{
	char text[600];
	(void)snprintf(text, sizeof(text),
		"[role a]\ntools = run_sandboxed\nfile_root x = %s\n[audit]\ndb = %s/audit.db\n",
		where, folder);
	if (words)
		assert_fault(text, 3, words);
	else
		config_unref(load(text));
}

static void roots_keep_off_the_host(void **state)
{
	(void)state;
	static const char *const bad[] = {"/", "/etc", "/etc/ssl", "/proc", "/proc/1", "/sys",
		"/sys/kernel", "/dev", "/dev/shm", "/root", "//", "/./", "/etc/../etc",
		"/srv/../root", "/usr/../"};
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct stat status;
		if (stat(bad[i], &status) == 0)
			try_root(bad[i], "name a folder of its own");
	}
	try_root("/nonexistent/folder", "make the folder first");
	try_root(path, "is no folder");
	/* The folder above the audit log contains it; one beside it does not. */
	try_root(folder, "contains the audit log");
	char good[128], link[128], below[160];
	(void)snprintf(good, sizeof(good), "%s/files", folder);
	(void)snprintf(link, sizeof(link), "%s/link", folder);
	(void)snprintf(below, sizeof(below), "%s/below", good);
	assert_int_equal(mkdir(good, 0755), 0);
	assert_int_equal(mkdir(below, 0755), 0);
	try_root(good, NULL);
	try_root(below, NULL);
	/* A link is followed before it is judged. */
	assert_int_equal(symlink("/etc", link), 0);
	try_root(link, "/etc is the system's");
	(void)unlink(link);
	assert_int_equal(symlink(good, link), 0);
	char text[600];
	(void)snprintf(
		text, sizeof(text), "[role a]\ntools = run_sandboxed\nfile_root x = %s\n", link);
	struct config *config = load(text);
	assert_string_equal(config->roles[0].roots[0].path, good);
	config_unref(config);
	/* HOME, wherever it is. */
	char *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
	assert_int_equal(setenv("HOME", below, 1), 0);
	try_root(below, "is a home directory");
	try_root(good, "contains a home directory");
	if (home)
		assert_int_equal(setenv("HOME", home, 1), 0);
	free(home);
	(void)unlink(link);
	assert_int_equal(rmdir(below), 0);
	assert_int_equal(rmdir(good), 0);
}

static void exact_values_come_from_a_file(void **state)
{
	(void)state;
	char values[128], text[400];
	(void)snprintf(values, sizeof(values), "%s/values", folder);
	(void)snprintf(text, sizeof(text),
		"[role a]\ntools = calculate\n[audit]\nredact_file = %s\n", values);
	write_text(values, "first-value\r\n\nsecond value\nthird-value", 0600);
	struct config *config = load(text);
	assert_int_equal(config->audit.redact_value_count, 3);
	assert_true(span_is(config->audit.redact_values[0], "first-value"));
	assert_true(span_is(config->audit.redact_values[1], "second value"));
	assert_true(span_is(config->audit.redact_values[2], "third-value"));
	config_unref(config);
	write_text(values, "first-value\nabc\n", 0600);
	assert_fault(text, 4, "line 2 has 3 bytes");
	write_text(values, "first-value\n", 0644);
	assert_fault(text, 4, "chmod 640");
	(void)unlink(values);
	assert_int_equal(mkfifo(values, 0600), 0);
	assert_fault(text, 4, "no regular file");
	(void)unlink(values);
}

static void tokens_are_known_by_hash_alone(void **state)
{
	(void)state;
	char token[TOKEN_TEXT_BYTES], other[TOKEN_TEXT_BYTES], sha256[65], other_sha256[65];
	char text[512];
	assert_int_equal(token_make(token, sha256), 0);
	assert_int_equal(token_make(other, other_sha256), 0);
	assert_string_not_equal(token, other);
	assert_int_equal(strncmp(token, "brig_", 5), 0);
	assert_int_equal(strlen(token), 5 + 43);
	(void)snprintf(text, sizeof(text),
		"[role a]\ntools = calculate\n[role b]\ntools = calculate\n"
		"[token one]\nsha256 = %s\nrole = a\n[token two]\nsha256 = %s\nrole = b\n",
		sha256, other_sha256);
	struct config *config = load(text);
	const struct token *found = config_token(config, span_text(token));
	assert_string_equal(found->name, "one");
	assert_string_equal(found->role->name, "a");
	assert_string_equal(config_token(config, span_text(other))->name, "two");
	token[10] ^= 1;
	assert_null(config_token(config, span_text(token)));
	assert_null(config_token(config, span_text("")));
	assert_null(config_token(config, span_text(sha256)));
	char *big = malloc(TOKEN_BYTES_MAX + 1);
	assert_non_null(big);
	memset(big, 'x', TOKEN_BYTES_MAX + 1);
	assert_null(config_token(config, span_of(big, TOKEN_BYTES_MAX + 1)));
	free(big);
	config_unref(config);
}

static void check_prints_every_fault(void **state)
{
	(void)state;
	char *text = NULL;
	size_t bytes = 0;
	write_text(path,
		"[role a]\ntools = x\nwall_max = 1\n[role b]\n[token t]\nsha256 = zz\nrole = c\n",
		0600);
	FILE *out = open_memstream(&text, &bytes);
	assert_int_equal(config_check_print(path, out), 2);
	assert_int_equal(fclose(out), 0);
	char wanted[64];
	static const int lines[] = {2, 3, 6, 4, 5};
	size_t count = 0;
	for (const char *at = text; *at; at = strchr(at, '\n') + 1, count++) {
		assert_true(count < COUNT(lines));
		(void)snprintf(wanted, sizeof(wanted), "brig.ini:%d: ", lines[count]);
		if (!strstr(at, wanted) || strstr(at, wanted) > strchr(at, '\n'))
			fail_msg("%zu: %s", count, at);
	}
	assert_int_equal(count, COUNT(lines));
	free(text);
	write_text(path, "[role a]\ntools = calculate\n", 0600);
	out = open_memstream(&text, &bytes);
	assert_int_equal(config_check_print(path, out), 0);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(text, "good: 1 role, 0 tokens"));
	free(text);
	assert_int_equal(config_check_print("/nonexistent", stderr), 2);
}

static void the_sample_is_good(void **state)
{
	(void)state;
	struct config *config = NULL;
	struct err err = {0};
	if (config_load("etc/brig.ini", &config, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(
		config_role(config, "research")->tools, ROLE_CALCULATE | ROLE_RUN_SANDBOXED);
	assert_int_equal(config_role(config, "billing")->tools, ROLE_CALCULATE);
	assert_null(config_role(config, "local"));
	config_unref(config);
	/* With every comment that is a key made one, each key that there is stands in it. */
	FILE *sample = fopen("etc/brig.ini", "re");
	FILE *all = fopen(path, "we");
	char line[256];
	assert_non_null(sample);
	assert_non_null(all);
	while (fgets(line, sizeof(line), sample)) {
		bool key = line[0] == '#' && line[1] == ' ' && strstr(line, " = ") &&
			   !strchr(line, '/') && !strchr(line, ':') && !strchr(line, ',') &&
			   !strstr(line, "digits") && !strstr(line, "role = ");
		assert_true(fputs(key ? line + 2 : line, all) >= 0);
	}
	assert_int_equal(fclose(sample), 0);
	assert_int_equal(fclose(all), 0);
	if (config_load(path, &config, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(config_role(config, "research")->image, "default");
	config_unref(config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_file_is_read),
		cmocka_unit_test(without_a_file_local_has_both),
		cmocka_unit_test(faults_name_line_and_fix),
		cmocka_unit_test(idling_ends_with_life),
		cmocka_unit_test(long_lines_and_odd_bytes_are_refused),
		cmocka_unit_test(roots_keep_off_the_host),
		cmocka_unit_test(exact_values_come_from_a_file),
		cmocka_unit_test(tokens_are_known_by_hash_alone),
		cmocka_unit_test(check_prints_every_fault),
		cmocka_unit_test(the_sample_is_good),
	};
	if (sodium_init() < 0)
		return 1;
	return cmocka_run_group_tests_name("tool_config", tests, make_folder, remove_folder);
}

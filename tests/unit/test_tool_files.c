/* artifact_out and input: names that mean harm, files that change or are none, full disks. */
#include "sample_result.h"
#include "temp_folder.h"

#include "tool/artifact_out.h"
#include "tool/input.h"

#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

static int open_folder(const char *name)
{
	struct err err = {0};
	int fd = -1;
	assert_int_equal(artifact_out_open(temp_path(name), &fd, &err), 0);
	return fd;
}

static int copy(int folder_fd, struct span name, const char *data, struct err *err)
{
	int fd = check_memfd(data, strlen(data));
	int rc = artifact_out_copy(folder_fd, name, fd, strlen(data), err);
	(void)close(fd);
	return rc;
}

static void makes_folders_and_replaces_files(void **state)
{
	(void)state;
	size_t before = check_fds();
	struct err err = {0};
	int folder_fd = open_folder("a/b//c/");
	assert_int_equal(copy(folder_fd, span_text("x.txt"), "one", &err), 0);
	assert_string_equal(temp_read("a/b/c/x.txt"), "one");
	assert_int_equal(copy(folder_fd, span_text("x.txt"), "two", &err), 0);
	assert_string_equal(temp_read("a/b/c/x.txt"), "two");
	assert_int_equal(copy(folder_fd, span_text("sub/deep/y"), "y", &err), 0);
	assert_int_equal(copy(folder_fd, span_text("sub/deep/z"), "", &err), 0);
	assert_string_equal(temp_read("a/b/c/sub/deep/y"), "y");
	assert_string_equal(temp_read("a/b/c/sub/deep/z"), "");
	/* Bytes that are no text are a name like any other. */
	assert_int_equal(copy(folder_fd, span_text("odd\n\xff\x1b"), "o", &err), 0);
	assert_string_equal(temp_read("a/b/c/odd\n\xff\x1b"), "o");
	assert_int_equal(temp_count("a/b/c"), 3);
	(void)close(folder_fd);
	assert_int_equal(check_fds(), before);
}

static void names_that_lead_out(void **state)
{
	(void)state;
	size_t before = check_fds();
	char large[400], deep[64] = "d";
	memset(large, 'l', sizeof(large));
	for (unsigned i = 0; i < LIMIT_ARTIFACT_DEPTH; i++)
		(void)strcat(deep, "/d");
	const struct span names[] = {
		span_text(""),
		span_text("."),
		span_text(".."),
		span_text("/etc/passwd"),
		span_text("../out"),
		span_text("a/../../out"),
		span_text("a//b"),
		span_text("a/"),
		span_text("a/./b"),
		span_of("a\0b", 3),
		span_of(large, 256),
		span_text(deep),
	};
	int folder_fd = open_folder("names");
	for (size_t i = 0; i < COUNT(names); i++) {
		struct err err = {0};
		assert_int_equal(copy(folder_fd, names[i], "x", &err), -EINVAL);
		assert_non_null(strstr(err.text, "is not written"));
	}
	assert_int_equal(temp_count("names"), 0);
	struct err err = {0};
	assert_int_equal(copy(folder_fd, span_of(large, 255), "x", &err), 0);
	assert_int_equal(copy(folder_fd, span_text(deep + 2), "x", &err), 0);
	(void)close(folder_fd);
	assert_int_equal(check_fds(), before);
}

static void links_are_not_followed(void **state)
{
	(void)state;
	struct err err = {0};
	int folder_fd = open_folder("links");
	(void)temp_file("outside", "precious", 8);
	assert_int_equal(symlink("../outside", temp_path("links/file")), 0);
	assert_int_equal(symlink("..", temp_path("links/folder")), 0);
	assert_int_equal(copy(folder_fd, span_text("file"), "new", &err), 0);
	assert_string_equal(temp_read("outside"), "precious");
	assert_string_equal(temp_read("links/file"), "new");
	int rc = copy(folder_fd, span_text("folder/outside"), "bad", &err);
	assert_true(rc == -ELOOP || rc == -ENOTDIR);
	assert_string_equal(temp_read("outside"), "precious");
	(void)close(folder_fd);
}

static void a_failing_copy_leaves_nothing(void **state)
{
	(void)state;
	struct err err = {0};
	int folder_fd = open_folder("fail");
	assert_int_equal(mkdir(temp_path("fail/taken"), 0755), 0);
	assert_int_equal(copy(folder_fd, span_text("taken"), "x", &err), -EISDIR);
	assert_non_null(strstr(err.text, "'taken'"));
	/* A file that is shorter than was said. */
	int fd = check_memfd("abc", 3);
	assert_int_equal(artifact_out_copy(folder_fd, span_text("short"), fd, 4, &err), -ENODATA);
	assert_int_equal(artifact_out_copy(folder_fd, span_text("part"), fd, 2, &err), 0);
	assert_string_equal(temp_read("fail/part"), "ab");
	(void)close(fd);
	/* A FIFO is no file. */
	int fds[2];
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(artifact_out_copy(folder_fd, span_text("p"), fds[0], 1, &err), -EINVAL);
	(void)close(fds[0]);
	(void)close(fds[1]);
	/* The limit of a file's size stands for a disk that is full half way. */
	struct rlimit limit, small = {.rlim_cur = 1000};
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small.rlim_max = limit.rlim_max;
	char large[5000];
	memset(large, 'x', sizeof(large));
	fd = check_memfd(large, sizeof(large));
	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	int rc = artifact_out_copy(folder_fd, span_text("large"), fd, sizeof(large), &err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(rc, -EFBIG);
	(void)close(fd);
	assert_int_equal(temp_count("fail"), 2);
	(void)close(folder_fd);
}

static void a_full_disk_names_the_fix(void **state)
{
	(void)state;
	struct err err = {0};
	assert_int_equal(mkdir(temp_path("full"), 0755), 0);
	if (mount("tmpfs", temp_path("full"), "tmpfs", MS_NOSUID, "size=8k") < 0) {
		print_message("skip: mounting a small tmpfs needs root\n");
		skip();
	}
	char large[65536];
	memset(large, 'x', sizeof(large));
	int folder_fd = open_folder("full"), fd = check_memfd(large, sizeof(large));
	int rc = artifact_out_copy(folder_fd, span_text("large"), fd, sizeof(large), &err);
	size_t left = temp_count("full");
	(void)close(fd);
	(void)close(folder_fd);
	assert_int_equal(umount(temp_path("full")), 0);
	assert_int_equal(rc, -ENOSPC);
	assert_int_equal(left, 0);
	assert_non_null(strstr(err.text, "No space left"));
	assert_non_null(strstr(err.text, "free some space"));
}

static void folders_that_cannot_be_used(void **state)
{
	(void)state;
	struct err err = {0};
	int fd = -1;
	char large[5000];
	(void)temp_file("plain", "x", 1);
	assert_int_equal(artifact_out_check(temp_path("plain"), &err), -ENOTDIR);
	assert_int_equal(artifact_out_check(temp_path("plain/sub"), &err), -ENOTDIR);
	assert_int_equal(artifact_out_open(temp_path("plain"), &fd, &err), -ENOTDIR);
	assert_int_equal(artifact_out_open(temp_path("plain/sub"), &fd, &err), -ENOTDIR);
	assert_int_equal(artifact_out_check("", &err), -EINVAL);
	assert_int_equal(artifact_out_open("", &fd, &err), -EINVAL);
	memset(large, 'a', sizeof(large) - 1);
	large[sizeof(large) - 1] = 0;
	assert_int_equal(artifact_out_check(large, &err), -EINVAL);
	assert_int_equal(artifact_out_check(temp_path("new/and/deep"), &err), 0);
	assert_int_equal(artifact_out_check(temp_folder, &err), 0);
	assert_int_equal(artifact_out_check("new-here", &err), 0);
	assert_int_equal(artifact_out_check("/dev/null/here", &err), -ENOTDIR);
	assert_int_equal(access(temp_path("new"), F_OK), -1);
	assert_int_equal(fd, -1);
}

static void charts_get_names_of_their_own(void **state)
{
	(void)state;
	struct job_result result;
	struct view view;
	struct err err = {0};
	char name[48];
	sample_begin(&result, OUTCOME_OK);
	sample_chart(&result, sample_chart_json, sample_png, SAMPLE_PNG_BYTES);
	sample_chart(&result, sample_chart_json, sample_png, SAMPLE_PNG_BYTES);
	sample_artifact(&result, span_text("chart-1.png"), "mine", 4);
	sample_artifact(&result, span_text("chart-1-2.png"), "mine too", 8);
	assert_int_equal(view_init(&view, &result, "j", NULL), 0);
	artifact_out_chart_name(&view, 0, name);
	assert_string_equal(name, "chart-1-3.png");
	artifact_out_chart_name(&view, 1, name);
	assert_string_equal(name, "chart-2.png");
	int folder_fd = open_folder("charts");
	assert_int_equal(artifact_out_all(folder_fd, &view, &err), 0);
	assert_int_equal(temp_count("charts"), 4);
	assert_string_equal(temp_read("charts/chart-1.png"), "mine");
	assert_memory_equal(temp_read("charts/chart-2.png"), sample_png, 12);
	(void)close(folder_fd);
	view_done(&view);
	job_result_done(&result);
}

static void regular_files_are_passed_on(void **state)
{
	(void)state;
	struct err err = {0};
	uint64_t bytes = 0;
	int fd = -1;
	assert_int_equal(input_open(temp_file("in", "hello", 5), 5, &fd, &bytes, &err), 0);
	assert_int_equal(bytes, 5);
	/* The file itself: a copy would be another one. */
	struct stat passed, there;
	assert_int_equal(fstat(fd, &passed), 0);
	assert_int_equal(stat(temp_path("in"), &there), 0);
	assert_true(passed.st_ino == there.st_ino && passed.st_dev == there.st_dev);
	(void)close(fd);
	assert_int_equal(input_open(temp_path("in"), 4, &fd, &bytes, &err), -E2BIG);
	assert_string_equal(err.text, "larger than 4 bytes; give a smaller one");
	assert_int_equal(input_open(temp_file("none", "", 0), 4, &fd, &bytes, &err), 0);
	assert_int_equal(bytes, 0);
	(void)close(fd);
	assert_int_equal(input_open(temp_path("absent"), 4, &fd, &bytes, &err), -ENOENT);
	assert_int_equal(input_open(temp_folder, 4, &fd, &bytes, &err), -EISDIR);
	assert_non_null(strstr(err.text, "folder"));
}

static void streams_are_copied_and_sealed(void **state)
{
	(void)state;
	size_t before = check_fds();
	struct err err = {0};
	uint64_t bytes = 0;
	char text[8] = "";
	int fds[2], fd = -1;
	for (uint64_t cap = 4; cap <= 5; cap++) {
		assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
		assert_int_equal(write(fds[1], "12345", 5), 5);
		(void)close(fds[1]);
		assert_int_equal(input_copy(fds[0], cap, &fd, &bytes, &err), cap == 5 ? 0 : -E2BIG);
		(void)close(fds[0]);
	}
	assert_int_equal(bytes, 5);
	assert_int_equal(pread(fd, text, 8, 0), 5);
	assert_string_equal(text, "12345");
	assert_int_equal(pwrite(fd, "x", 1, 0), -1);
	assert_int_equal(errno, EPERM);
	(void)close(fd);
	/* An endless device stops at the cap; a file of /proc that claims to be empty is read. */
	assert_int_equal(input_open("/dev/zero", 1 << 20, &fd, &bytes, &err), -E2BIG);
	assert_int_equal(input_open("/proc/self/status", 1 << 20, &fd, &bytes, &err), 0);
	assert_true(bytes > 100);
	(void)close(fd);
	assert_int_equal(input_of_bytes(span_text("abc"), &fd, &err), 0);
	assert_int_equal(pread(fd, text, 8, 0), 3);
	(void)close(fd);
	assert_int_equal(check_fds(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(makes_folders_and_replaces_files),
		cmocka_unit_test(names_that_lead_out),
		cmocka_unit_test(links_are_not_followed),
		cmocka_unit_test(a_failing_copy_leaves_nothing),
		cmocka_unit_test(a_full_disk_names_the_fix),
		cmocka_unit_test(folders_that_cannot_be_used),
		cmocka_unit_test(charts_get_names_of_their_own),
		cmocka_unit_test(regular_files_are_passed_on),
		cmocka_unit_test(streams_are_copied_and_sealed),
	};
	return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}

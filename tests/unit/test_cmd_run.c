/* brig run, all of it but the cell: a scripted service answers in place of one. */
#include "fake_service.h"
#include "temp_folder.h"

#include "cmd/run.h"

#include <jansson.h>
#include <signal.h>

#define WORDS_MAX 80

struct call {
	void (*play)(struct fake *fake);
	const char *connect_fault; /* in place of a service */
	const char *in;		   /* standard input; NULL is /dev/null */
	bool closed_out;	   /* nobody reads standard output */
	int argc;
	char *argv[WORDS_MAX];
};

static pid_t fake_pid;
static int fake_channel_fd;

static int connect_fake(void *user, const struct run_options *options, int *ret_fd, struct err *err)
{
	const struct call *call = user;
	(void)options;
	(void)temp_file("started", "yes", 3);
	if (call->connect_fault)
		return err_set(err, -ENOTSUP, "launch", "%s", call->connect_fault);
	fake_pid = fake_start(call->play, &fake_channel_fd);
	*ret_fd = fcntl(fake_channel_fd, F_DUPFD_CLOEXEC, 0);
	fd_close(&fake_channel_fd);
	return 0;
}

static void release_fake(void *user)
{
	int status;
	(void)user;
	if (fake_pid && (waitpid(fake_pid, &status, 0) != fake_pid || status != 0))
		_exit(99);
}

static void redirect(int to, const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0644);
	if (fd < 0 || dup2(fd, to) < 0)
		_exit(98);
}

static void call_with(struct call *call, const char *word)
{
	assert_true(call->argc < WORDS_MAX);
	call->argv[call->argc++] = strdup(word);
}

/* Words parted by spaces; a '_' in one stands for a space. */
static struct call call_of(const char *words)
{
	struct call call = {.argc = 0};
	char line[1024];
	call_with(&call, "run");
	(void)snprintf(line, sizeof(line), "%s", words);
	for (char *rest = NULL, *word = strtok_r(line, " ", &rest); word;
		word = strtok_r(NULL, " ", &rest)) {
		for (char *at = strchr(word, '_'); at; at = strchr(at, '_'))
			*at = ' ';
		call_with(&call, word);
	}
	return call;
}

static pid_t start(struct call *call)
{
	(void)unlink(temp_path("started"));
	(void)temp_file("in", call->in ? call->in : "", call->in ? strlen(call->in) : 0);
	(void)temp_file("out", "", 0);
	(void)fflush(NULL);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid)
		return pid;
	const struct run_channel channel = {
		.connect = connect_fake, .release = release_fake, .user = call};
	int fds[2];
	redirect(STDIN_FILENO, temp_path("in"), O_RDONLY);
	redirect(STDERR_FILENO, temp_path("err"), O_WRONLY | O_CREAT | O_TRUNC);
	redirect(STDOUT_FILENO, temp_path("out"), O_WRONLY | O_CREAT | O_TRUNC);
	if (call->closed_out && (pipe(fds) || dup2(fds[1], STDOUT_FILENO) < 0 || close(fds[0])))
		_exit(97);
	if (chdir(temp_folder) < 0)
		_exit(96);
	_exit(run_with(&channel, call->argc, call->argv));
}

static int finish(struct call *call, pid_t pid)
{
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	while (call->argc)
		free(call->argv[--call->argc]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* The exit status; output lies in "out" and "err" of the temporary folder. */
static int run(struct call call)
{
	return finish(&call, start(&call));
}

static int run_words(void (*play)(struct fake *), const char *words)
{
	struct call call = call_of(words);
	call.play = play;
	return run(call);
}

static json_t *read_object(void)
{
	const char *path = temp_path("out");
	json_error_t error;
	json_t *object = json_load_file(path, JSON_ALLOW_NUL, &error);
	assert_non_null(object);
	return object;
}

static void play_ok(struct fake *fake)
{
	fake_answer_outcome(fake, OUTCOME_OK, 0);
}

static void play_full(struct fake *fake)
{
	struct job_result result;
	fake_require(fake->spec.stream && !fake->spec.receipt);
	fake_print(fake, "printed without end of line");
	fake_say(fake, CHANNEL_STDERR, "warned", 6);
	sample_full(&result);
	result.receipt.present = false;
	fake_answer(fake, &result);
}

static void output_values_and_notices(void **state)
{
	(void)state;
	assert_int_equal(run_words(play_full, "-c x"), 1);
	assert_string_equal(
		temp_read("out"), "printed without end of line\n   a\n0  1\n1  2\n42\n");
	assert_string_equal(temp_read("err"),
		"warned\n"
		"KeyError: 'x' (line 3)\n"
		"chart 1 (png, 2 × 2) \"T\": dots\n"
		"note: a note\n"
		"left out: link: not a regular file\n"
		"outcome: error\nhint: look at the columns\n"
		"file out/data.csv (8 bytes)\nfile empty (0 bytes)\n"
		"files and charts are not kept; --out DIR keeps them\n");
}

static void play_json(struct fake *fake)
{
	struct job_result result;
	fake_require(!fake->spec.stream && fake->spec.receipt);
	sample_full(&result);
	fake_answer(fake, &result);
}

static void json_is_one_line(void **state)
{
	(void)state;
	assert_int_equal(run_words(play_json, "-c x --json --receipt"), 1);
	assert_string_equal(temp_read("err"), "");
	json_t *object = read_object();
	assert_string_equal(json_string_value(json_object_get(object, "outcome")), "error");
	assert_int_equal(
		json_object_size(json_object_get(json_object_get(object, "receipt"), "layers")),
		LAYER_COUNT);
	assert_int_equal(json_array_size(json_object_get(object, "files")), 2);
	json_decref(object);
	FILE *out = fopen(temp_path("out"), "re");
	int lines = 0, last = 0;
	assert_non_null(out);
	for (int byte = getc(out); byte != EOF; byte = getc(out)) {
		lines += byte == '\n';
		last = byte;
	}
	(void)fclose(out);
	assert_int_equal(lines, 1);
	assert_int_equal(last, '\n');
}

static void play_receipt(struct fake *fake)
{
	struct job_result result;
	sample_begin(&result, OUTCOME_OK);
	result.receipt.present = true;
	(void)strcpy(result.receipt.image, "default sha256:00");
	(void)strcpy(result.receipt.layers[LAYER_UID].detail, "uid 70001");
	fake_answer(fake, &result);
}

static void receipt_as_text(void **state)
{
	(void)state;
	assert_int_equal(run_words(play_receipt, "-c x --receipt"), 0);
	assert_string_equal(temp_read("out"), "");
	assert_non_null(strstr(temp_read("err"), "layer uid: on, uid 70001\n"));
	assert_non_null(strstr(temp_read("err"), "layer speculation: on\n"));
	assert_non_null(strstr(temp_read("err"), "image default sha256:00, kernel "));
}

static enum outcome outcome_to_play;

static void play_outcome(struct fake *fake)
{
	struct job_result result;
	sample_begin(&result, outcome_to_play);
	result.exit_code = outcome_to_play == OUTCOME_EXIT ? 7 : -1;
	result.signal = outcome_to_play == OUTCOME_SIGNAL ? SIGSEGV : 0;
	result.syscall = outcome_to_play == OUTCOME_DENIED ? 101 : -1;
	if (outcome_to_play == OUTCOME_INTERNAL)
		result.fault = (struct err){
			.code = -EPERM, .stage = "landlock", .text = "not allowed: try X"};
	fake_answer(fake, &result);
}

static void exit_statuses(void **state)
{
	(void)state;
	static const struct {
		enum outcome outcome;
		int status;
	} cases[] = {
		{OUTCOME_OK, 0},
		{OUTCOME_ERROR, 1},
		{OUTCOME_EXIT, 7},
		{OUTCOME_SIGNAL, 128 + SIGSEGV},
		{OUTCOME_TIMEOUT_WALL, 124},
		{OUTCOME_TIMEOUT_CPU, 124},
		{OUTCOME_MEMORY, 137},
		{OUTCOME_OUTPUT, 137},
		{OUTCOME_DENIED, 159},
		{OUTCOME_CANCELLED, 130},
		{OUTCOME_INTERNAL, 125},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		outcome_to_play = cases[i].outcome;
		assert_int_equal(run_words(play_outcome, "-c x"), cases[i].status);
		assert_string_equal(temp_read("out"), "");
		assert_int_equal(strstr(temp_read("err"), "hint: ") != NULL, i > 0);
		assert_int_equal(run_words(play_outcome, "-c x --json"), cases[i].status);
	}
	/* The operator reads what failed; the result has an id alone. */
	const char *err = temp_read("err");
	assert_memory_equal(err, "brig: run: fault f", 18);
	assert_non_null(strstr(err, "in landlock: not allowed: try X"));
	assert_null(strstr(temp_read("out"), "landlock"));
}

static void play_inputs(struct fake *fake)
{
	char text[16] = "";
	fake_require(fake->spec.code.len == 7 && memcmp(fake->spec.code.data, "print()", 7) == 0);
	fake_require(fake->spec.input_count == 3);
	fake_require(strcmp(fake->spec.inputs[0].name, "a.csv") == 0);
	fake_require(strcmp(fake->spec.inputs[1].name, "other") == 0);
	fake_require(strcmp(fake->spec.inputs[2].name, "b:c.csv") == 0);
	fake_require(fake->spec.inputs[1].bytes == 3);
	fake_require(pread(fake->spec.inputs[2].fd, text, 8, 0) == 2);
	fake_require(strcmp(text, "bc") == 0);
	fake_require(fake->spec.inputs[0].sha256[0] == 0xba);
	fake_require(fake->spec.stdin_bytes == 5);
	fake_require(pread(fake->spec.stdin_fd, text, 8, 0) == 5);
	fake_require(fake->spec.limits.wall_ms == 1000);
	fake_require(fake->spec.limits.memory_bytes == LIMIT_MEMORY_BYTES_MAX);
	fake_require(fake->spec.chart_format == CHART_SVG && fake->spec.table_csv);
	fake_answer_outcome(fake, OUTCOME_OK, 0);
}

static void inputs_reach_the_service(void **state)
{
	(void)state;
	(void)temp_file("a.csv", "abc", 3);
	(void)temp_file("b:c.csv", "bc", 2);
	/* A mark at the start of a file of code is no code. */
	(void)temp_file("code.py", "\xef\xbb\xbfprint()", 10);
	struct call call = call_of("--file a.csv code.py --file a.csv:other --file b:c.csv "
				   "--stdin - --wall 1s --memory 64G --chart-format svg "
				   "--table-csv");
	call.play = play_inputs;
	call.in = "stdin";
	assert_int_equal(run(call), 0);
	assert_string_equal(temp_read("err"), "");
}

static void play_code_from_stdin(struct fake *fake)
{
	fake_require(fake->spec.code.len == 6 && memcmp(fake->spec.code.data, "1 + 1\n", 6) == 0);
	fake_require(fake->spec.stdin_fd == -1);
	fake_answer_outcome(fake, OUTCOME_OK, 0);
}

static void code_from_standard_input(void **state)
{
	(void)state;
	struct call call = call_of("-");
	call.play = play_code_from_stdin;
	call.in = "1 + 1\n";
	assert_int_equal(run(call), 0);
}

static void play_empty(struct fake *fake)
{
	fake_require(fake->spec.code.len == 0);
	fake_answer_outcome(fake, OUTCOME_OK, 0);
}

static void empty_code_is_code(void **state)
{
	(void)state;
	struct call call = call_of("-c");
	call_with(&call, "");
	call.play = play_empty;
	assert_int_equal(run(call), 0);
	(void)temp_file("empty.py", "", 0);
	assert_int_equal(run_words(play_empty, "empty.py"), 0);
}

/* A fault of the command line: one line, nothing on stdout, nothing started. */
static void refused(const char *words, int status, const char *text)
{
	assert_int_equal(run_words(play_ok, words), status);
	const char *err = temp_read("err");
	assert_memory_equal(err, "brig: run: ", 11);
	if (!strstr(err, text))
		print_message("%s\nin: %s\n", text, err);
	assert_non_null(strstr(err, text));
	assert_ptr_equal(strchr(err, '\n'), err + strlen(err) - 1);
	assert_string_equal(temp_read("out"), "");
	assert_string_equal(temp_read("started"), "!");
}

static void bad_paths_and_flags(void **state)
{
	(void)state;
	(void)mkdir(temp_path("folder"), 0755);
	refused("", 2, "no code");
	refused("--nothing -c x", 2, "unknown flag");
	refused("-c x --session ''", 2, "the id that an earlier run in it printed");
	refused("missing.py", 2, "missing.py: No such file or directory");
	refused("folder", 2, "folder: a folder");
	refused("-c x --file missing.csv", 2, "--file missing.csv: no such file");
	refused("-c x --file missing.csv:name", 2, "--file missing.csv:name: no such file");
	refused("-c x --file folder", 2, "--file folder: a folder");
	refused("-c x --file folder/", 2, "a folder");
	refused("-c x --file :name", 2, "no such file");
	refused("-c x --stdin missing", 2, "--stdin missing: No such file");
	refused("-c x --stdin folder", 2, "a folder");
	if (geteuid() != 0) {
		(void)temp_file("secret", "x", 1);
		assert_int_equal(chmod(temp_path("secret"), 0), 0);
		refused("-c x --file secret", 2, "Permission denied");
	}
}

static void refused_requests(void **state)
{
	(void)state;
	char words[800] = "-c x";
	(void)temp_file("a", "x", 1);
	refused("-c x --file a:b/c", 126, "'b/c' holds a '/'");
	refused("-c x --file a:..", 126, "names a folder");
	refused("-c x --file a:", 126, "name is empty");
	refused("-c x --file a:new\nline", 126, "control character at byte 3");
	refused("-c x --file a:\xff", 126, "not UTF-8");
	refused("-c x --file a --file a", 126, "two files have the name 'a'");
	refused("-c \xff\xfe", 126, "not UTF-8 at byte 0");
	memset(words, 'n', 300);
	(void)memcpy(words, "-c x --file a:", 14);
	words[300] = 0;
	refused(words, 126, "286 bytes, the most is 255");
	struct call call = call_of("-c x");
	for (unsigned i = 0; i < 33; i++) {
		char word[32];
		(void)snprintf(word, sizeof(word), "--file=a:%u", i);
		call_with(&call, word);
	}
	call.play = play_ok;
	assert_int_equal(run(call), 0);
}

static void too_many_files(void **state)
{
	(void)state;
	struct call call = call_of("-c x");
	(void)temp_file("a", "x", 1);
	for (unsigned i = 0; i < 65; i++) {
		char word[32];
		(void)snprintf(word, sizeof(word), "--file=a:%u", i);
		call_with(&call, word);
	}
	call.play = play_ok;
	assert_int_equal(run(call), 126);
	assert_non_null(strstr(temp_read("err"), "more than 64 files"));
	assert_string_equal(temp_read("started"), "!");
}

static void sizes_beyond_their_caps(void **state)
{
	(void)state;
	(void)temp_file("large", "", 0);
	assert_int_equal(truncate(temp_path("large"), LIMIT_CODE_BYTES), 0);
	assert_int_equal(run_words(play_ok, "large"), 0);
	assert_int_equal(truncate(temp_path("large"), LIMIT_CODE_BYTES + 1), 0);
	refused("large", 126, "the code is larger than 1024 KiB");
	assert_int_equal(truncate(temp_path("large"), LIMIT_STDIN_BYTES + 1), 0);
	refused("-c x --stdin large", 126, "larger than 16 MiB");
	assert_int_equal(truncate(temp_path("large"), LIMIT_INPUT_BYTES + 1), 0);
	refused("-c x --file large", 126, "larger than 256 MiB");
	(void)unlink(temp_path("large"));
}

static void refusals_as_json(void **state)
{
	(void)state;
	assert_int_equal(run_words(play_ok, "-c \xff --json"), 126);
	json_t *object = read_object();
	assert_string_equal(json_string_value(json_object_get(object, "outcome")), "rejected");
	assert_string_equal(json_string_value(json_object_get(object, "hint")),
		"the code is not UTF-8 at byte 0; save it as UTF-8");
	json_decref(object);
	assert_non_null(strstr(temp_read("err"), "not UTF-8"));
	/* A command line that makes no sense asks for nothing, JSON included. */
	refused("--json --nothing", 2, "unknown flag");

	struct call call = call_of("-c x --json");
	call.connect_fault = "no image 'default'; bake one with: brig image build";
	assert_int_equal(run(call), 125);
	object = read_object();
	assert_string_equal(json_string_value(json_object_get(object, "outcome")), "internal");
	json_decref(object);
	assert_null(strstr(temp_read("out"), "no image"));
	assert_non_null(strstr(temp_read("err"), "bake one with: brig image build"));
}

static void play_files(struct fake *fake)
{
	struct job_result result;
	sample_full(&result);
	result.outcome = OUTCOME_OK;
	result.receipt.present = false;
	sample_artifact(&result, span_text("odd\nname"), "odd", 3);
	fake_answer(fake, &result);
}

static void files_go_to_the_folder(void **state)
{
	(void)state;
	assert_int_equal(run_words(play_files, "-c x --out new/result"), 0);
	assert_string_equal(temp_read("new/result/out/data.csv"), "a,b\n1,2\n");
	assert_string_equal(temp_read("new/result/odd\nname"), "odd");
	assert_memory_equal(temp_read("new/result/chart-1.png"), sample_png, 8);
	assert_int_equal(temp_count("new/result"), 4);
	const char *err = temp_read("err");
	assert_non_null(strstr(err, "wrote new/result/out/data.csv (8 bytes)\n"));
	assert_non_null(strstr(err, "wrote new/result/odd\\nname (3 bytes)\n"));
	assert_non_null(strstr(err, "wrote new/result/chart-1.png ("));
	assert_null(strstr(err, "not kept"));
	/* With --json they are written as well, and stderr stays silent. */
	assert_int_equal(run_words(play_files, "-c x --json --out new/again/"), 0);
	assert_int_equal(temp_count("new/again"), 4);
	assert_string_equal(temp_read("err"), "");
}

static void a_folder_that_fails(void **state)
{
	(void)state;
	(void)temp_file("plain", "x", 1);
	refused("-c x --out plain", 125, "cannot use the folder 'plain': Not a directory");
	refused("-c x --out plain/sub", 125, "Not a directory");
	/* One that fails only while it is written to. */
	(void)mkdir(temp_path("half"), 0755);
	(void)mkdir(temp_path("half/empty"), 0755);
	assert_int_equal(run_words(play_files, "-c x --out half"), 125);
	assert_non_null(strstr(temp_read("err"), "cannot write 'empty': Is a directory"));
}

static void play_flood(struct fake *fake)
{
	static char piece[60000];
	memset(piece, 'x', sizeof(piece));
	for (unsigned i = 0; i < 50; i++)
		fake_say(fake, CHANNEL_STDOUT, piece, sizeof(piece));
	play_files(fake);
}

static void a_reader_that_goes_away_is_no_fault(void **state)
{
	(void)state;
	struct call call = call_of("-c x --out gone");
	call.play = play_flood;
	call.closed_out = true;
	assert_int_equal(run(call), 0);
	assert_null(strstr(temp_read("err"), "brig:"));
	assert_int_equal(temp_count("gone"), 4);
}

static void play_until_closed(struct fake *fake)
{
	static char piece[60000];
	struct pollfd wait = {.fd = fake->fd, .events = POLLIN};
	fake_say(fake, CHANNEL_STDOUT, piece, sizeof(piece));
	/* The client hangs up, which cancels. */
	fake_require(poll(&wait, 1, 20000) == 1);
}

static void without_a_reader_and_without_files_it_ends(void **state)
{
	(void)state;
	struct call call = call_of("-c x");
	call.play = play_until_closed;
	call.closed_out = true;
	assert_int_equal(run(call), 128 + SIGPIPE);
	assert_string_equal(temp_read("err"), "");
}

static void play_raw(struct fake *fake)
{
	fake_say(fake, CHANNEL_STDOUT, "\x1b[31m\0\xff\n", 8);
	fake_answer_outcome(fake, OUTCOME_OK, 0);
}

static void bytes_pass_through_untouched(void **state)
{
	(void)state;
	char bytes[16];
	assert_int_equal(run_words(play_raw, "-c x"), 0);
	int fd = open(temp_path("out"), O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(fd, bytes, sizeof(bytes)), 8);
	assert_memory_equal(bytes, "\x1b[31m\0\xff\n", 8);
	(void)close(fd);
}

static void play_hang_up(struct fake *fake)
{
	(void)close(fake->fd);
}

static void a_service_that_dies(void **state)
{
	(void)state;
	assert_int_equal(run_words(play_hang_up, "-c x"), 125);
	assert_non_null(strstr(temp_read("err"), "went away"));
}

static void play_until_cancelled(struct fake *fake)
{
	fake_print(fake, "going\n");
	fake_take_cancel(fake);
	fake_print(fake, "cancelled\n");
	fake_answer_outcome(fake, OUTCOME_CANCELLED, -1);
}

static void wait_for_output(const char *text)
{
	/* A generous watchdog: 20 s. */
	for (unsigned i = 0; i < 20000 && !strstr(temp_read("out"), text); i++)
		(void)usleep(1000);
	assert_non_null(strstr(temp_read("out"), text));
}

static void signals_cancel(void **state)
{
	(void)state;
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	for (size_t i = 0; i < COUNT(signals); i++) {
		struct call call = call_of("-c x");
		call.play = play_until_cancelled;
		pid_t pid = start(&call);
		wait_for_output("going");
		assert_int_equal(kill(pid, signals[i]), 0);
		assert_int_equal(finish(&call, pid), 130);
		assert_string_equal(temp_read("out"), "going\ncancelled\n");
		assert_non_null(strstr(temp_read("err"), "outcome: cancelled"));
	}
}

static void play_deaf(struct fake *fake)
{
	char byte;
	fake_print(fake, "going\n");
	fake_take_cancel(fake);
	fake_print(fake, "heard\n");
	while (read(fake->fd, &byte, 1) > 0)
		;
}

static void a_second_signal_gives_up(void **state)
{
	(void)state;
	struct call call = call_of("-c x");
	call.play = play_deaf;
	pid_t pid = start(&call);
	wait_for_output("going");
	assert_int_equal(kill(pid, SIGINT), 0);
	wait_for_output("heard");
	assert_int_equal(kill(pid, SIGINT), 0);
	assert_int_equal(finish(&call, pid), 130);
	assert_non_null(strstr(temp_read("err"), "given up"));
}

static void help_fits_a_screen(void **state)
{
	(void)state;
	assert_int_equal(run_words(play_ok, "-h"), 0);
	const char *help = temp_read("out");
	size_t lines = 0, width = 0, widest = 0;
	for (const char *at = help; *at; at++) {
		width = *at == '\n' ? 0 : width + 1;
		widest = width > widest ? width : widest;
		lines += *at == '\n';
	}
	assert_true(lines < 40);
	assert_true(widest <= 92);
	assert_string_equal(temp_read("started"), "!");
}

int main(void)
{
	/* Whatever started this may ignore it, and that is inherited. */
	(void)signal(SIGINT, SIG_DFL);
	(void)signal(SIGHUP, SIG_DFL);

	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_values_and_notices),
		cmocka_unit_test(json_is_one_line),
		cmocka_unit_test(receipt_as_text),
		cmocka_unit_test(exit_statuses),
		cmocka_unit_test(inputs_reach_the_service),
		cmocka_unit_test(code_from_standard_input),
		cmocka_unit_test(empty_code_is_code),
		cmocka_unit_test(bad_paths_and_flags),
		cmocka_unit_test(refused_requests),
		cmocka_unit_test(too_many_files),
		cmocka_unit_test(sizes_beyond_their_caps),
		cmocka_unit_test(refusals_as_json),
		cmocka_unit_test(files_go_to_the_folder),
		cmocka_unit_test(a_folder_that_fails),
		cmocka_unit_test(a_reader_that_goes_away_is_no_fault),
		cmocka_unit_test(without_a_reader_and_without_files_it_ends),
		cmocka_unit_test(bytes_pass_through_untouched),
		cmocka_unit_test(a_service_that_dies),
		cmocka_unit_test(signals_cancel),
		cmocka_unit_test(a_second_signal_gives_up),
		cmocka_unit_test(help_fits_a_screen),
	};
	return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}

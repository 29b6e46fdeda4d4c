/* run_options: flags to options, each checked as it is read. */
#include "cmd/run_options.h"

#include "cmd/args.h"
#include "cmd/run_values.h"
#include "cmd/session.h"

#include <errno.h>
#include <string.h>

enum {
	FLAG_HELP = 1,
	FLAG_CODE,
	FLAG_FILE,
	FLAG_STDIN,
	FLAG_OUT,
	FLAG_JSON,
	FLAG_RECEIPT,
	FLAG_WALL,
	FLAG_CPU,
	FLAG_MEMORY,
	FLAG_OUTPUT,
	FLAG_CHART_FORMAT,
	FLAG_TABLE_CSV,
	FLAG_SESSION,
	FLAG_SOCKET,
	FLAG_ALLOW_DEGRADED,
	FLAG_IMAGE,
};

static const struct args_flag flags[] = {
	{"-h", FLAG_HELP, false},
	{"--help", FLAG_HELP, false},
	{"-c", FLAG_CODE, true},
	{"--file", FLAG_FILE, true},
	{"--stdin", FLAG_STDIN, true},
	{"--out", FLAG_OUT, true},
	{"--json", FLAG_JSON, false},
	{"--receipt", FLAG_RECEIPT, false},
	{"--wall", FLAG_WALL, true},
	{"--cpu", FLAG_CPU, true},
	{"--memory", FLAG_MEMORY, true},
	{"--output", FLAG_OUTPUT, true},
	{"--chart-format", FLAG_CHART_FORMAT, true},
	{"--table-csv", FLAG_TABLE_CSV, false},
	{"--session", FLAG_SESSION, true},
	{"--socket", FLAG_SOCKET, true},
	{"--allow-degraded", FLAG_ALLOW_DEGRADED, true},
	{"--image", FLAG_IMAGE, true},
};

static int take_once(const char **slot, const char *value, const char *flag, struct err *err)
{
	if (*slot)
		return err_set(err, -EINVAL, "usage", "%s stands twice; give it once", flag);
	*slot = value;
	return 0;
}

static int take_word(struct run_options *options, const char *word, struct err *err)
{
	char shown[ARGS_SHOWN_BYTES];
	if (options->code_path)
		return err_set(err, -EINVAL, "usage",
			"a second file of code, '%s'; give the code a file with --file",
			args_shown(word, shown));
	options->code_path = word;
	return 0;
}

static int take_session(struct run_options *options, const char *value, struct err *err)
{
	char shown[ARGS_SHOWN_BYTES];
	if (!session_is_id(value))
		return err_set(err, -EINVAL, "usage",
			"--session %s: write new, or the id that an earlier run in it printed",
			args_shown(value, shown));
	return take_once(&options->session, value, "--session", err);
}

static int take_paths(struct run_options *options, int id, const char *value, struct err *err)
{
	switch (id) {
	case FLAG_CODE:
		return take_once(&options->code, value, "-c", err);
	case FLAG_STDIN:
		return take_once(&options->stdin_path, value, "--stdin", err);
	case FLAG_OUT:
		return take_once(&options->out_folder, value, "--out", err);
	case FLAG_SOCKET:
		return take_once(&options->socket_path, value, "--socket", err);
	case FLAG_IMAGE:
		return take_once(&options->image, value, "--image", err);
	case FLAG_SESSION:
		return take_session(options, value, err);
	default:
		if (options->file_count < LIMIT_INPUTS + 1)
			options->files[options->file_count++] = value;
		return 0;
	}
}

static int take(struct run_options *options, int id, const char *value, struct err *err)
{
	struct job_limits *limits = &options->limits;
	switch (id) {
	case ARGS_WORD:
		return take_word(options, value, err);
	case ARGS_FAULT:
		return -EINVAL;
	case FLAG_HELP:
		options->help = true;
		return 0;
	case FLAG_JSON:
		options->json = true;
		return 0;
	case FLAG_RECEIPT:
		options->receipt = true;
		return 0;
	case FLAG_TABLE_CSV:
		options->table_csv = true;
		return 0;
	case FLAG_WALL:
		return run_value_duration(
			&limits->wall_ms, "--wall", value, LIMIT_WALL_MS_MAX, err);
	case FLAG_CPU:
		return run_value_duration(&limits->cpu_ms, "--cpu", value, LIMIT_CPU_MS_MAX, err);
	case FLAG_MEMORY:
		return run_value_memory(options, value, err);
	case FLAG_OUTPUT:
		return run_value_output(options, value, err);
	case FLAG_CHART_FORMAT:
		return run_value_chart_format(options, value, err);
	case FLAG_ALLOW_DEGRADED:
		return run_value_layers(options, value, err);
	default:
		return take_paths(options, id, value, err);
	}
}

static int check_together(const struct run_options *options, struct err *err)
{
	bool both = options->code && options->code_path;
	bool code_is_stdin = options->code_path && strcmp(options->code_path, "-") == 0;
	bool stdin_is_stdin = options->stdin_path && strcmp(options->stdin_path, "-") == 0;

	if (both)
		return err_set(err, -EINVAL, "usage",
			"the code comes with -c or in a file, not both; give the code a file with "
			"--file");
	if (!options->code && !options->code_path)
		return err_set(err, -EINVAL, "usage",
			"no code; give -c CODE, a FILE, or - for standard input (-h for help)");
	if (options->socket_path && (options->image || options->allow_degraded))
		return err_set(err, -EINVAL, "usage",
			"a running service has its own image and layers; leave out --socket, or "
			"%s",
			options->image ? "--image" : "--allow-degraded");
	if (code_is_stdin && stdin_is_stdin)
		return err_set(err, -EINVAL, "usage",
			"standard input cannot be the code and the code's own input; put one of "
			"them into a file");
	return 0;
}

int run_options_parse(struct run_options *options, int argc, char **argv, struct err *err)
{
	struct args args = {.argc = argc,
		.argv = argv,
		.flags = flags,
		.flag_count = sizeof(flags) / sizeof(flags[0])};
	const char *value;
	int id;

	*options = (struct run_options){.limits = limits_default};
	while ((id = args_next(&args, &value, err)) != ARGS_END) {
		int rc = take(options, id, value, err);
		if (rc < 0)
			return rc;
		if (options->help)
			return 0;
	}
	return check_together(options, err);
}

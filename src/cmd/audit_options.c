/* audit_options: flags, moments, and which log. */
#include "cmd/audit_options.h"

#include "cmd/args.h"
#include "cmd/serve_paths.h"
#include "tool/config.h"
#include "wire/outcome.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { HELP = 1, DB, CONFIG, ROLE, OUTCOME, SINCE, UNTIL, TEXT, LIMIT, JSON, HEAD, BRIEF, BEFORE };

static const struct args_flag flags[] = {{"-h", HELP, false}, {"--help", HELP, false},
	{"--db", DB, true}, {"--config", CONFIG, true}, {"--role", ROLE, true},
	{"--outcome", OUTCOME, true}, {"--since", SINCE, true}, {"--until", UNTIL, true},
	{"--text", TEXT, true}, {"--limit", LIMIT, true}, {"--json", JSON, false},
	{"--head", HEAD, true}, {"--brief", BRIEF, false}, {"--before", BEFORE, true}};

const char audit_options_help[] =
	"usage: brig audit list [filters] [--json]    calls, the latest first (100)\n"
	"       brig audit show ID [--json]           one call: its id, or a row's number\n"
	"       brig audit verify [--head HASH]       whether any row was changed or is missing\n"
	"       brig audit export [filters]           every row, a JSON object a line\n"
	"\n"
	"  --role NAME       --outcome WORD    ok, error, timeout_wall, … running, interrupted\n"
	"  --since MOMENT    --until MOMENT    2026-11-30, 2026-11-30T08:15:00 (UTC), 15m, 2h, 7d\n"
	"  --text WORDS      in code, stdin, output, error, tool or inputs\n"
	"  --limit N         --before ROW      the next page: calls that began before that row\n"
	"  --json            --brief           of each call the beginning of its code, no output\n"
	"  --head HASH       a head that was kept elsewhere: shows a log that was cut behind it\n"
	"  --db PATH         the log; else --config FILE's, else the installed configuration's\n";

bool audit_moment(const char *text, uint64_t now_us, uint64_t *ret_us)
{
	static const struct {
		char unit;
		uint64_t seconds;
	} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
	struct tm tm = {0};
	size_t digits = strspn(text, "0123456789");
	if (digits && digits < 8 && text[digits] && !text[digits + 1]) {
		for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
			uint64_t ago = strtoull(text, NULL, 10) * units[i].seconds * 1000000u;
			if (text[digits] != units[i].unit)
				continue;
			*ret_us = ago < now_us ? now_us - ago : 0;
			return true;
		}
		return false;
	}
	const char *rest = strptime(text, "%Y-%m-%d", &tm);
	if (rest && (*rest == 'T' || *rest == ' '))
		rest = strptime(rest + 1, "%H:%M:%S", &tm);
	if (!rest || strcmp(rest + (*rest == 'Z'), "") != 0)
		return false;
	time_t seconds = timegm(&tm);
	*ret_us = seconds > 0 ? (uint64_t)seconds * 1000000u : 1;
	return seconds >= 0;
}

static int take_moment(const char *flag, const char *value, uint64_t *ret_us, struct err *err)
{
	char shown[ARGS_SHOWN_BYTES];
	if (audit_moment(value, audit_now_us(), ret_us))
		return 0;
	return err_set(err, -EINVAL, "usage",
		"%s %s is no moment; write 2026-11-30, 2026-11-30T08:15:00 (UTC), 15m, 2h or 7d",
		flag, args_shown(value, shown));
}

static int take_db(struct audit_options_cli *options, const char *path, struct err *err)
{
	int length = snprintf(options->db, sizeof(options->db), "%s", path);
	if (length <= 0 || length >= PATH_MAX)
		return err_set(err, -EINVAL, "usage", "--db needs a path");
	return 0;
}

static int take_number(const char *flag, const char *value, uint64_t *ret, struct err *err)
{
	char *end;
	unsigned long number = strtoul(value, &end, 10);
	if (value[0] < '0' || value[0] > '9' || *end || number == 0 || number > LONG_MAX)
		return err_set(err, -EINVAL, "usage", "%s is a number from 1 on", flag);
	*ret = number;
	return 0;
}

/* The outcomes of calls, and what stands in their place while or where there is none. */
static int take_outcome(const char *value, const char **ret, struct err *err)
{
	char shown[ARGS_SHOWN_BYTES], words[256] = "";
	size_t length = 0;
	for (enum outcome i = 0; i < OUTCOME_COUNT && length < sizeof(words); i++) {
		if (strcmp(value, outcome_name(i)) == 0)
			*ret = value;
		length += (size_t)snprintf(
			words + length, sizeof(words) - length, "%s, ", outcome_name(i));
	}
	if (strcmp(value, "running") == 0 || strcmp(value, "interrupted") == 0)
		*ret = value;
	return *ret == value ? 0
			     : err_set(err, -EINVAL, "usage",
				       "--outcome %.40s is none; write %srunning or interrupted",
				       args_shown(value, shown), words);
}

static int take(struct audit_options_cli *options, int id, const char *value,
	const char **config_path, struct err *err)
{
	struct audit_filter *filter = &options->filter;
	if (id == DB)
		return take_db(options, value, err);
	if (id == SINCE || id == UNTIL)
		return take_moment(id == SINCE ? "--since" : "--until", value,
			id == SINCE ? &filter->since_us : &filter->until_us, err);
	if (id == LIMIT || id == BEFORE)
		return take_number(id == LIMIT ? "--limit" : "--before", value,
			id == LIMIT ? &filter->limit : &filter->before_seq, err);
	if (id == OUTCOME)
		return take_outcome(value, &filter->outcome, err);
	if (id == CONFIG)
		*config_path = value;
	else if (id == ROLE)
		filter->role = value;
	else if (id == TEXT)
		filter->text = value;
	else if (id == HEAD)
		options->head = value;
	else if (id == JSON)
		options->json = true;
	else if (id == BRIEF)
		options->brief = true;
	else
		options->help = true;
	return 0;
}

static int take_word(struct audit_options_cli *options, const char *word, struct err *err)
{
	static const char *const verbs[] = {"list", "show", "verify", "export", NULL};
	char shown[ARGS_SHOWN_BYTES];
	if (!options->verb)
		return args_verb(word, verbs, "list, show, verify, export", &options->verb, err);
	if (strcmp(options->verb, "show") == 0 && !options->id) {
		options->id = word;
		return 0;
	}
	return err_set(err, -EINVAL, "usage", "one word too many: '%s'", args_shown(word, shown));
}

/* --db, or what a configuration says, or where brig keeps it. */
static int find_db(struct audit_options_cli *options, const char *config_path, struct err *err)
{
	char installed[PATH_MAX];
	struct config *config = NULL;
	if (options->db[0])
		return 0;
	if (!config_path && serve_config_path(installed) == 0 && access(installed, F_OK) == 0)
		config_path = installed;
	int rc = config_path ? config_load(config_path, &config, err) : 0;
	if (rc < 0)
		return rc;
	if (config && config->audit.db)
		rc = take_db(options, config->audit.db, err);
	else if (serve_state_path("/audit.db", options->db) < 0)
		rc = err_set(err, -EINVAL, "usage", "where is the log? Name it with --db PATH");
	config_unref(config);
	return rc;
}

int audit_options_parse(struct audit_options_cli *options, int argc, char **argv, struct err *err)
{
	struct args args = {.argc = argc,
		.argv = argv,
		.flags = flags,
		.flag_count = sizeof(flags) / sizeof(flags[0])};
	const char *value, *config_path = NULL;
	int id, rc = 0;
	*options = (struct audit_options_cli){0};
	while (!rc && (id = args_next(&args, &value, err)) != ARGS_END) {
		if (id == ARGS_FAULT)
			return -EINVAL;
		rc = id == ARGS_WORD ? take_word(options, value, err)
				     : take(options, id, value, &config_path, err);
	}
	if (rc < 0 || options->help)
		return rc;
	if (!options->verb)
		return err_set(err, -EINVAL, "usage", "say list, show, verify or export");
	if (strcmp(options->verb, "show") == 0 && !options->id)
		return err_set(err, -EINVAL, "usage", "show needs an id; brig audit list has them");
	return find_db(options, config_path, err);
}

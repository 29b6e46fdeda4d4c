/* args: reading a command line. */
#include "cmd/args.h"

#include "base/nearest.h"
#include "tool/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *args_shown(const char *text, char out[ARGS_SHOWN_BYTES])
{
	cleanup_buf struct buf line = {0};
	buf_init(&line, ARGS_SHOWN_BYTES);
	if (text_add_terminal_line(&line, span_text(text), ARGS_SHOWN_BYTES - 1) < 0)
		line.len = 0;
	(void)snprintf(out, ARGS_SHOWN_BYTES, "%.*s", (int)line.len,
		line.len ? (const char *)line.data : "");
	return out;
}

const char *args_nearest(const char *word, const char *const *names)
{
	return nearest_name(word, names);
}

static int unknown(const struct args *args, const char *word, struct err *err)
{
	const char *names[40] = {NULL};
	char shown[ARGS_SHOWN_BYTES];
	for (size_t i = 0; i < args->flag_count && i + 1 < sizeof(names) / sizeof(names[0]); i++)
		names[i] = args->flags[i].name;
	const char *nearest = args_nearest(word, names);
	(void)err_set(err, -EINVAL, "usage", "unknown flag %s%s%s; -h lists all",
		args_shown(word, shown), nearest ? "; did you mean " : "", nearest ? nearest : "");
	return ARGS_FAULT;
}

/* How much of `word` is the flag's name, or 0; `*ret_value` is what is glued to it. */
static size_t match(const struct args_flag *flag, const char *word, const char **ret_value)
{
	size_t length = strlen(flag->name);
	bool is_long = flag->name[1] == '-';
	*ret_value = NULL;
	if (strncmp(word, flag->name, length) != 0)
		return 0;
	if (word[length] == 0)
		return length;
	if (is_long && word[length] != '=')
		return 0;
	if (!is_long && !flag->has_value)
		return 0;
	*ret_value = word + length + (is_long ? 1 : 0);
	return length;
}

static int take_flag(struct args *args, const struct args_flag *flag, const char *glued,
	const char **ret_value, struct err *err)
{
	if (!flag->has_value && glued) {
		(void)err_set(err, -EINVAL, "usage", "%s takes no value", flag->name);
		return ARGS_FAULT;
	}
	if (flag->has_value && !glued) {
		if (args->at + 1 >= args->argc) {
			(void)err_set(
				err, -EINVAL, "usage", "%s needs a value after it", flag->name);
			return ARGS_FAULT;
		}
		glued = args->argv[++args->at];
	}
	*ret_value = glued;
	return flag->id;
}

int args_next(struct args *args, const char **ret_value, struct err *err)
{
	*ret_value = NULL;
	if (args->at + 1 >= args->argc)
		return ARGS_END;
	const char *word = args->argv[++args->at];
	if (!args->only_words && strcmp(word, "--") == 0) {
		args->only_words = true;
		return args_next(args, ret_value, err);
	}
	if (args->only_words || word[0] != '-' || word[1] == 0) {
		*ret_value = word;
		return ARGS_WORD;
	}
	for (size_t i = 0; i < args->flag_count; i++) {
		const char *glued;
		if (match(&args->flags[i], word, &glued))
			return take_flag(args, &args->flags[i], glued, ret_value, err);
	}
	return unknown(args, word, err);
}

int args_verb(const char *word, const char *const *verbs, const char *listed, const char **ret_verb,
	struct err *err)
{
	char shown[ARGS_SHOWN_BYTES];
	for (size_t i = 0; verbs[i]; i++)
		if (strcmp(verbs[i], word) == 0) {
			*ret_verb = verbs[i];
			return 0;
		}
	const char *nearest = args_nearest(word, verbs);
	return err_set(err, -EINVAL, "usage", "no verb '%s'; %s%s", args_shown(word, shown),
		nearest ? "did you mean " : "there are ", nearest ? nearest : listed);
}

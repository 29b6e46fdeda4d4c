/*
 * args: flags anywhere among the words of a command line, and what their values may be.
 *
 *	struct args args = {.argc = argc, .argv = argv, .flags = flags, .flag_count = n};
 *	while ((id = args_next(&args, &value, &err)) != ARGS_END)
 *
 * `--flag VALUE` and `--flag=VALUE` are the same, as are `-c VALUE` and `-cVALUE`; after `--`
 * everything is a word, and so is a lone `-`. Each fault is one line that names the fix.
 */
#ifndef BRIG_CMD_ARGS_H
#define BRIG_CMD_ARGS_H

#include "base/err.h"
#include "wire/layer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARGS_END = 0, ARGS_WORD = -1, ARGS_FAULT = -2 };

struct args_flag {
	const char *name; /* with its dashes */
	int id;		  /* above 0 */
	bool has_value;
};

struct args {
	int argc;
	char **argv;
	const struct args_flag *flags;
	size_t flag_count;
	int at; /* the argument that was read last */
	bool only_words;
};

/* The next flag's id and its value (else NULL), ARGS_WORD and the word, ARGS_END, ARGS_FAULT. */
int args_next(struct args *args, const char **ret_value, struct err *err);

/* "512M": bytes, or K, M, G of 1,024. More than 0. 0 or -EINVAL. */
int args_size(const char *flag, const char *text, uint64_t *ret_bytes, struct err *err) MUST_CHECK;

/* "10s": ms, s or m. At least 1 ms. 0 or -EINVAL. */
int args_duration(const char *flag, const char *text, uint64_t *ret_ms, struct err *err) MUST_CHECK;

/* "memory,pids": adds the layers named to `set`. 0 or -EINVAL. */
int args_layers(const char *flag, const char *text, layer_set *set, struct err *err) MUST_CHECK;

/* The name that `word` most likely means (`names` ends with NULL), or NULL. */
const char *args_nearest(const char *word, const char *const *names);

/* The one of `verbs` (ended by NULL) that `word` is; `listed` names them for the message. */
int args_verb(const char *word, const char *const *verbs, const char *listed, const char **ret_verb,
	struct err *err) MUST_CHECK;

/* `text` as it may be shown in a message: one line, escaped, not too long. Returns `out`. */
#define ARGS_SHOWN_BYTES 80u
const char *args_shown(const char *text, char out[ARGS_SHOWN_BYTES]);

#endif

/*
 * config_parse: what the parts of the configuration's reader share. For config*.c alone.
 *
 * Faults are collected, not thrown: --check-config shows all of them, a load reports the first.
 */
#ifndef BRIG_TOOL_CONFIG_PARSE_H
#define BRIG_TOOL_CONFIG_PARSE_H

#include "tool/config.h"

#define CONFIG_FAULTS_MAX 50u
#define CONFIG_VALUE_BYTES 256u

enum config_section {
	CONFIG_NO_SECTION, /* before the first, or below a faulty one */
	CONFIG_SERVER,
	CONFIG_SERVICE,
	CONFIG_AUDIT,
	CONFIG_ROLE,
	CONFIG_TOKEN,
};

/* What the reader remembers of a [role NAME] or [token NAME] beside the value itself. */
struct config_draft {
	int line;
	bool faulty;		    /* complained of already: not judged for what it lacks */
	bool has_idle;		    /* its session_idle is the operator's */
	bool has_at_once;	    /* and so is its jobs_at_once */
	char role[ROLE_NAME_BYTES]; /* of a token, by name until all roles are known */
};

struct config_parse {
	const char *path; /* for faults */
	struct config *config;
	struct span text;
	size_t at;
	int line;
	enum config_section section;
	int section_fault_line; /* a header that has been complained of, which inih does again */
	uint32_t keys_seen;	/* of this section: bits by the key's place in its table */
	unsigned sections_seen;
	struct config_draft *role_drafts, *token_drafts;
	int root_lines[CONFIG_ROLES_MAX][ROLE_ROOTS_MAX];
	struct buf faults; /* a line each */
	size_t fault_count;
	struct err first;
	bool out_of_memory;
};

/* Records "FILE:LINE: …". */
void config_fault(struct config_parse *parse, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A copy of `text` that the configuration owns, or NULL, with out_of_memory set. */
char *config_copy(struct config_parse *parse, const char *text);

/* Reads the text that `parse` points at into its configuration. */
void config_parse_text(struct config_parse *parse);

/* A key of a section; `rest` is what follows the key's first word ("file_root NAME"), or NULL. */
struct config_key {
	const char *name;
	void (*take)(struct config_parse *parse, const char *rest, const char *value);
	bool has_rest;
};

extern const struct config_key config_server_keys[], config_service_keys[], config_audit_keys[],
	config_role_keys[], config_token_keys[];

/* Opens [role NAME] and [token NAME]; false where that is a fault. */
bool config_role_begin(struct config_parse *parse, const char *name);
bool config_token_begin(struct config_parse *parse, const char *name);

/* What can be judged only once all is read: tokens' roles, what is missing, file roots. */
void config_roles_finish(struct config_parse *parse);
void config_roots_finish(struct config_parse *parse);

/* Values. Each reports a fault that names `key`, and returns false. */
bool config_value_bool(
	struct config_parse *parse, const char *key, const char *value, bool *ret_yes);
bool config_value_count(struct config_parse *parse, const char *key, const char *value,
	uint32_t min, uint32_t max, uint32_t *ret_count);
bool config_value_size(struct config_parse *parse, const char *key, const char *value,
	uint64_t min_bytes, uint64_t max_bytes, uint64_t *ret_bytes);
bool config_value_ms(struct config_parse *parse, const char *key, const char *value,
	uint32_t max_ms, uint32_t *ret_ms);
bool config_value_path(
	struct config_parse *parse, const char *key, const char *value, char **ret_path);
bool config_value_name(
	struct config_parse *parse, const char *what, const char *value, size_t max_bytes);

/* Calls `take` for each word of a list parted by commas; a fault for an empty one. */
void config_value_list(struct config_parse *parse, const char *key, const char *value,
	void (*take)(struct config_parse *parse, const char *word));

/* Whether `path` is `folder` or something below it. Both absolute, without a slash at the end. */
bool config_path_within(const char *path, const char *folder);

/* Reads the exact values to redact from a file into config->audit. */
void config_redact_file(struct config_parse *parse, const char *path);

#endif

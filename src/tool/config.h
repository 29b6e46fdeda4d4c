/*
 * config: the INI file of an operator as one immutable value.
 *
 *	rc = config_load(path, &config, &err);	or config_default(&config, &err) without a file
 *	… config_ref / config_unref around what must outlive a reload …
 *
 * Sections: [server], [service], [audit], [role NAME], [token NAME]; etc/brig.ini shows each key.
 * Every key is checked; unknown ones are refused with the nearest known one, as are duplicates. A
 * fault is "FILE:LINE: what is wrong; the fix". A load that fails changes nothing, so that a
 * reload (SIGHUP) keeps the old value.
 *
 * Without a file there is one role, `local`, with both tools and the product's ceilings. With one,
 * only what it names exists: config_role(config, "local") may be NULL, and a call without a token
 *is then a 401.
 *
 * Ownership: a config owns all it points to; it is freed by the last config_unref. Threads: none.
 */
#ifndef BRIG_TOOL_CONFIG_H
#define BRIG_TOOL_CONFIG_H

#include "base/err.h"
#include "base/span.h"
#include "tool/role.h"
#include "tool/token.h"
#include "wire/layer.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define CONFIG_FILE_BYTES_MAX (1 * MIB)
#define CONFIG_ROLES_MAX 256u
#define CONFIG_TOKENS_MAX 4096u
#define CONFIG_NAMES_MAX 32u

/* Exact values to redact: the same figures as audit/redact.h, which this room cannot include. */
#define CONFIG_REDACT_VALUES_MAX 256u
#define CONFIG_REDACT_BYTES_MIN 6u
#define CONFIG_REDACT_BYTES_MAX 4096u

/* The role of callers without a token. */
#define CONFIG_LOCAL_ROLE "local"

struct config_server {
	char *listen;	    /* "127.0.0.1:8080", "[::1]:0"; NULL: 127.0.0.1:7777, see below */
	char *socket;	    /* NULL: the default of the design (section 10, Paths) */
	char *socket_group; /* NULL: "brig" where there is such a group */
	char *user;	    /* the dispatcher's, as root; NULL: "brig" where there is one */
	char *public_url;   /* for metadata and file urls; NULL: from the Host header */
	char *hosts[CONFIG_NAMES_MAX]; /* Host names served beside the loopback's, lower case */
	size_t host_count;
	char *origins[CONFIG_NAMES_MAX]; /* Origins allowed beside the server's own */
	size_t origin_count;
	uint32_t connections_max;
	uint64_t body_bytes_max;
	uint64_t header_bytes_max;
	uint32_t read_timeout_ms;    /* a request's header and body */
	uint32_t idle_timeout_ms;    /* a connection between requests */
	uint32_t drain_timeout_ms;   /* jobs in flight, after SIGTERM */
	uint64_t artifact_bytes_max; /* the store of all artifacts */
	uint32_t artifact_keep_ms;
};

struct config_service {
	layer_set allow_degraded;
	uint32_t cells_max;	 /* 0: the service decides */
	uint32_t jobs_at_once;	 /* of all roles; what quota_new gets */
	uint32_t silence_max_ms; /* of either half: then it is ended, and started again */
};

struct config_audit {
	char *db;				/* NULL: the default of the design */
	bool power;				/* durability = power */
	uint64_t retention_ms, retention_bytes; /* 0: for ever, without bound */
	uint64_t head_ms;
	char *redact_file;	    /* NULL without one */
	struct span *redact_values; /* from the file redact_file names, a value a line */
	size_t redact_value_count;
};

struct config {
	unsigned refs;
	char *path; /* NULL without a file */
	struct config_server server;
	struct config_service service;
	struct config_audit audit;
	struct role *roles;
	size_t role_count;
	struct token *tokens;
	size_t token_count;
};

#define CONFIG_LISTEN_DEFAULT "127.0.0.1:7777"

/* What a role gets that does not say. Its limits are then the product's defaults. */
#define CONFIG_JOBS_AT_ONCE 16u
#define CONFIG_QUEUE_MAX 256u
#define CONFIG_SILENCE_MAX_MS 30000u
#define CONFIG_SILENCE_MIN_MS 5000u
#define CONFIG_SESSIONS_MAX 24u

/*
 * Reads and checks a file. `err` gets the first fault. -EINVAL for a fault in the file, -E2BIG,
 * -ENOMEM, or the -errno of reading it.
 */
int config_load(const char *path, struct config **ret_config, struct err *err) MUST_CHECK;

/* What holds without a file. 0 or -ENOMEM. */
int config_default(struct config **ret_config, struct err *err) MUST_CHECK;

struct config *config_ref(struct config *config);
void config_unref(struct config *config); /* NULL-safe */

/* The role of that name, or NULL. */
const struct role *config_role(const struct config *config, const char *name);

/* The token that was presented, or NULL. See token.h. */
const struct token *config_token(const struct config *config, struct span presented);

/* Whether any role may run code: only then are a service and an image needed. */
bool config_runs_code(const struct config *config);

/*
 * For --check-config: prints every fault of the file, a line each, or one line that sums up what it
 * says. The exit status: 0, or 2 where there are faults.
 */
int config_check_print(const char *path, FILE *out) MUST_CHECK;

#endif

/*
 * e2b: the API that E2B's SDKs speak, on the port of all else. A sandbox is a session.
 *
 *	/sandboxes …		the account's side: the API key is a token
 *	/files, /execute …	a sandbox's side: E2b-Sandbox-Id names it, and the access token that
 *its maker was given, or the API key, opens it
 *
 * What brig will not do (programs, the internet, packages) is refused in words that the SDKs show.
 * Errors are {"code", "message"}; over Connect `code` is a word.
 *
 * Source: the packages `e2b` 2.51 and `@e2b/code-interpreter` 2.8, which are the wire's definition.
 */
#ifndef BRIG_API_E2B_H
#define BRIG_API_E2B_H

#include "api/rest.h"

#define E2B_ENVD_VERSION "0.6.0"
#define E2B_HOME "/home/user"
#define E2B_CONTEXT_DEFAULT "default"
#define E2B_NAME_BYTES 128u
#define E2B_BODY_BYTES_MAX (1 * MIB)
#define E2B_METADATA_BYTES_MAX (16 * KIB)

/* One interpreter's namespace in a sandbox. */
struct e2b_context {
	char id[SESSION_CONTEXT_BYTES];	  /* as the client has it */
	char name[SESSION_CONTEXT_BYTES]; /* as the service has it */
	uint64_t runs;
};

/* What is kept with a session for E2B's clients. */
struct e2b_box {
	char template_id[E2B_NAME_BYTES];
	json_t *metadata;				   /* object of strings, or NULL */
	struct e2b_context contexts[SESSION_CONTEXTS_MAX]; /* the first is the default one */
	size_t context_count;
};

/* The session's box, made where it has none yet; NULL where memory is out. */
struct e2b_box *e2b_box_of(struct session *session);
struct e2b_context *e2b_context_find(struct e2b_box *box, struct span id);

/* Finds out who calls; false where the request has been answered. */
bool e2b_check_caller(struct rest *rest);

/* The sandbox of a request that got past that, or NULL: then it has been answered. */
struct session *e2b_session(struct rest *rest);
/* The same for a request that answers by itself where there is none. */
struct session *e2b_session_or(struct rest *rest, struct request_fault *ret_fault);

/* Why a role has none, in words of this door. */
extern const char e2b_no_sessions[];

/* Answers with an error in the shape that the route's clients read. */
void e2b_problem(struct rest *rest, int status, const char *detail);
/* The same where Connect's word is known: NULL for the usual one of the status. */
void e2b_problem_as(struct rest *rest, int status, const char *connect, const char *detail);

/*
 * A client's path as one of the work folder's: below /home/user, /mnt/data, or relative. -EINVAL
 * with words.
 */
int e2b_path(struct span given, char out[SESSION_PATH_BYTES], struct err *err) MUST_CHECK;

/* {"entry"}'s object. `path` is relative to the work folder. NULL where memory is out. */
json_t *e2b_entry(struct span path, const struct session_entry *entry);

/* What the answer to a write shows of a file. NULL where memory is out. */
json_t *e2b_written(const char *path);

/* The lines of a result; `table_texts` as in call_end. 0 or -errno. */
int e2b_result_lines(const json_t *result, const json_t *table_texts, struct buf *out) MUST_CHECK;

/* A table by its columns, {"city": ["Oslo", …], …}. NULL where memory is out. */
json_t *e2b_table_data(const json_t *table);
/* NULL also where the markup would be too large. */
json_t *e2b_table_html(const json_t *table);

/* A tagged value as its text, for data that are plain; null for NULL. A new reference. */
json_t *e2b_plain(json_t *value);

/* brig's chart data as E2B's `chart`, or NULL where it has no such chart. */
json_t *e2b_chart(const json_t *chart);

/* The body as an object; false where it is none, and the request has been answered. */
bool e2b_read(struct rest *rest, json_t **ret_object);

/* `timeout` in seconds; the default where it is absent. 0 or -EINVAL. */
int e2b_timeout(const json_t *object, uint64_t *ret_ms) MUST_CHECK;

/* Answers with a sandbox and what opens it. */
void e2b_answer_session(struct rest *rest, int status, struct session *session);

/* e2b_create.c */
void e2b_create(struct rest *rest);
/* e2b_sandboxes.c */
void e2b_sandboxes(struct rest *rest);
void e2b_sandbox(struct rest *rest);
void e2b_not_here(struct rest *rest);
bool e2b_any_begin(struct rest *rest);
void e2b_health(struct rest *rest);
/* e2b_files.c */
void e2b_files(struct rest *rest);
bool e2b_files_begin(struct rest *rest);
/* e2b_rpc.c */
void e2b_filesystem(struct rest *rest);
void e2b_process(struct rest *rest);
/* e2b_contexts.c */
void e2b_contexts(struct rest *rest);
void e2b_context(struct rest *rest);
/* e2b_execute.c */
void e2b_execute(struct rest *rest);

#endif

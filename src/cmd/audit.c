/* audit: the four verbs. */
#include "cmd/audit.h"

#include "audit/audit_verify.h"
#include "cmd/audit_options.h"
#include "cmd/audit_print.h"
#include "cmd/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LIST_DEFAULT 100u

static int status_of(int rc)
{
	if (rc == 0)
		return CMD_OK;
	if (rc == -EBADMSG)
		return CMD_ERROR;
	return rc == -EINVAL || rc == -ENOENT || rc == -EACCES || rc == -E2BIG ? CMD_USAGE
									       : CMD_INTERNAL;
}

static int complain(int rc, const struct err *err)
{
	/* A callback that cannot write to stdout has no text of its own. */
	const char *text = err->text[0] ? err->text : "cannot write to standard output";
	(void)fprintf(stderr, "brig: audit: %s\n", text);
	return status_of(rc);
}

static int finish(int rc, const struct err *err)
{
	if (!rc && fflush(stdout) != 0)
		rc = -EIO;
	return rc < 0 ? complain(rc, err) : CMD_OK;
}

static int list_text(const struct audit_found *found, void *user)
{
	(void)user;
	return audit_print_call(found);
}

static int list_json(const struct audit_found *found, void *user)
{
	return json_push(user, audit_found_json(found)) < 0 ? -ENOMEM : 0;
}

static int list_brief(const struct audit_found *found, void *user)
{
	return json_push(user, audit_brief_json(found)) < 0 ? -ENOMEM : 0;
}

static int verb_list(struct audit_options_cli *options)
{
	struct err err = {0};
	if (!options->filter.limit)
		options->filter.limit = LIST_DEFAULT;
	if (!options->json)
		return finish(
			audit_list(options->db, &options->filter, list_text, NULL, &err), &err);
	cleanup_json json_t *calls = json_array();
	int rc = audit_list(options->db, &options->filter, options->brief ? list_brief : list_json,
		calls, &err);
	if (!rc)
		rc = audit_put_json(TAKE_JSON(calls));
	return finish(rc, &err);
}

static int show_text(const struct audit_row *row, void *user)
{
	(void)user;
	return audit_print_row(row);
}

static int show_json(const struct audit_row *row, void *user)
{
	return json_push(user, audit_row_json(row, false)) < 0 ? -ENOMEM : 0;
}

static int verb_show(const struct audit_options_cli *options)
{
	struct err err = {0};
	cleanup_json json_t *rows = json_array();
	int rc = audit_show(
		options->db, options->id, options->json ? show_json : show_text, rows, &err);
	if (!rc && options->json)
		rc = audit_put_json(TAKE_JSON(rows));
	int status = finish(rc, &err);
	/* The log is there; the call is not. */
	return rc == -ENOENT && strstr(err.text, "no call ") == err.text ? CMD_ERROR : status;
}

static int verify_json(const struct audit_verdict *verdict, int rc, const struct err *err)
{
	json_t *object = json_object();
	int bad = json_put(object, "good", json_boolean(rc == 0)) |
		  json_put(object, "rows", json_integer((json_int_t)verdict->rows)) |
		  json_put(object, "first", json_integer((json_int_t)verdict->first_seq)) |
		  json_put(object, "last", json_integer((json_int_t)verdict->last_seq)) |
		  json_put(object, "removed", json_integer((json_int_t)verdict->removed)) |
		  json_put(object, "open_calls", json_integer((json_int_t)verdict->open_calls)) |
		  json_put(object, "head", json_string(verdict->head));
	if (rc < 0)
		bad |= json_put(object, "fault", json_string(err->text));
	if (bad) {
		json_decref(object);
		return -ENOMEM;
	}
	return audit_put_json(object);
}

static void verify_text(const struct audit_verdict *verdict)
{
	(void)printf("good: %llu rows, %llu to %llu", (unsigned long long)verdict->rows,
		(unsigned long long)verdict->first_seq, (unsigned long long)verdict->last_seq);
	if (verdict->removed)
		(void)printf("; %llu before them removed by retention and signed off",
			(unsigned long long)verdict->removed);
	if (verdict->open_calls)
		(void)printf(
			"; %llu calls without an end yet", (unsigned long long)verdict->open_calls);
	if (verdict->kept_seq)
		(void)printf("; the head that was given is row %llu",
			(unsigned long long)verdict->kept_seq);
	(void)printf("\nhead %s\n", verdict->head);
}

static int verb_verify(const struct audit_options_cli *options)
{
	struct audit_verdict verdict;
	struct err err = {0};
	int rc = audit_verify(options->db, options->head, &verdict, &err);
	if (options->json && (rc == 0 || rc == -EBADMSG)) {
		int put = verify_json(&verdict, rc, &err);
		return put < 0 ? finish(put, &(struct err){0}) : status_of(rc);
	}
	if (!rc)
		verify_text(&verdict);
	return finish(rc, &err);
}

static int export_row(const struct audit_row *row, void *user)
{
	(void)user;
	return audit_put_json(audit_row_json(row, true));
}

static int verb_export(const struct audit_options_cli *options)
{
	struct err err = {0};
	return finish(audit_export(options->db, &options->filter, export_row, NULL, &err), &err);
}

int cmd_audit(int argc, char **argv)
{
	struct audit_options_cli options;
	struct err err = {0};
	int rc = audit_options_parse(&options, argc, argv, &err);
	if (rc < 0) {
		(void)fprintf(stderr, "brig: audit: %s (see brig audit -h)\n", err.text);
		return CMD_USAGE;
	}
	if (options.help) {
		(void)fputs(audit_options_help, stdout);
		return CMD_OK;
	}
	if (strcmp(options.verb, "list") == 0)
		return verb_list(&options);
	if (strcmp(options.verb, "show") == 0)
		return verb_show(&options);
	return strcmp(options.verb, "verify") == 0 ? verb_verify(&options) : verb_export(&options);
}

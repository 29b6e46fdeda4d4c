/* e2b_create: what a request for a sandbox may say, and the sandbox. */
#include "api/e2b.h"

#include "api/call.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define TIMEOUT_S_DEFAULT 300u

/* What a request for a sandbox says, kept until the sandbox is there. */
struct creation {
	struct rest *rest;
	struct call *call;
	json_t *metadata;
	char template_id[E2B_NAME_BYTES];
};

int e2b_timeout(const json_t *object, uint64_t *ret_ms)
{
	const json_t *value = json_object_get(object, "timeout");
	json_int_t seconds = TIMEOUT_S_DEFAULT;
	if (value && !json_is_null(value)) {
		if (!json_is_integer(value) || json_integer_value(value) < 0)
			return -EINVAL;
		seconds = json_integer_value(value);
	}
	uint64_t most_s = SESSION_LIFE_MS_MAX / 1000;
	*ret_ms = ((uint64_t)seconds < most_s ? (uint64_t)seconds : most_s) * 1000;
	if (!*ret_ms)
		*ret_ms = 1;
	return 0;
}

bool e2b_read(struct rest *rest, json_t **ret_object)
{
	struct request_fault fault;
	if (request_parse(rest->exchange->body, ret_object, &fault) == 0)
		return true;
	e2b_problem(rest, fault.status, fault.detail);
	return false;
}

static void creation_free(struct creation *creation)
{
	json_decref(creation->metadata);
	free(creation);
}

static void creation_gone(struct rest *rest)
{
	struct creation *creation = rest->user;
	call_leave(creation->call);
	creation_free(creation);
}

static void on_created(void *user, const struct call_end *end)
{
	struct creation *creation = user;
	struct rest *rest = creation->rest;
	struct span id = json_text(json_object_get(json_object_get(end->result, "session"), "id"));
	struct session *session = sessions_by_id(&rest->dispatcher->sessions, id);
	struct e2b_box *box = session ? e2b_box_of(session) : NULL;
	if (box) {
		memcpy(box->template_id, creation->template_id, sizeof(box->template_id));
		box->metadata = TAKE_JSON(creation->metadata);
	}
	rest->on_gone = NULL;
	creation_free(creation);
	if (end->status == 403)
		e2b_problem(rest, 403, e2b_no_sessions);
	else if (end->status)
		rest_problem(rest, end->status, NULL, end->detail, end->retry_after_s);
	else if (!box)
		e2b_problem(rest, 503, "the sandbox could not be made; try again");
	else
		e2b_answer_session(rest, 201, session);
}

static bool is_empty(const json_t *value)
{
	return !value || json_is_null(value) || json_is_false(value) ||
	       (json_is_object(value) && !json_object_size(value)) ||
	       (json_is_array(value) && !json_array_size(value));
}

/* What a request asks for that brig will not do; NULL where there is nothing of that. */
static const char *refused(const json_t *object)
{
	static const struct {
		const char *key, *words;
	} wishes[] = {
		{"envVars",
			"brig gives programs no environment variables: assign the values in the "
			"code, or write them to a file (secrets have no use here: there is no "
			"network)"},
		{"allow_internet_access",
			"brig's sandboxes have no network, and no switch for one: leave "
			"allowInternetAccess out"},
		{"autoPause", "brig's sandboxes cannot be paused: they end with their timeout"},
		{"volumeMounts", "brig has no volumes: write the files into the sandbox"},
		{"mcp", "brig starts no programs in a sandbox, so no MCP gateway either"},
		{"iam", "brig has no identities for sandboxes: there is no network"},
	};
	const json_t *network = json_object_get(object, "network");
	for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++)
		if (!is_empty(json_object_get(object, wishes[i].key)))
			return wishes[i].words;
	if (!is_empty(json_object_get(network, "allowOut")) ||
		!is_empty(json_object_get(network, "rules")))
		return wishes[1].words;
	return NULL;
}

static int take_metadata(const json_t *object, json_t **ret)
{
	json_t *metadata = json_object_get(object, "metadata");
	const char *key;
	json_t *value;
	if (is_empty(metadata))
		return 0;
	if (!json_is_object(metadata) || json_bytes(metadata, E2B_METADATA_BYTES_MAX) == SIZE_MAX)
		return -EINVAL;
	json_object_foreach(metadata, key, value) if (!json_is_string(value)) return -EINVAL;
	*ret = json_incref(metadata);
	return 0;
}

void e2b_create(struct rest *rest)
{
	cleanup_json json_t *object = NULL;
	cleanup_job_spec struct job_spec spec;
	struct creation *creation = calloc(1, sizeof(*creation));
	const struct call_sink sink = {.done = on_created, .user = creation};
	uint64_t life_ms = 0;
	job_spec_init(&spec);
	if (!e2b_read(rest, &object)) {
		free(creation);
		return;
	}
	const char *words = refused(object);
	struct span template_id = json_text(json_object_get(object, "templateID"));
	if (!words && e2b_timeout(object, &life_ms) < 0)
		words = "timeout must be a whole number of seconds";
	if (!words && creation && take_metadata(object, &creation->metadata) < 0)
		words = "metadata must be an object of strings, of at most 16 KiB";
	if (words || !creation) {
		if (creation)
			creation_free(creation);
		e2b_problem(rest, words ? 400 : 503, words ? words : "out of memory");
		return;
	}
	creation->rest = rest;
	if (template_id.len >= sizeof(creation->template_id))
		template_id.len =
			utf8_cut_head(template_id.data, sizeof(creation->template_id) - 1);
	(void)snprintf(creation->template_id, sizeof(creation->template_id), "%.*s",
		(int)template_id.len, template_id.len ? (const char *)template_id.data : "");
	spec.limits = (struct job_limits){0};
	spec.session.use = SESSION_NEW;
	spec.session.idle_ms = spec.session.life_ms = life_ms;
	rest->user = creation;
	rest->on_gone = creation_gone;
	creation->call = call_start(rest->dispatcher, &rest->who, &spec, rest->url_base, &sink);
	if (!creation->call) {
		rest->on_gone = NULL;
		creation_free(creation);
		e2b_problem(rest, 503, "out of memory");
	}
}

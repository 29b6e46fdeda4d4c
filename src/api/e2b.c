/* e2b: callers, errors, and what is kept with a sandbox. */
#include "api/e2b.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

static const char door[] = "e2b";
static const char no_signed[] =
	"brig has no signed URLs: what comes without the sandbox's id and access token opens "
	"nothing; use files.read and files.write, which send them";
/* The SDKs know this status. It says the same of a sandbox of somebody else and of none. */
static const char not_found[] =
	"The sandbox was not found: it has ended, or what came with the request does not open it; "
	"send its envdAccessToken as X-Access-Token, as Sandbox.connect of the SDK does, or the "
	"API key that made it, or make a new sandbox";

const char e2b_no_sessions[] =
	"this token's role has no sandboxes: its `sessions` or its tool run_sandboxed is off in "
	"brig's configuration; an open sandbox can only be killed";

static const char *connect_code(int status)
{
	switch (status) {
	case 400:
	case 413:
	case 422:
		return "invalid_argument";
	case 401:
		return "unauthenticated";
	case 403:
		return "permission_denied";
	case 404:
		return "not_found";
	case 409:
		return "already_exists";
	case 429:
	case 507:
		return "resource_exhausted";
	case 501:
		return "unimplemented";
	case 410:
	case 502:
	case 503:
		return "unavailable";
	default:
		return "internal";
	}
}

void e2b_problem(struct rest *rest, int status, const char *detail)
{
	e2b_problem_as(rest, status, NULL, detail);
}

void e2b_problem_as(struct rest *rest, int status, const char *connect, const char *detail)
{
	cleanup_buf struct buf body = {0};
	buf_init(&body, 8 * KIB);
	/* The SDKs know one kind of argument that will not do, and one of sandbox that is gone. */
	int shown = status == 422 ? 400 : status == 410 ? 502 : status;
	json_t *code = rest->route && rest->route->flags & ROUTE_E2B_RPC
			       ? json_string(connect ? connect : connect_code(shown))
			       : json_integer(shown);
	cleanup_json json_t *object =
		json_pack("{s:o, s:o}", "code", code, "message", json_from_words(detail));
	if (!object || json_write(object, &body) < 0)
		body.len = 0;
	rest_answer(rest, shown, JSON_TYPE, span_of(body.data, body.len));
}

static void box_free(void *user)
{
	struct e2b_box *box = user;
	json_decref(box->metadata);
	free(box);
}

struct e2b_box *e2b_box_of(struct session *session)
{
	struct e2b_box *box = session->user;
	if (box)
		return box;
	box = calloc(1, sizeof(*box));
	if (!box)
		return NULL;
	(void)snprintf(box->template_id, sizeof(box->template_id), "brig");
	(void)snprintf(box->contexts[0].id, sizeof(box->contexts[0].id), E2B_CONTEXT_DEFAULT);
	box->context_count = 1;
	session->user = box;
	session->user_free = box_free;
	return box;
}

struct e2b_context *e2b_context_find(struct e2b_box *box, struct span id)
{
	for (size_t i = 0; i < box->context_count; i++)
		if (span_is(id, box->contexts[i].id))
			return &box->contexts[i];
	return NULL;
}

static struct span key_of(const struct http_head *head)
{
	struct span key = http_field(head, "x-api-key");
	return key.data ? key : who_bearer(head);
}

/* downloadUrl and uploadUrl of the SDKs: a path of /files, and nobody's name. */
static bool asks_signed(const struct http_head *head)
{
	return span_is(head->path, "/files") && !http_field(head, "e2b-sandbox-id").data &&
	       !key_of(head).data;
}

static void refuse(struct rest *rest, enum who_verdict verdict)
{
	const char *words =
		asks_signed(rest->exchange->head)
			? no_signed
			: "a token of this server is needed: set E2B_API_KEY to it, and "
			  "E2B_VALIDATE_API_KEY to false";
	if (verdict == WHO_TOKEN_IN_URL)
		e2b_problem(rest, 400,
			"a token in the URL is refused: URLs are logged; send it as X-API-Key");
	else if (rest_tool(rest))
		rest_refuse_stranger(rest, words);
	else
		e2b_problem(rest, 401, words);
}

/* The access token of one sandbox, which its maker was given. */
static bool opens(const struct session *session, struct span access)
{
	return session->access[0] && access.len == strlen(session->access) &&
	       sodium_memcmp(access.data, session->access, access.len) == 0;
}

static struct session *find_opened(struct rest *rest, struct span id, struct span access)
{
	struct sessions *sessions = &rest->dispatcher->sessions;
	struct session_list *const lists[] = {&sessions->open, &sessions->tombstones};
	struct session *session;
	for (size_t i = 0; i < 2; i++)
		TAILQ_FOREACH(session, lists[i], link)
	if (span_is(id, session->id) && opens(session, access))
		return session;
	return NULL;
}

static struct span access_of(const struct http_head *head)
{
	struct span access = http_field(head, "x-access-token");
	return access.data ? access : http_field(head, "e2b-traffic-access-token");
}

/* A sandbox's side. Whoever cannot open it learns no more than that it is not there. */
static bool check_box_caller(struct rest *rest)
{
	const struct http_head *head = rest->exchange->head;
	struct config *config = rest->dispatcher->config;
	struct span id = http_field(head, "e2b-sandbox-id");
	struct span access = access_of(head), key = key_of(head);
	struct session *session = access.data ? find_opened(rest, id, access) : NULL;
	struct who_made made = session ? session_made(session) : (struct who_made){0};
	if (session && who_again(config, &made, session->access_secret, door, &rest->who))
		return true;
	enum who_verdict verdict = who_of_key(config, rest->exchange, key, door, &rest->who);
	if (verdict == WHO_KNOWN)
		return true;
	if (access.data && verdict == WHO_UNKNOWN && !key.data)
		e2b_problem(rest, 502, not_found);
	else
		refuse(rest, verdict);
	return false;
}

static bool check_account_caller(struct rest *rest)
{
	enum who_verdict verdict = who_of_key(rest->dispatcher->config, rest->exchange,
		key_of(rest->exchange->head), door, &rest->who);
	if (verdict != WHO_KNOWN)
		refuse(rest, verdict);
	return verdict == WHO_KNOWN;
}

bool e2b_check_caller(struct rest *rest)
{
	struct span id = http_field(rest->exchange->head, "e2b-sandbox-id");
	struct err err = {0};
	if (!(rest->route->flags & ROUTE_E2B_BOX))
		return check_account_caller(rest);
	if (!check_box_caller(rest))
		return false;
	if (!sessions_find(&rest->dispatcher->sessions, &rest->who, id) ||
		who_has_sessions(&rest->who, &err) == 0)
		return true;
	const struct audit_call what = {.tool = rest_tool(rest)};
	if (what.tool)
		rest_refuse_tool(rest, &what, e2b_no_sessions);
	else
		e2b_problem(rest, 403, e2b_no_sessions);
	return false;
}

struct session *e2b_session_or(struct rest *rest, struct request_fault *ret_fault)
{
	struct span id = http_field(rest->exchange->head, "e2b-sandbox-id");
	struct session *session = sessions_find(&rest->dispatcher->sessions, &rest->who, id);
	if (!id.data && asks_signed(rest->exchange->head))
		(void)request_refuse(ret_fault, 401, "", "%s", no_signed);
	else if (!id.data)
		(void)request_refuse(ret_fault, 400, "",
			"the field E2b-Sandbox-Id names the sandbox; it is missing");
	else if (!session)
		(void)request_refuse(ret_fault, 502, "", "%s", not_found);
	else if (session->lost)
		(void)request_refuse(
			ret_fault, 502, "", "The sandbox is not running: %s", session->why);
	else
		return session;
	return NULL;
}

struct session *e2b_session(struct rest *rest)
{
	struct request_fault fault;
	struct session *session = e2b_session_or(rest, &fault);
	if (!session)
		e2b_problem(rest, fault.status, fault.detail);
	return session;
}

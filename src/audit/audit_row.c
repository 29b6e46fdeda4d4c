/* audit_row: from a call to a row's texts, and the hash of a row. */
#include "audit/audit_row.h"

#include "base/utf8.h"
#include "tool/json.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>
#include <time.h>

#define ROW_BYTES_MAX (16 * MIB)
#define NAME_BYTES 256u
#define WORD_BYTES 64u

const char *const audit_text_names[AUDIT_TEXTS] = {"kind", "call", "role", "token", "door", "tool",
	"code", "code_sha256", "stdin", "inputs", "limits", "outcome", "usage", "output", "error",
	"note"};

static void hash_number(crypto_generichash_state *state, uint64_t number)
{
	unsigned char bytes[8];
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(number >> (8 * i));
	(void)crypto_generichash_update(state, bytes, sizeof(bytes));
}

void audit_row_hash(const struct audit_row *row, unsigned char ret_hash[AUDIT_HASH_BYTES])
{
	static const char domain[] = "brig-audit-1";
	crypto_generichash_state state;
	(void)crypto_generichash_init(&state, NULL, 0, AUDIT_HASH_BYTES);
	(void)crypto_generichash_update(&state, (const unsigned char *)domain, sizeof(domain));
	(void)crypto_generichash_update(&state, row->prev, AUDIT_HASH_BYTES);
	hash_number(&state, row->seq);
	hash_number(&state, row->time_us);
	hash_number(&state, row->writer);
	hash_number(&state, row->code_bytes);
	for (size_t i = 0; i < AUDIT_TEXTS; i++) {
		hash_number(&state, row->texts[i].len);
		if (row->texts[i].len)
			(void)crypto_generichash_update(
				&state, row->texts[i].data, row->texts[i].len);
	}
	(void)crypto_generichash_final(&state, ret_hash, AUDIT_HASH_BYTES);
}

void audit_row_set(struct audit_row *row, enum audit_text which, const char *text)
{
	row->texts[which] = span_text(text);
}

uint64_t audit_now_us(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

/* How much of a call's code is kept, and of how much that is made. */
struct code_room {
	size_t look_bytes, max_bytes;
};

/*
 * Jobs are kept whole: quotas bound them. Refusals and expressions that are none are cheap for the
 * caller, and must not push everybody's rows out of a log of bounded size.
 */
static struct code_room code_room(const char *kind, const struct audit_end *end)
{
	const char *outcome = end && end->outcome ? end->outcome : "";
	bool failed = end && strcmp(outcome, outcome_name(OUTCOME_OK)) != 0;
	if (failed && strcmp(kind, AUDIT_KIND_SINGLE) == 0)
		return (struct code_room){AUDIT_LOOK_BYTES, AUDIT_REFUSED_CODE_BYTES};
	return (struct code_room){AUDIT_CODE_BYTES, AUDIT_CODE_BYTES};
}

/* A row's texts while its storage still grows: places, made into spans at the end. */
struct draft {
	struct buf *storage;
	struct redact *redact;
	size_t at[AUDIT_TEXTS], len[AUDIT_TEXTS];
};

/* SQL's functions on text end at a NUL, so none gets in. */
static int add_escaped(struct buf *out, struct span text)
{
	int rc = 0;
	while (!rc && text.len) {
		const unsigned char *nul = memchr(text.data, 0, text.len);
		size_t length = nul ? (size_t)(nul - text.data) : text.len;
		rc = utf8_escape(out, text.data, length);
		if (!rc && nul)
			rc = buf_add_text(out, "\\x00");
		length += nul ? 1 : 0;
		text = span_of(text.data + length, text.len - length);
	}
	return rc;
}

/*
 * Appends `text` without its secrets, at most `max_bytes` of it. Of a text that is longer than
 * `look_bytes` only the beginning is read, and what the redactor then still holds back is left out:
 * it may be half a secret.
 */
static int add_redacted(
	struct draft *draft, struct buf *out, struct span text, size_t look_bytes, size_t max_bytes)
{
	static const char cut_mark[] = "\n[cut]";
	cleanup_buf struct buf clean = {0};
	bool cut = text.len > look_bytes;
	buf_init(&clean, 2 * look_bytes + 4 * KIB);
	int rc = redact_push(draft->redact, text.data, cut ? look_bytes : text.len, &clean);
	if (!rc && !cut)
		rc = redact_finish(draft->redact, &clean);
	redact_reset(draft->redact);
	if (rc == -ENOSPC)
		rc = 0;
	size_t keep = clean.len;
	if (keep > max_bytes) {
		keep = utf8_cut_head(clean.data, max_bytes);
		cut = true;
	}
	if (!rc && keep)
		rc = add_escaped(out, span_of(clean.data, keep));
	if (!rc && cut)
		rc = buf_add(out, cut_mark, sizeof(cut_mark) - 1);
	return rc;
}

static void begin(struct draft *draft, enum audit_text which)
{
	draft->at[which] = draft->storage->len;
}

static void end_text(struct draft *draft, enum audit_text which)
{
	draft->len[which] = draft->storage->len - draft->at[which];
}

static int put(struct draft *draft, enum audit_text which, const char *text)
{
	begin(draft, which);
	size_t length = text ? strnlen(text, WORD_BYTES) : 0;
	int rc = add_escaped(draft->storage, span_of(text, length));
	end_text(draft, which);
	return rc;
}

static int put_redacted(struct draft *draft, enum audit_text which, struct span text,
	size_t look_bytes, size_t max_bytes)
{
	begin(draft, which);
	int rc = text.len ? add_redacted(draft, draft->storage, text, look_bytes, max_bytes) : 0;
	end_text(draft, which);
	return rc;
}

static json_t *input_json(struct draft *draft, const struct audit_input *input)
{
	cleanup_buf struct buf name = {0};
	char hex[AUDIT_HASH_HEX_BYTES];
	buf_init(&name, 16 * KIB);
	if (add_redacted(draft, &name, span_text(input->name), NAME_BYTES, NAME_BYTES) < 0)
		return NULL;
	(void)sodium_bin2hex(hex, sizeof(hex), input->sha256, 32);
	json_t *object = json_object();
	int rc = json_put(object, "name", json_from_text(span_of(name.data, name.len))) |
		 json_put(object, "bytes", json_integer((json_int_t)input->bytes)) |
		 json_put(object, "sha256", json_string(hex));
	if (!rc)
		return object;
	json_decref(object);
	return NULL;
}

static int put_inputs(struct draft *draft, const struct audit_call *call)
{
	int rc = 0;
	begin(draft, AUDIT_TEXT_INPUTS);
	if (call->input_count) {
		cleanup_json json_t *array = json_array();
		for (size_t i = 0; !rc && i < call->input_count && i < LIMIT_INPUTS; i++)
			rc = json_push(array, input_json(draft, &call->inputs[i]));
		rc = rc ? -ENOMEM : json_write(array, draft->storage);
	}
	end_text(draft, AUDIT_TEXT_INPUTS);
	return rc;
}

static int put_limits(struct draft *draft, const struct job_limits *limits)
{
	int rc = 0;
	begin(draft, AUDIT_TEXT_LIMITS);
	if (limits)
		rc = buf_printf(draft->storage,
			"{\"wall_ms\":%u,\"cpu_ms\":%u,\"memory_bytes\":%llu,\"output_bytes\":%"
			"llu}",
			limits->wall_ms, limits->cpu_ms, (unsigned long long)limits->memory_bytes,
			(unsigned long long)limits->output_bytes);
	end_text(draft, AUDIT_TEXT_LIMITS);
	return rc;
}

static int put_usage(struct draft *draft, const struct job_usage *usage)
{
	int rc = 0;
	begin(draft, AUDIT_TEXT_USAGE);
	if (usage)
		rc = buf_printf(draft->storage,
			"{\"wall_ms\":%llu,\"cpu_ms\":%llu,\"memory_peak_bytes\":%llu,"
			"\"processes_peak\":%u}",
			(unsigned long long)usage->wall_ms, (unsigned long long)usage->cpu_ms,
			(unsigned long long)usage->memory_peak_bytes, usage->processes_peak);
	end_text(draft, AUDIT_TEXT_USAGE);
	return rc;
}

static int put_code(
	struct draft *draft, const struct audit_call *call, const struct code_room *room)
{
	unsigned char sha256[crypto_hash_sha256_BYTES];
	char hex[2 * sizeof(sha256) + 1] = "";
	if (call->code.len) {
		(void)crypto_hash_sha256(sha256, call->code.data, call->code.len);
		(void)sodium_bin2hex(hex, sizeof(hex), sha256, sizeof(sha256));
	}
	begin(draft, AUDIT_TEXT_CODE_SHA256);
	int rc = buf_add_text(draft->storage, hex);
	end_text(draft, AUDIT_TEXT_CODE_SHA256);
	if (!rc)
		rc = put_redacted(
			draft, AUDIT_TEXT_CODE, call->code, room->look_bytes, room->max_bytes);
	if (!rc)
		rc = put_redacted(draft, AUDIT_TEXT_STDIN, call->stdin_head, AUDIT_LOOK_BYTES,
			AUDIT_STDIN_BYTES);
	if (!rc)
		rc = put_inputs(draft, call);
	return rc ? rc : put_limits(draft, call->limits);
}

static int put_end(struct draft *draft, const struct audit_end *end)
{
	int rc = put(draft, AUDIT_TEXT_OUTCOME, end->outcome);
	if (!rc)
		rc = put_usage(draft, end->usage);
	if (!rc)
		rc = put_redacted(draft, AUDIT_TEXT_OUTPUT, end->output, AUDIT_LOOK_BYTES,
			AUDIT_OUTPUT_BYTES);
	return rc ? rc
		  : put_redacted(draft, AUDIT_TEXT_ERROR, end->error, AUDIT_LOOK_BYTES,
			    AUDIT_ERROR_BYTES);
}

static int put_note(struct draft *draft, const struct audit_call *call)
{
	int rc = 0;
	begin(draft, AUDIT_TEXT_NOTE);
	/* A caller may write anything for an id. */
	if (call->session && call->session[0]) {
		cleanup_json json_t *note = json_object();
		cleanup_buf struct buf id = {0};
		buf_init(&id, 4 * KIB);
		rc = add_redacted(draft, &id, span_text(call->session), NAME_BYTES, NAME_BYTES);
		if (!rc)
			rc = json_put(note, "session", json_from_text(span_of(id.data, id.len)));
		if (!rc)
			rc = json_write(note, draft->storage);
	}
	end_text(draft, AUDIT_TEXT_NOTE);
	return rc;
}

static struct span head(struct span text, size_t bytes)
{
	return span_of(text.data, text.len < bytes ? text.len : bytes);
}

/* A secret by its name in the code is one in the output too, and the other way round. */
static int learn(struct redact *redact, const struct audit_call *call, const struct audit_end *end,
	size_t code_bytes)
{
	int rc = redact_learn(redact, head(call->code, code_bytes));
	if (!rc)
		rc = redact_learn(redact, head(call->stdin_head, AUDIT_LOOK_BYTES));
	for (size_t i = 0; !rc && i < call->input_count && i < LIMIT_INPUTS; i++)
		rc = redact_learn(redact, head(span_text(call->inputs[i].name), NAME_BYTES));
	if (!rc && end)
		rc = redact_learn(redact, head(end->output, AUDIT_LOOK_BYTES));
	return rc || !end ? rc : redact_learn(redact, head(end->error, AUDIT_LOOK_BYTES));
}

static int make_texts(struct draft *draft, const char *kind, const struct audit_call *call,
	const struct audit_end *end, const struct code_room *room)
{
	struct span tool = span_text(call->tool ? call->tool : "");
	int rc = put(draft, AUDIT_TEXT_KIND, kind);
	if (!rc)
		rc = put(draft, AUDIT_TEXT_CALL, call->id);
	if (!rc)
		rc = put(draft, AUDIT_TEXT_ROLE, call->role);
	if (!rc)
		rc = put(draft, AUDIT_TEXT_TOKEN, call->token);
	if (!rc)
		rc = put(draft, AUDIT_TEXT_DOOR, call->door);
	if (!rc)
		rc = put_redacted(draft, AUDIT_TEXT_TOOL, tool, NAME_BYTES, WORD_BYTES);
	if (!rc)
		rc = put_note(draft, call);
	if (!rc && room)
		rc = put_code(draft, call, room);
	return rc || !end ? rc : put_end(draft, end);
}

int audit_row_make(struct audit_row *row, const char *kind, const struct audit_call *call,
	const struct audit_end *end, struct redact *redact, struct buf *storage)
{
	struct draft draft = {.storage = storage, .redact = redact};
	bool whole = strcmp(kind, AUDIT_KIND_COMPLETED) != 0;
	if (!call->id || !call->id[0] || strlen(call->id) > AUDIT_CALL_ID_BYTES)
		return -EINVAL;
	storage->cap_bytes = ROW_BYTES_MAX;
	const struct code_room room = code_room(kind, end);
	int rc = learn(redact, call, end, room.look_bytes);
	if (!rc)
		rc = make_texts(&draft, kind, call, end, whole ? &room : NULL);
	redact_unlearn(redact);
	if (rc < 0)
		return rc == -ENOSPC ? -E2BIG : rc;
	*row = (struct audit_row){
		.time_us = audit_now_us(), .code_bytes = whole ? call->code.len : 0};
	for (size_t i = 0; i < AUDIT_TEXTS; i++)
		row->texts[i] =
			span_of(draft.len[i] ? storage->data + draft.at[i] : NULL, draft.len[i]);
	return 0;
}

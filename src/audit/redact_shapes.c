/*
 * redact_shapes: known tokens, as a table: prefix, charset, length.
 *
 * A shape whose prefix is telling needs no more than its least length: all of the run goes. One
 * whose prefix may be part of data or of a word must begin a word, and where SHAPE_EXACT stands its
 * run must end where it should.
 */
#include "audit/redact_parts.h"

#include <string.h>

enum {
	SHAPE_BEGINS = 1, /* a word begins at the prefix (or at what stands before it) */
	SHAPE_EXACT = 2,  /* the run is of min to max characters, then no letter or digit */
	SHAPE_MIXED = 4,  /* an upper-case letter or a digit is in it */
	SHAPE_UPPER = 8,  /* an upper-case letter is in it */
};

struct shape {
	const char *label;
	const char *prefix;
	uint32_t tail; /* class */
	uint16_t min, max;
	uint16_t flags;
	uint16_t back;	     /* how many characters before the prefix belong to it … */
	uint32_t back_class; /* … and their class */
	const char *inside;  /* what the tail must hold */
};

#define HEX CLASS_HEX_LOWER
#define INSIDE_MAX 110u /* where it must show: real ones have it after 20 to 74 characters */

static const struct shape shapes[] = {
	{"aws", "AKIA", CLASS_BASE32, 16, 16, SHAPE_BEGINS | SHAPE_EXACT, 0, 0, NULL},
	{"aws", "ASIA", CLASS_BASE32, 16, 16, SHAPE_BEGINS | SHAPE_EXACT, 0, 0, NULL},
	{"aws", "ABIA", CLASS_BASE32, 16, 16, SHAPE_BEGINS | SHAPE_EXACT, 0, 0, NULL},
	{"aws", "ACCA", CLASS_BASE32, 16, 16, SHAPE_BEGINS | SHAPE_EXACT, 0, 0, NULL},
	{"bedrock", "ABSK", CLASS_BASE64, 109, 0, SHAPE_BEGINS, 0, 0, NULL},
	{"github", "ghp_", CLASS_ALNUM, 36, 0, 0, 0, 0, NULL},
	{"github", "gho_", CLASS_ALNUM, 36, 0, 0, 0, 0, NULL},
	{"github", "ghu_", CLASS_ALNUM, 36, 0, 0, 0, 0, NULL},
	{"github", "ghr_", CLASS_ALNUM, 36, 0, 0, 0, 0, NULL},
	{"github", "ghs_", CLASS_URL | CLASS_DOT, 36, 0, 0, 0, 0, NULL},
	{"github", "github_pat_", CLASS_ALNUM | CLASS_UNDER, 82, 0, 0, 0, 0, NULL},
	{"gitlab", "glpat-", CLASS_URL | CLASS_DOT, 20, 0, 0, 0, 0, NULL},
	{"gitlab", "glptt-", HEX, 40, 0, 0, 0, 0, NULL},
	{"slack", "xoxb-", CLASS_ALNUM | CLASS_DASH, 10, 0, 0, 0, 0, NULL},
	{"slack", "xoxp-", CLASS_ALNUM | CLASS_DASH, 10, 0, 0, 0, 0, NULL},
	{"slack", "xoxa-", CLASS_ALNUM | CLASS_DASH, 10, 0, 0, 0, 0, NULL},
	{"slack", "xoxr-", CLASS_ALNUM | CLASS_DASH, 10, 0, 0, 0, 0, NULL},
	{"slack", "xoxs-", CLASS_ALNUM | CLASS_DASH, 10, 0, 0, 0, 0, NULL},
	{"slack", "xapp-", CLASS_ALNUM | CLASS_DASH, 10, 0, SHAPE_MIXED, 0, 0, NULL},
	{"slack", "hooks.slack.com/services/", CLASS_ALNUM | CLASS_SLASH_PLUS, 40, 0, 0, 0, 0,
		NULL},
	{"anthropic", "sk-ant-", CLASS_URL, 80, 0, 0, 0, 0, NULL},
	{"openai", "sk-proj-", CLASS_URL, 40, 0, SHAPE_BEGINS | SHAPE_MIXED, 0, 0, NULL},
	{"openai", "sk-svcacct-", CLASS_URL, 40, 0, SHAPE_BEGINS | SHAPE_MIXED, 0, 0, NULL},
	{"openai", "sk-admin-", CLASS_URL, 40, 0, SHAPE_BEGINS | SHAPE_MIXED, 0, 0, NULL},
	{"openai", "sk-", CLASS_URL, 40, 0, 0, 0, 0, "T3BlbkFJ"},
	{"google", "AIza", CLASS_URL, 35, 0, SHAPE_BEGINS, 0, 0, NULL},
	{"stripe", "sk_live_", CLASS_ALNUM, 10, 99, SHAPE_BEGINS | SHAPE_MIXED, 0, 0, NULL},
	{"stripe", "sk_test_", CLASS_ALNUM, 10, 99, SHAPE_BEGINS | SHAPE_MIXED, 0, 0, NULL},
	{"stripe", "sk_prod_", CLASS_ALNUM, 10, 99, SHAPE_BEGINS | SHAPE_MIXED, 0, 0, NULL},
	{"stripe", "rk_live_", CLASS_ALNUM, 10, 99, SHAPE_BEGINS | SHAPE_MIXED, 0, 0, NULL},
	{"stripe", "rk_test_", CLASS_ALNUM, 10, 99, SHAPE_BEGINS | SHAPE_MIXED, 0, 0, NULL},
	{"stripe", "rk_prod_", CLASS_ALNUM, 10, 99, SHAPE_BEGINS | SHAPE_MIXED, 0, 0, NULL},
	{"npm", "npm_", CLASS_ALNUM, 36, 0, 0, 0, 0, NULL},
	{"pypi", "pypi-AgEIcHlwaS5vcmc", CLASS_URL, 50, 0, 0, 0, 0, NULL},
	{"huggingface", "hf_", CLASS_LETTER, 34, 34, SHAPE_BEGINS | SHAPE_EXACT | SHAPE_UPPER, 0, 0,
		NULL},
	{"sendgrid", "SG.", CLASS_URL | CLASS_DOT, 66, 0, SHAPE_BEGINS | SHAPE_MIXED, 0, 0, NULL},
	{"twilio", "SK", HEX, 32, 32, SHAPE_BEGINS | SHAPE_EXACT, 0, 0, NULL},
	{"digitalocean", "dop_v1_", HEX, 64, 0, 0, 0, 0, NULL},
	{"digitalocean", "doo_v1_", HEX, 64, 0, 0, 0, 0, NULL},
	{"digitalocean", "dor_v1_", HEX, 64, 0, 0, 0, 0, NULL},
	{"shopify", "shpat_", HEX, 32, 0, 0, 0, 0, NULL},
	{"databricks", "dapi", HEX, 32, 32, SHAPE_BEGINS | SHAPE_EXACT, 0, 0, NULL},
	{"vault", "hvs.", CLASS_URL, 90, 0, 0, 0, 0, NULL},
	{"vault", "hvb.", CLASS_URL, 138, 0, 0, 0, 0, NULL},
	{"terraform", ".atlasv1.", CLASS_URL | CLASS_EQUALS, 60, 0, SHAPE_BEGINS, 14, CLASS_ALNUM,
		NULL},
	/* Its back is three characters, of which a few are no letters, and a digit. */
	{"azure", "Q~", CLASS_URL | CLASS_DOT | CLASS_TILDE, 31, 0, 0, 4,
		CLASS_URL | CLASS_DOT | CLASS_TILDE, NULL},
	{"grafana", "glsa_", CLASS_ALNUM | CLASS_UNDER, 41, 0, 0, 0, 0, NULL},
	{"grafana", "glc_", CLASS_BASE64, 32, 0, SHAPE_BEGINS | SHAPE_MIXED, 0, 0, NULL},
	{"linear", "lin_api_", CLASS_ALNUM, 40, 0, 0, 0, 0, NULL},
	{"notion", "ntn_", CLASS_ALNUM, 46, 0, 0, 0, 0, NULL},
	{"perplexity", "pplx-", CLASS_ALNUM, 48, 0, 0, 0, 0, NULL},
	{"pulumi", "pul-", HEX, 40, 0, SHAPE_BEGINS, 0, 0, NULL},
	{"rubygems", "rubygems_", HEX, 48, 0, 0, 0, 0, NULL},
	/* Names of brig's own, of metrics and cgroups, have no capital letter. */
	{"brig", "brig_", CLASS_URL, 43, 0, SHAPE_UPPER, 0, 0, NULL},
	{"age", "AGE-SECRET-KEY-1", CLASS_BECH32, 58, 0, 0, 0, 0, NULL},
};
#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

void redact_classes(uint16_t classes[256])
{
	static const struct {
		uint16_t bit;
		const char *members;
	} sets[] = {{CLASS_DIGIT, "0123456789"}, {CLASS_LOWER, "abcdefghijklmnopqrstuvwxyz"},
		{CLASS_UPPER, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}, {CLASS_HEX_LOWER, "0123456789abcdef"},
		{CLASS_BASE32, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"},
		{CLASS_BECH32, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"}, {CLASS_DASH, "-"},
		{CLASS_UNDER, "_"}, {CLASS_DOT, "."}, {CLASS_SLASH_PLUS, "/+"}, {CLASS_EQUALS, "="},
		{CLASS_TILDE, "~"}};
	memset(classes, 0, 256 * sizeof(classes[0]));
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		for (const char *at = sets[i].members; *at; at++)
			classes[(unsigned char)*at] |= sets[i].bit;
	for (unsigned c = 0; c < 256; c++) {
		bool breaks = c == '\n' || c == '\r' || c == 0;
		bool quotes = c == '"' || c == '\'' || c == '`';
		if (!breaks)
			classes[c] |= CLASS_LINE;
		if (!breaks && !quotes)
			classes[c] |= CLASS_HEADER;
		if (c > ' ' && c != 0x7f && !quotes)
			classes[c] |= CLASS_SOLID;
		if (c > ' ' && c != 0x7f && !quotes && !strchr(",;&<>(){}[]|\\", (int)c))
			classes[c] |= CLASS_WORD;
	}
}

size_t redact_run(const struct redact_view *view, size_t from, unsigned mask, size_t max)
{
	size_t end = from;
	while (end < view->len && end - from < max && (view->classes[view->data[end]] & mask))
		end++;
	return end - from;
}

static bool is_hex(const struct redact_view *view, size_t at)
{
	unsigned char c = view->data[at];
	return (view->classes[c] & CLASS_HEX_LOWER) || (c >= 'A' && c <= 'F');
}

/* "\n", "\x0a", "\u000a", "%3D", "\x1b[0m": their last letter is no part of the word behind. */
static bool ends_escape(const struct redact_view *view, size_t at)
{
	const unsigned char *data = view->data;
	if (at >= 2 && data[at - 2] == '\\' && strchr("nrtbfv0", data[at - 1]))
		return true;
	if (data[at - 1] == 'm') {
		size_t from = at - 1;
		while (from > 0 && at - from < 12 &&
			((view->classes[data[from - 1]] & CLASS_DIGIT) || data[from - 1] == ';'))
			from--;
		return from > 0 && data[from - 1] == '[';
	}
	if (at < 3 || !is_hex(view, at - 1) || !is_hex(view, at - 2))
		return false;
	if (data[at - 3] == '%' || (at >= 4 && data[at - 4] == '\\' && data[at - 3] == 'x'))
		return true;
	return at >= 6 && data[at - 6] == '\\' && data[at - 5] == 'u';
}

bool redact_boundary(const struct redact_view *view, size_t at)
{
	return at == 0 || !(view->classes[view->data[at - 1]] & CLASS_ALNUM) ||
	       ends_escape(view, at);
}

/* Whether what stands before the prefix is as the shape wants it; `*ret_start` is where it begins.
 */
static bool back_fits(const struct redact_view *view, const struct shape *shape, size_t *ret_start)
{
	if (view->at < shape->back)
		return false;
	size_t start = view->at - shape->back;
	for (size_t i = start; i < view->at; i++)
		if (!(view->classes[view->data[i]] & shape->back_class))
			return false;
	*ret_start = start;
	if (shape->prefix[0] == 'Q')
		return view->classes[view->data[view->at - 1]] & CLASS_DIGIT;
	return !(shape->flags & SHAPE_BEGINS) || redact_boundary(view, start);
}

static bool is_mixed(const struct redact_view *view, size_t from, size_t length, unsigned mask)
{
	for (size_t i = from; i < from + length; i++)
		if (view->classes[view->data[i]] & mask)
			return true;
	return false;
}

static enum redact_found tail_fits(
	const struct redact_view *view, const struct shape *shape, size_t from, size_t *ret_length)
{
	size_t look = shape->inside ? INSIDE_MAX : shape->max ? shape->max + 1u : shape->min;
	size_t length = redact_run(view, from, shape->tail, look);
	if (length < look && redact_ends(view, from + length))
		return REDACT_MORE;
	if (length < shape->min || ((shape->flags & SHAPE_EXACT) && length > shape->max))
		return REDACT_NONE;
	if ((shape->flags & SHAPE_EXACT) && from + length < view->len &&
		(view->classes[view->data[from + length]] & CLASS_ALNUM))
		return REDACT_NONE;
	if ((shape->flags & SHAPE_MIXED) &&
		!is_mixed(view, from, length, CLASS_UPPER | CLASS_DIGIT))
		return REDACT_NONE;
	if ((shape->flags & SHAPE_UPPER) && !is_mixed(view, from, length, CLASS_UPPER))
		return REDACT_NONE;
	if (shape->inside &&
		!memmem(view->data + from, length, shape->inside, strlen(shape->inside)))
		return REDACT_NONE;
	*ret_length = length;
	return REDACT_MATCH;
}

/* Compares what is there; MORE where all of that fits and the window ends. */
static enum redact_found prefix_fits(const struct redact_view *view, const char *prefix)
{
	size_t length = strlen(prefix), there = view->len - view->at;
	if (memcmp(view->data + view->at, prefix, there < length ? there : length) != 0)
		return REDACT_NONE;
	return there >= length ? REDACT_MATCH : view->final ? REDACT_NONE : REDACT_MORE;
}

static enum redact_found match_shape(
	const struct redact_view *view, const struct shape *shape, struct redact_match *ret_match)
{
	size_t start, length = 0, from = view->at + strlen(shape->prefix);
	enum redact_found found = prefix_fits(view, shape->prefix);
	if (found == REDACT_NONE || !back_fits(view, shape, &start))
		return REDACT_NONE;
	if (found == REDACT_MATCH)
		found = tail_fits(view, shape, from, &length);
	if (found == REDACT_MATCH)
		*ret_match = (struct redact_match){.start = start,
			.end = from + length,
			.label = shape->label,
			.rest = shape->flags & SHAPE_EXACT ? REST_NOTHING : REST_CLASS,
			.rest_class = (uint16_t)shape->tail};
	return found;
}

enum redact_found redact_shape(const struct redact_view *view, struct redact_match *ret_match)
{
	for (size_t i = 0; i < SHAPES; i++) {
		if ((unsigned char)shapes[i].prefix[0] != view->data[view->at])
			continue;
		enum redact_found found = match_shape(view, &shapes[i], ret_match);
		if (found != REDACT_NONE)
			return found;
	}
	return redact_block(view, ret_match);
}

void redact_shape_pairs(
	void (*add)(unsigned char first, unsigned char second, void *user), void *user)
{
	for (size_t i = 0; i < SHAPES; i++)
		add((unsigned char)shapes[i].prefix[0], (unsigned char)shapes[i].prefix[1], user);
	add('e', 'y', user);
	add('-', '-', user);
	add('-', 'u', user);
	add('B', 'a', user);
	add('b', 'a', user);
}

/*
 * page: GET / and what it loads.
 *
 * The page shows what strangers' code printed, so its policy leaves a browser nothing to run but
 * the page's own modules: no inline script or style, no other origin, no frame, no form, and no
 * text that becomes a script or markup (Trusted Types, with no policy allowed).
 */
#include "api/page.h"

#include "api/rest.h"

static const char policy[] =
	"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
	"connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
	"require-trusted-types-for 'script'; trusted-types 'none'";

static const struct page_asset *find(struct span path)
{
	for (size_t i = 0; i < page_asset_count; i++)
		if (span_is(path, page_assets[i].path))
			return &page_assets[i];
	return NULL;
}

/* RFC 9110, 13.1.2: weakly compared, so W/ makes no difference. */
static bool is_known(const struct http_head *head, const char *etag)
{
	struct span list = http_field(head, "if-none-match"), tag;
	while (http_list_next(&list, &tag)) {
		if (tag.len > 2 && memcmp(tag.data, "W/", 2) == 0)
			tag = span_of(tag.data + 2, tag.len - 2);
		if (span_is(tag, "*") || span_is(tag, etag))
			return true;
	}
	return false;
}

void rest_page(struct rest *rest)
{
	struct http_exchange *exchange = rest->exchange;
	const struct page_asset *asset = find(exchange->head->path);
	if (!asset) {
		rest_problem(rest, 404, NULL, "the page has no such file", 0);
		return;
	}
	exchange->revalidate = true;
	http_add_field(exchange, "ETag", asset->etag);
	http_add_field(exchange, "Content-Security-Policy", policy);
	http_add_field(exchange, "Referrer-Policy", "no-referrer");
	http_add_field(exchange, "Cross-Origin-Opener-Policy", "same-origin");
	http_add_field(exchange, "Cross-Origin-Resource-Policy", "same-origin");
	if (is_known(exchange->head, asset->etag))
		rest_answer(rest, 304, NULL, span_of("", 0));
	else
		rest_answer(rest, 200, asset->type, span_of(asset->data, asset->bytes));
}

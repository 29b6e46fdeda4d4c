/*
 * page: the playground, served from memory. Its files are compiled in: web/embed makes the table
 * from web/ and from what web/bundle leaves in build/web.
 */
#ifndef BRIG_API_PAGE_H
#define BRIG_API_PAGE_H

#include <stddef.h>

struct page_asset {
	const char *path; /* of the URL */
	const char *type;
	const char *etag; /* with its quotes */
	const unsigned char *data;
	size_t bytes;
};

extern const struct page_asset page_assets[];
extern const size_t page_asset_count;

#endif

/* openapi: the description of the REST routes. Source: OpenAPI Specification 3.1.0. */
#ifndef BRIG_API_OPENAPI_H
#define BRIG_API_OPENAPI_H

#include "tool/json.h"

/* A new reference, or NULL where memory is out. `server_url` may be empty. */
json_t *openapi_document(const char *server_url);

#endif

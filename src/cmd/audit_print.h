/* audit_print: rows and calls of the log as text for a terminal and as JSON. */
#ifndef BRIG_CMD_AUDIT_PRINT_H
#define BRIG_CMD_AUDIT_PRINT_H

#include "audit/audit_query.h"
#include "tool/json.h"

/* One line: time, id, role, token, tool, outcome, wall time, the beginning of the code. */
int audit_print_call(const struct audit_found *found) MUST_CHECK;

/* A row, a field a line, code and output indented below their names. */
int audit_print_row(const struct audit_row *row) MUST_CHECK;

/* A row with `inputs`, `limits`, `usage` and `note` as JSON; or, `raw`, as the text that is hashed.
 */
json_t *audit_row_json(const struct audit_row *row, bool raw);

/* A call: what it began with and how it ended. */
json_t *audit_found_json(const struct audit_found *found);

/* The same for a list: no output, of the code only `code_head`. */
json_t *audit_brief_json(const struct audit_found *found);

/* Writes it to stdout, with a line break. Takes `value`, which may be NULL. 0 or -errno. */
int audit_put_json(json_t *value) MUST_CHECK;

#endif

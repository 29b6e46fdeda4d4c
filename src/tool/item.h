/*
 * item: what a cell's runtime reported, checked against the contract.
 *
 * The payloads come from inside the jail: whoever writes code can write them. So each is read with
 * caps, every member is checked for its type and size, members that the contract does not know are
 * dropped, and what is too large is cut with its true size. Integers beyond 2^53 become tagged
 * text. A forged item can at worst spoil the result of its own job.
 *
 * All of these return 0 and a new reference, -EBADMSG where nothing of the item is usable, or
 * -ENOMEM.
 */
#ifndef BRIG_TOOL_ITEM_H
#define BRIG_TOOL_ITEM_H

#include "tool/json.h"
#include "wire/limits.h"

#define ITEM_TEXT_BYTES (32 * KIB) /* the value, or a table, as text */
#define ITEM_RICH_BYTES (64 * KIB) /* html, json, markdown, latex, svg: each */
#define ITEM_TABLE_BYTES (512 * KIB)
#define ITEM_CELL_BYTES (1 * KIB)
#define ITEM_NAME_BYTES 256u
#define ITEM_MESSAGE_BYTES (1 * KIB)
#define ITEM_TRACEBACK_BYTES (4 * KIB)

/* {text, html?, json?, table?, markdown?, latex?, svg?, cut?} */
int item_value(struct span payload, json_t **ret_value) MUST_CHECK;

/* {table: {name?, columns, index?, rows, row_count, truncated, column_count?}, text} */
int item_table(struct span payload, json_t **ret_table) MUST_CHECK;

/* {type, message, line?, traceback} */
int item_error(struct span payload, json_t **ret_error) MUST_CHECK;

/* A table's own object, from one that has been read. */
int item_table_check(const json_t *raw, json_t **ret_table) MUST_CHECK;

/* `raw` with tagged integers, where it takes at most `max_bytes` as JSON; else -E2BIG. */
int item_plain(const json_t *raw, size_t max_bytes, json_t **ret_plain) MUST_CHECK;

/* Puts raw[key] into `object` if it is a string, cut to `max_bytes`. 0 also where it is not. */
int item_copy_text(json_t *object, const json_t *raw, const char *key, size_t max_bytes) MUST_CHECK;

#endif

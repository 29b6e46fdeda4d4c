/*
 * schema: the two tools as a model and its client see them: name, title, description, JSON Schema
 * 2020-12 of arguments and result, annotations.
 *
 * The descriptions carry what a model has to know to write code that works the first time. They
 * name the libraries that the image's recipe advertises, and nothing else of the image.
 */
#ifndef BRIG_TOOL_SCHEMA_H
#define BRIG_TOOL_SCHEMA_H

#include "tool/json.h"
#include "tool/role.h"

struct schema_facts {
	const char *python;	 /* "3.13.5"; empty: not said */
	const char *advertise;	 /* "numpy 2.2.4, pandas 2.2.3"; empty: not said */
	const struct role *role; /* its limits; NULL: the product's defaults */
	bool has_images;	 /* whether image data may come with the result */
};

enum schema_format { SCHEMA_MCP, SCHEMA_OPENAI, SCHEMA_ANTHROPIC };

/* One tool. A new reference, or NULL where memory is out. */
json_t *schema_tool(
	enum role_tool tool, const struct schema_facts *facts, enum schema_format format);

/* All tools of the role (all of them without one), in a fixed order, as an array. */
json_t *schema_tools(const struct schema_facts *facts, enum schema_format format);

/* JSON Schemas alone, "calculate" or "run_sandboxed": of the arguments, for whoever may have
 * sessions or not; of the result. */
json_t *schema_input(enum role_tool tool, bool sessions);
json_t *schema_output(enum role_tool tool);

#endif

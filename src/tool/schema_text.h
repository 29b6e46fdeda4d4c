/* schema_text: the schemas and descriptions as text, for schema.c. */
#ifndef BRIG_TOOL_SCHEMA_TEXT_H
#define BRIG_TOOL_SCHEMA_TEXT_H

extern const char schema_calculate_input[];
extern const char schema_calculate_output[];
extern const char schema_calculate_description[], schema_calculate_else[];
extern const char schema_run_input[];
extern const char schema_run_session[]; /* the member of the input that some roles have */
extern const char schema_run_output[];

#endif

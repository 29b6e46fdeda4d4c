"""Every cap of the runtime in one place; the service enforces its own copies of them."""

KIB = 1024
MIB = 1024 * KIB

FRAME_BYTES = 1 * MIB  # one control frame
FRAMES_BYTES = 4 * MIB  # all frames of a job
FRAMES_RESERVE_BYTES = 64 * KIB  # of these, kept for error, hint and notes
FRAMES_COUNT = 200
NOTES_COUNT = 20
NOTE_BYTES = 1 * KIB

VALUE_TEXT_BYTES = 32 * KIB
RICH_BYTES = 64 * KIB  # html, json, markdown, latex, svg: each
JSON_NODES = 20_000
JSON_DEPTH = 32

TABLES = 20
TABLE_ROWS = 50
TABLE_COLUMNS = 20
TABLE_BYTES = 256 * KIB  # a table as JSON
TABLE_TEXT_BYTES = 32 * KIB
CELL_BYTES = 1 * KIB
NAME_BYTES = 256  # of a column, an index, a chart's title

MESSAGE_BYTES = 1 * KIB
TRACEBACK_BYTES = 4 * KIB

CHARTS = 20
CHART_BYTES = 4 * MIB
CHART_PIXELS = 16_000_000
CHART_DATA_BYTES = 64 * KIB
SAVED_PIXELS = 40_000_000  # a savefig of the job's own: memory is the limit there
LABEL_BYTES = 120  # of a series, a bar, a slice in that data
ALT_BYTES = 600

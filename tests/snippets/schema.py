"""The output schema of `run_sandboxed`, as `brig tools` prints it, held against answers.

As much of JSON Schema as it uses: type, enum, properties, required, additionalProperties, items.
"""

import json

_TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
_schema = {}


def load(tools):
    """Takes the output of `brig tools --format mcp`."""
    listed = json.loads(tools)
    listed = listed.get("tools", listed) if isinstance(listed, dict) else listed
    _schema.update(next(t for t in listed if t["name"] == "run_sandboxed")["outputSchema"])


def faults(answer):
    """Every place where an answer breaks the schema."""
    return [f"schema: {fault}" for fault in _faults(_schema, answer, "")]


def _is(value, name):
    if name in ("integer", "number"):
        if isinstance(value, bool):
            return False
        return isinstance(value, int) or name == "number" and isinstance(value, float)
    return isinstance(value, _TYPES[name])


def _faults(schema, value, where):
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    if names and not any(_is(value, name) for name in names):
        return [f"{where or 'answer'} is no {'/'.join(names)}: {value!r:.200}"]
    found = []
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{where}: {value!r}")
    if isinstance(value, dict):
        found += _members(schema, value, where)
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            found += _faults(schema["items"], item, f"{where}[{i}]")
    return found


def _members(schema, value, where):
    known = schema.get("properties", {})
    found = [f"{where}: lacks {name}" for name in schema.get("required", ()) if name not in value]
    if schema.get("additionalProperties") is False:
        found += [f"{where}: odd {name}" for name in value if name not in known]
    for name, part in known.items():
        if name in value:
            found += _faults(part, value[name], f"{where}.{name}")
    return found

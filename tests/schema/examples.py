"""Example values of a JSON Schema, and the same values with one fault each."""

from collections.abc import Iterator, Mapping
from typing import Any

from toolcrib.schema.explain import path_text, resolve

DEEPEST = 6

FORMATS = {
    "date": "2024-03-01",
    "date-time": "2024-03-01T10:00:00Z",
    "email": "ann@example.com",
    "uri": "https://example.com/",
    "uuid": "12345678-1234-5678-1234-567812345678",
}
WRONG: Mapping[type, Any] = {
    str: {"no": "text"},
    int: "many",
    float: "many",
    bool: "perhaps",
    list: 5.5,
    dict: "nothing",
    type(None): 5.5,
}


def example(
    schema: Any, root: Mapping[str, Any], *, whole: bool, branch: int = 0, depth: int = 0
) -> Any:
    """A value that fits; `whole`: with all optional properties. `branch` chooses among alternatives."""
    if not isinstance(schema, Mapping) or depth > 40:
        return "anything"
    inner = {"whole": whole and depth < DEEPEST, "branch": branch, "depth": depth + 1}
    if "$ref" in schema:
        return example(resolve(schema["$ref"], root), root, **inner)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][branch % len(schema["enum"])]
    for key in ("anyOf", "oneOf"):
        if schema.get(key):
            choices = schema[key]
            return example({**schema, key: None, **choices[branch % len(choices)]}, root, **inner)
    for one in schema.get("allOf", ()):
        schema = {**schema, "allOf": (), **one}
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = kind[branch % len(kind)]
    if kind == "object" or (kind is None and "properties" in schema):
        return members(schema, root, inner, whole=whole)
    return scalar(kind, schema, root, inner, whole=whole)


def members(
    schema: Mapping[str, Any], root: Mapping[str, Any], inner: dict[str, Any], *, whole: bool
) -> dict[str, Any]:
    needed = schema.get("required", [])
    found = {
        name: example(one, root, **inner)
        for name, one in schema.get("properties", {}).items()
        if name in needed or (whole and inner["depth"] <= DEEPEST)
    }
    for name in needed:
        found.setdefault(name, "anything")
    rest = schema.get("additionalProperties")
    if whole and isinstance(rest, Mapping) and inner["depth"] <= DEEPEST:
        found["another"] = example(rest, root, **inner)
    return found


def scalar(
    kind: Any,
    schema: Mapping[str, Any],
    root: Mapping[str, Any],
    inner: dict[str, Any],
    *,
    whole: bool,
) -> Any:
    match kind:
        case "string":
            text = FORMATS.get(schema.get("format", ""), "some text")
            text = text.ljust(schema.get("minLength", 0), "x")
            return text[: schema.get("maxLength", len(text))]
        case "integer" | "number":
            least = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
            return min(least, schema.get("maximum", least))
        case "boolean":
            return True
        case "null":
            return None
        case "array":
            if "prefixItems" in schema:
                return [example(one, root, **inner) for one in schema["prefixItems"]]
            size = max(schema.get("minItems", 0), 1 if whole and inner["depth"] <= DEEPEST else 0)
            return [example(schema.get("items", True), root, **inner) for _ in range(size)]
        case _:
            return "anything"


def faults(value: Any, path: Any = None) -> Iterator[tuple[str, Any]]:
    """A path, and the value with something of another type there."""
    if path is not None:
        yield path_text(path), WRONG[type(value)]
    if isinstance(value, dict):
        for key, item in value.items():
            for where, wrong in faults(item, (path, key)):
                yield where, {**value, key: wrong}
    elif isinstance(value, list):
        for index, item in enumerate(value):
            for where, wrong in faults(item, (path, index)):
                yield where, [*value[:index], wrong, *value[index + 1 :]]

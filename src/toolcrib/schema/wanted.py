"""What a schema wants, in words for the model, and the values that it allows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolcrib.schema.explain import resolve, shorten
from toolcrib.schema.marks import MARK, Mark

__all__ = ["Wanted", "describe"]

_MOST_CHOICES = 40
_LONGEST_KEY = 40

_TYPES = {
    "string": "a text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
    "array": "a list",
    "object": "an object",
}
_MANY = {
    "string": "texts",
    "integer": "integers",
    "number": "numbers",
    "boolean": "booleans",
    "array": "lists",
    "object": "objects",
}
_FORMATS = {
    "date": "a date as YYYY-MM-DD",
    "date-time": "a date and time as YYYY-MM-DDTHH:MM:SS, with Z or an offset if known",
    "time": "a time of day as HH:MM:SS",
    "duration": "an ISO 8601 duration such as PT1H30M, without years and months",
    "uuid": "a UUID",
    "path": "a path",
    "file-path": "the path of a file",
    "directory-path": "the path of a directory",
}


_LIMITS = (
    ("minimum", "at least"),
    ("exclusiveMinimum", "more than"),
    ("maximum", "at most"),
    ("exclusiveMaximum", "less than"),
    ("multipleOf", "a multiple of"),
)
_SIZES = (
    ("minLength", "maxLength", "characters"),
    ("minItems", "maxItems", "items"),
    ("minProperties", "maxProperties", "keys"),
)


def limits_of(schema: Mapping[str, Any]) -> str:
    """The limits of a number, text, list or object, as `, at least 1, at most 10`."""
    words = [
        f"{phrase} {shorten(schema[key])}"
        for key, phrase in _LIMITS
        if isinstance(schema.get(key), (int, float)) and not isinstance(schema[key], bool)
    ]
    for least, most, what in _SIZES:
        low, high = schema.get(least), schema.get(most)
        if low is not None and low == high:
            words.append(f"exactly {_counted(low, what)}")
        elif low is not None or high is not None:
            words += [f"at least {_counted(low, what)}"] if low is not None else []
            words += [f"at most {_counted(high, what)}"] if high is not None else []
    if isinstance(schema.get("pattern"), str):
        words.append(f"matching {shorten(schema['pattern'])}")
    return "".join(f", {word}" for word in words)


def _counted(number: Any, things: str) -> str:
    return f"{number} {things[:-1] if number == 1 else things}"


class Wanted:
    """What one node of a schema wants; put into words when they are told, since most never are."""

    __slots__ = ("_root", "_schema")

    def __init__(self, schema: Any, root: Mapping[str, Any]) -> None:
        self._schema = schema
        self._root = root

    def __call__(self) -> str:
        return describe(self._schema, self._root)

    def choices(self) -> tuple[str, ...]:
        """The values of which one is wanted, as JSON texts; empty when there is no finite list."""
        found = dict.fromkeys(map(shorten, _choices(self._schema, self._root)))
        return tuple(found)[:_MOST_CHOICES]


def _choices(schema: Any, root: Mapping[str, Any], depth: int = 0) -> list[Any]:
    """All that `describe` calls allowed values."""
    if not isinstance(schema, Mapping) or depth > 4:
        return []
    if "$ref" in schema:
        return _choices(resolve(schema["$ref"], root), root, depth + 1)
    if isinstance(schema.get("enum"), list):
        return list(schema["enum"])
    inner = [schema["items"]] if schema.get("type") == "array" and "items" in schema else []
    for key in ("anyOf", "oneOf", "allOf"):
        inner += schema[key][:20] if isinstance(schema.get(key), list) else []
    return [value for one in inner for value in _choices(one, root, depth + 1)]


def describe(schema: Any, root: Mapping[str, Any], depth: int = 0) -> str:
    """What a schema wants, in a few words."""
    if not isinstance(schema, Mapping):
        return "nothing" if schema is False else "any value"
    if "$ref" in schema:
        return describe(resolve(schema["$ref"], root), root, depth + 1) if depth < 4 else "a value"
    if "enum" in schema:
        return "one of the allowed values"
    if "const" in schema:
        return shorten(schema["const"])
    mark = schema.get(MARK)
    if isinstance(mark, Mark) and mark.kind == "decimal":
        return "a decimal number" + limits_of(schema["anyOf"][0])
    if schema.get("contentEncoding") == "base64":
        return "bytes as base64 text"
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            return _any_of([describe(one, root, depth + 1) for one in schema[key][:9]])
    if isinstance(schema.get("allOf"), list) and schema["allOf"] and "type" not in schema:
        return describe(schema["allOf"][0], root, depth + 1) if depth < 4 else "a value"
    return _of_type(schema, root, depth)


def _of_type(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> str:
    match schema.get("type"):
        case list() as kinds:
            return _any_of([_of_type({**schema, "type": one}, root, depth + 1) for one in kinds])
        case "string" if isinstance(schema.get("format"), str):
            return _FORMATS.get(schema["format"]) or f"a text of format {schema['format'][:40]}"
        case "array" if isinstance(schema.get("prefixItems"), list) and depth < 4:
            return _tuple_of(schema["prefixItems"], root, depth)
        case "array" if "items" in schema and depth < 4:
            return _list_of(schema["items"], root, depth) + limits_of(schema)
        case "object" | None if isinstance(schema.get("required"), list):
            return _object_with(schema["required"]) + limits_of(schema)
        case str() as kind if kind in _TYPES:
            return _TYPES[kind] + limits_of(schema)
        case _:
            return "any value"


def _list_of(items: Any, root: Mapping[str, Any], depth: int) -> str:
    item = items
    for _ in range(4):
        if isinstance(item, Mapping) and "$ref" in item:
            item = resolve(item["$ref"], root)
    kind = item.get("type") if isinstance(item, Mapping) else None
    plain = isinstance(kind, str) and not {"enum", "const", "format"} & item.keys()
    if plain and kind in _MANY:
        return f"a list of {_MANY[kind]}"
    what = describe(item, root, depth + 1)
    return "a list" if what == "any value" else f"a list, each {what}"


def _tuple_of(items: Sequence[Any], root: Mapping[str, Any], depth: int) -> str:
    shown = [describe(item, root, depth + 1) for item in items[:8]]
    return f"a list of {_counted(len(items), 'items')}: {', '.join(shown)}{_more(items)}"


def _object_with(keys: Sequence[Any]) -> str:
    shown = ", ".join(shorten(key, _LONGEST_KEY) for key in keys[:8])
    return f"an object with {shown}{_more(keys)}" if keys else "an object"


def _more(shown: Sequence[Any]) -> str:
    return ", …" if len(shown) > 8 else ""


def _any_of(choices: Sequence[str]) -> str:
    choices = list(dict.fromkeys(choices))
    if len(choices) > 8:
        choices = [*choices[:8], "…"]
    if len(choices) == 1:
        return choices[0]
    return f"{', '.join(choices[:-1])} or {choices[-1]}" if choices else "any value"

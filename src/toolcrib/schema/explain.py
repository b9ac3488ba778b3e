"""What is wrong with an argument, in words for the model: paths, shortened values, expectations."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from toolcrib.lazy import lazy_pattern
from toolcrib.schema.numbers import NumberText

__all__ = [
    "Path",
    "below",
    "describe",
    "limits_of",
    "nearest_first",
    "path_text",
    "resolve",
    "shorten",
]

Path: TypeAlias = "tuple[Path, str | int] | None"
"""Where a value lies: the path of what holds it and the key or index there. None is the top."""

_LONGEST_VALUE = 80
_LONGEST_KEY = 40
_MOST_NAMES = 40
_encode = json.JSONEncoder(ensure_ascii=False).encode
_PLAIN_KEY = lazy_pattern(r"[^\W\d][\w-]*")


def path_text(path: Path) -> str:
    """`order.items[0].qty`; keys that are no names stand in brackets."""
    steps: list[str | int] = []
    while path is not None:
        path, step = path
        steps.append(step)
    text = ""
    for step in reversed(steps):
        if isinstance(step, int):
            text += f"[{step}]"
        elif not _PLAIN_KEY.fullmatch(step):
            text += f"[{shorten(step, _LONGEST_KEY)}]" if text else shorten(step, _LONGEST_KEY)
        else:
            name = step if len(step) <= _LONGEST_KEY else f"{step[: _LONGEST_KEY - 1]}…"
            text += f".{name}" if text else name
    return text


def below(path: Path, steps: Iterable[str | int]) -> Path:
    """The path some steps further down."""
    for step in steps:
        path = (path, step)
    return path


def shorten(value: Any, limit: int = _LONGEST_VALUE) -> str:
    """A value as JSON text of at most `limit` characters; the rest is not even looked at."""
    pieces: list[str] = []
    _write(value, pieces, limit)
    text = "".join(pieces)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _write(value: Any, pieces: list[str], room: int) -> int:
    """Append the JSON text of a value until there is no room; gives the room left."""
    if isinstance(value, Mapping):
        return _write_all("{", _members(value), "}", pieces, room)
    if isinstance(value, (list, tuple)):
        return _write_all("[", ((None, item) for item in value), "]", pieces, room)
    if type(value) is NumberText:
        piece = value[: room + 2]
    elif isinstance(value, str):
        piece = _encode(_printable(value[: room + 2]))
    elif isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 400:
        piece = f"a number of about {value.bit_length() * 3 // 10} digits"
    elif value is None or isinstance(value, (bool, int, float)):
        piece = _encode(value)
    else:
        piece = f"{value!s:.100}"
    pieces.append(piece)
    return room - len(piece)


def _members(value: Mapping[Any, Any]) -> Iterable[tuple[str | None, Any]]:
    return ((str(key), item) for key, item in value.items())


def _write_all(
    opener: str, items: Iterable[tuple[str | None, Any]], closer: str, pieces: list[str], room: int
) -> int:
    pieces.append(opener)
    room -= 1
    first = True
    for key, item in items:
        if room < 0:
            return room
        if not first:
            pieces.append(", ")
            room -= 2
        first = False
        if key is not None:
            room = _write(key, pieces, room)
            pieces.append(": ")
            room -= 2
        room = _write(item, pieces, room)
    pieces.append(closer)
    return room - 1


def _printable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode() if not text.isascii() else text


def nearest_first(wanted: str, names: Sequence[str]) -> tuple[str, ...]:
    """The names, those that look most like the wanted one first; a long list is cut."""
    import difflib  # only needed for a mistake

    wanted = wanted[:100].casefold()
    matcher = difflib.SequenceMatcher(b=wanted, autojunk=False)

    def likeness(name: str) -> float:
        matcher.set_seq1(name[:100].casefold())
        return matcher.ratio()

    if len(names) > 1_000:
        return tuple(names[:_MOST_NAMES])
    return tuple(sorted(names, key=likeness, reverse=True)[:_MOST_NAMES])


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
            words.append(f"exactly {low} {what}")
        elif low is not None or high is not None:
            words += [f"at least {low} {what}"] if low is not None else []
            words += [f"at most {high} {what}"] if high is not None else []
    if isinstance(schema.get("pattern"), str):
        words.append(f"matching {shorten(schema['pattern'])}")
    return "".join(f", {word}" for word in words)


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
    if schema.get("contentEncoding") == "base64":
        return "bytes as base64 text"
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            return _any_of([describe(choice, root, depth + 1) for choice in schema[key]])
    kind = schema.get("type")
    if isinstance(kind, list):
        return _any_of([describe({**schema, "type": one}, root, depth + 1) for one in kind])
    if kind == "string" and schema.get("format") in _FORMATS:
        return _FORMATS[schema["format"]]
    if kind == "string" and isinstance(schema.get("format"), str):
        return f"a text of format {schema['format'][:40]}"
    if kind == "array" and "items" in schema and depth < 4:
        return _list_of(schema["items"], root, depth) + limits_of(schema)
    return (
        _TYPES.get(kind, "any value") + limits_of(schema) if isinstance(kind, str) else "any value"
    )


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


def _any_of(choices: Sequence[str]) -> str:
    choices = list(dict.fromkeys(choices))
    if len(choices) > 8:
        choices = [*choices[:8], "…"]
    if len(choices) == 1:
        return choices[0]
    return f"{', '.join(choices[:-1])} or {choices[-1]}" if choices else "any value"


def resolve(ref: Any, root: Mapping[str, Any]) -> Any:
    """What a local `$ref` points to; True (anything) when it cannot be found."""
    if not isinstance(ref, str) or not ref.startswith("#"):
        return True
    node: Any = root
    for step in ref[1:].strip("/").split("/") if ref not in ("#", "#/") else ():
        step = step.replace("~1", "/").replace("~0", "~")
        if isinstance(node, Mapping) and step in node:
            node = node[step]
        elif isinstance(node, list) and step.isdigit() and int(step) < len(node):
            node = node[int(step)]
        else:
            return True
    return node

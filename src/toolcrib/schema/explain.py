"""How a message to the model shows things: paths, shortened values, names nearest first."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from toolcrib.lazy import lazy_pattern
from toolcrib.schema.numbers import NumberText

__all__ = [
    "Path",
    "below",
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
        elif len(step) <= _LONGEST_KEY and step.isidentifier():
            text += f".{step}" if text else step
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
    if type(value) is NumberText:
        piece = value[: room + 2]
    elif isinstance(value, str):
        piece = _encode(_printable(value[: room + 2]))
    elif isinstance(value, Mapping):
        return _write_all("{", _members(value), "}", pieces, room)
    elif isinstance(value, (list, tuple)):
        return _write_all("[", ((None, item) for item in value), "]", pieces, room)
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

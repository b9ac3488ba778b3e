"""The walk over lists, tuples and sets."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toolcrib.schema.explain import Path, shorten
from toolcrib.schema.walk import Findings, Walk, decoded, is_no_value, size_check

__all__ = ["array"]


def array(
    schema: Mapping[str, Any],
    words: Callable[[], str],
    item: Walk,
    prefix: Sequence[Walk] = (),
    names: Sequence[str] = (),
) -> Walk:
    """A list; also its JSON text, and one value where that can only mean a list of one.

    `prefix` walks the first items, `item` the rest. `names` are the fields of a named tuple, which
    may also come as an object.
    """
    fits = size_check(schema, "minItems", "maxItems")
    unique = schema.get("uniqueItems") is True
    fixed = len(prefix)

    def walk(value: Any, path: Path, found: Findings) -> Any:
        items = value if type(value) is list else _listed(value, path, found)
        if items is None:
            found.problem(path, words, value)
            return value
        outer, found.in_list = found.in_list, True
        if fixed:
            result = [
                (prefix[index] if index < fixed else item)(one, (path, index), found)
                for index, one in enumerate(items)
            ]
        else:
            result = [item(one, (path, index), found) for index, one in enumerate(items)]
        found.in_list = outer
        if unique and len(result) > 1:
            result = _distinct(result, path, found)
        if fits is not None and not fits(len(result)):
            found.problem(path, words, value)
        return result

    def _listed(value: Any, path: Path, found: Findings) -> list[Any] | None:
        if type(value) is str:
            items: list[Any] | None = decoded(value, list, path, found)
            if items is not None:
                return items
        if names and type(value) is dict:
            return _by_names(value, names, path, found)
        if fixed or value is None or found.in_list or not _is_one_value(value):
            return None
        trial = found.try_choice()
        trial.in_list = True
        item(value, (path, 0), trial)
        if trial.problems:
            return None
        found.repair(path, f"read the one value {shorten(value)} as a list of one")
        return [value]

    return walk


def _is_one_value(value: Any) -> bool:
    """Not none or several in disguise: "None", a text with commas or lines, an object of indexes."""
    if type(value) is list:
        return False
    if type(value) is dict:
        return bool(value) and not all(key.isdigit() for key in value)
    if type(value) is str:
        text = value.strip()
        alone = "," not in text and len(text.splitlines()) == 1
        return alone and text[0] not in "[{" and not is_no_value(text)
    return True


def _by_names(
    value: dict[str, Any], names: Sequence[str], path: Path, found: Findings
) -> list[Any] | None:
    """The fields of a named tuple in order; None unless they are the first ones without a gap."""
    if not value or set(value) != set(names[: len(value)]):
        return None
    found.repair(path, "read the object as a list, by the names of its fields")
    return [value[name] for name in names[: len(value)]]


def _distinct(items: list[Any], path: Path, found: Findings) -> list[Any]:
    seen: dict[str, Any] = {}
    for item in items:
        seen.setdefault(_identity(item), item)
    if len(seen) < len(items):
        found.repair(path, "dropped values that were there twice")
    return list(seen.values())


def _identity(item: Any) -> str:
    """Equal for equal JSON: true is not 1, but 1 is 1.0."""
    if isinstance(item, float) and item.is_integer():
        item = int(item)
    try:
        return json.dumps(item, sort_keys=True, default=repr)
    except TypeError:  # keys of several kinds cannot be sorted
        return repr(item)

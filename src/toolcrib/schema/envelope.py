"""The repairs of arguments as a whole: wrappers, filler keys, misspelt names, a lone object laid open."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from toolcrib.schema.explain import shorten
from toolcrib.schema.walk import Findings, decoded
from toolcrib.schema.walk_objects import fold_names

__all__ = ["open_envelope"]

WRAPPERS = ("arguments", "parameters", "properties", "_")
"""Keys under which models put all arguments once more."""

_EMPTY: tuple[Any, ...] = ("", None, {}, [])


def open_envelope(
    members: dict[str, Any],
    names: Sequence[str],
    lone_fields: Collection[str] | None,
    found: Findings,
) -> dict[str, Any]:
    """The arguments under the names of the parameters; what cannot be told stays as it is.

    `names`: the parameters. `lone_fields`: the properties of the only parameter, when it is an
    object; None otherwise.
    """
    known = frozenset(names)
    if members.keys() <= known:
        return members
    inner = _unwrapped(members, known, names, found)
    if inner is not None:
        members = inner
        if members.keys() <= known:
            return members
    members = _without_filler(members, known, found)
    if lone_fields is not None and names[0] not in members and members:
        renamed = fold_names(list(members), names)
        fields = frozenset(lone_fields)
        matched = len(members.keys() & fields) + len(
            fold_names([key for key in members if key not in fields], list(fields - members.keys()))
        )
        if not renamed and matched == len(members):
            found.repair(None, f"put the fields at top level into {shorten(names[0])}")
            return {names[0]: members}
    return _renamed(members, known, found)


def _unwrapped(
    members: dict[str, Any], known: Collection[str], names: Sequence[str], found: Findings
) -> dict[str, Any] | None:
    if len(members) != 1:
        return None
    key, inner = next(iter(members.items()))
    if key not in WRAPPERS or key in known:
        return None
    trial = Findings(found)
    if type(inner) is str:
        inner = decoded(inner, dict, (None, key), trial)
    if type(inner) is not dict:
        return None
    unknown = [name for name in inner if name not in known]
    free = [name for name in names if name not in inner]
    if len(fold_names(unknown, free)) != len(unknown):
        return None
    found.add(trial)
    found.repair(None, f"took the arguments out of the wrapper {shorten(key)}")
    return inner


def _without_filler(
    members: dict[str, Any], known: Collection[str], found: Findings
) -> dict[str, Any]:
    filler = [
        key for key in members if not key.strip() and key not in known and members[key] in _EMPTY
    ]
    if not filler:
        return members
    found.repair(None, "dropped an empty key")
    return {key: value for key, value in members.items() if key not in filler}


def _renamed(members: dict[str, Any], known: Collection[str], found: Findings) -> dict[str, Any]:
    unknown = [key for key in members if key not in known]
    right = fold_names(unknown, [name for name in known if name not in members])
    for key, name in right.items():
        found.repair((None, name), f"read the key {shorten(key)} as {shorten(name)}")
    return {right.get(key, key): value for key, value in members.items()} if right else members

"""The repairs of arguments as a whole: wrappers, filler keys, misspelt names, a lone object laid open."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
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
    tool: str,
    names: Sequence[str],
    lone_fields: Collection[str] | None,
    found: Findings,
    *,
    takes_others: bool = False,
) -> dict[str, Any]:
    """The arguments under the names of the parameters; what cannot be told stays as it is.

    `names`: the parameters. `lone_fields`: the properties of the only parameter, when it is an
    object; None otherwise. `takes_others`: any key may be there, so an empty one means itself too.
    """
    known = frozenset(names)
    while not members.keys() <= known:
        if not takes_others:
            members = _without_filler(members, known, found)
        trial = Findings(found)
        inner = _unwrapped(members, tool, names, lone_fields or (), trial)
        if inner is None or (takes_others and not inner):
            break
        found.add(trial)
        members = inner
    if members.keys() <= known:
        return members
    if lone_fields is not None and names[0] not in members and members:
        renamed = fold_names(list(members), names)
        if not renamed and _are_names(members, lone_fields):
            found.repair(None, f"put the fields at top level into {shorten(names[0])}")
            return {names[0]: members}
    return _renamed(members, known, found)


def _unwrapped(
    members: dict[str, Any],
    tool: str,
    names: Sequence[str],
    lone_fields: Collection[str],
    found: Findings,
) -> dict[str, Any] | None:
    key = _wrapper(members, tool, names)
    if key is None:
        return None
    inner = members[key]
    if type(inner) is str:
        empty = inner.strip() in ("", "null")
        inner = {} if empty else decoded(inner, dict, (None, key), found)
    elif inner is None or inner == []:
        inner = {}
    if type(inner) is not dict:
        return None
    deeper = _wrapper(inner, tool, names) is not None
    if not deeper and not _are_names(inner, names) and not _are_names(inner, lone_fields):
        return None
    found.repair(None, f"took the arguments out of the wrapper {shorten(key)}")
    return inner


def _wrapper(members: Mapping[str, Any], tool: str, names: Collection[str]) -> str | None:
    """The key that holds all arguments: alone, or beside what the whole call or its schema is."""
    keys = [key for key in members if key in WRAPPERS and key not in names]
    if len(keys) != 1:
        return None
    rest = {key: value for key, value in members.items() if key != keys[0]}
    if rest and rest.keys().isdisjoint(names):
        is_call = rest == {"name": tool} and keys[0] in ("arguments", "parameters")
        is_schema = rest == {"type": "object"} and keys[0] == "properties"
        return keys[0] if is_call or is_schema else None
    return None if rest else keys[0]


def _are_names(members: Mapping[str, Any], names: Collection[str]) -> bool:
    """Whether each key is one of the names, or spelled like one of those that are absent."""
    unknown = [key for key in members if key not in names]
    free = [name for name in names if name not in members]
    return len(fold_names(unknown, free)) == len(unknown)


def _without_filler(
    members: dict[str, Any], known: Collection[str], found: Findings
) -> dict[str, Any]:
    filler = [
        key
        for key in members
        if not key.strip(" _") and key not in known and members[key] in _EMPTY
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

"""The walk over objects and mappings, and how their keys are told apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from toolcrib.lazy import lazy_pattern
from toolcrib.schema.explain import Path, nearest_first, shorten
from toolcrib.schema.walk import Findings, Walk, decoded, size_check
from toolcrib.values import value

__all__ = ["ObjectPlan", "Property", "fold_names", "object_of"]


@value
class Property:
    """One property of an object."""

    name: str
    walk: Walk
    required: bool
    takes_null: bool
    words: Callable[[], str]
    as_is: type | None = None
    """The type whose values need no walk, when there is one: they are what the schema wants."""


@value
class ObjectPlan:
    """How to read an object. `others` walks unknown keys, None: they are refused, or dropped."""

    properties: Sequence[Property]
    others: Walk | None
    drops_unknown: bool = False
    also: Mapping[str, str] | None = None
    patterns: Sequence[tuple[Callable[[str], bool], Walk]] = ()
    keys: Walk | None = None
    required: Sequence[str] = ()
    """Required keys without a property of their own."""


def object_of(schema: Mapping[str, Any], words: Callable[[], str], plan: ObjectPlan) -> Walk:
    """An object with properties; also its JSON text."""
    known = frozenset(one.name for one in plan.properties)
    rows = tuple((one.name, one.as_is, one.walk, one) for one in plan.properties)
    fits = size_check(schema, "minProperties", "maxProperties")
    plain = plan.keys is None and not plan.patterns

    def walk(value: Any, path: Path, found: Findings) -> Any:
        members = value
        if type(members) is not dict:
            members = decoded(value, dict, path, found) if type(value) is str else None
            if members is None:
                found.problem(path, words, value)
                return value
        outer, found.in_list = found.in_list, False
        unknown = [] if members.keys() <= known else [key for key in members if key not in known]
        if unknown and plain and plan.others is None:
            members, unknown = _respelled(members, unknown, plan, path, found)
        result = _known(members, rows, path, found)
        for name in plan.required:
            if name not in members:
                found.missing((path, name), "any value")
        if unknown:
            _walk_unknown(members, unknown, result, plan, path, found)
        found.in_list = outer
        if fits is not None and not fits(len(result)):
            found.problem(path, words, value)
        return result

    return walk


def _known(
    members: dict[str, Any],
    rows: Sequence[tuple[str, type | None, Walk, Property]],
    path: Path,
    found: Findings,
) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, as_is, walk, one in rows:
        item = members.get(name, _ABSENT)
        if type(item) is as_is:
            result[name] = item
        elif item is _ABSENT:
            if one.required:
                found.missing((path, name), one.words)
        elif item is None and not one.required and not one.takes_null:
            found.repair((path, name), "read null as left out")
        else:
            result[name] = walk(item, (path, name), found)
            if found.problems and not one.required:
                found.may_be_left_out((path, name), item)
    return result


_ABSENT = object()


def _respelled(
    members: dict[str, Any], unknown: list[str], plan: ObjectPlan, path: Path, found: Findings
) -> tuple[dict[str, Any], list[str]]:
    """The members under the right names, and the keys that stay unknown."""
    names = [one.name for one in plan.properties]
    also = {key: plan.also[key] for key in unknown if key in plan.also} if plan.also else {}
    right = {key: name for key, name in also.items() if name not in members}
    for key, name in also.items():
        if name in members and members[key] != members[name]:
            found.problem((path, key), f"the same value as {shorten(name)}", members[key])
    rest = [key for key in unknown if key not in also]
    right.update(fold_names(rest, [n for n in names if n not in members]))
    if not right:
        return members, unknown
    for key, name in right.items():
        found.repair((path, name), f"read the key {shorten(key)} as {shorten(name)}")
    renamed = {right.get(key, key): value for key, value in members.items()}
    return renamed, [key for key in unknown if key not in right]


def fold_names(keys: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """Key → name, where case, `_` and `-` aside exactly one key is spelled like exactly one name."""
    by_fold: dict[str, list[str]] = {}
    for name in names:
        by_fold.setdefault(_fold_name(name), []).append(name)
    wanted: dict[str, list[str]] = {}
    for key in keys:
        folded = _fold_name(key)
        if folded and folded in by_fold:
            wanted.setdefault(folded, []).append(key)
    return {
        found[0]: by_fold[folded][0]
        for folded, found in wanted.items()
        if len(found) == 1 and len(by_fold[folded]) == 1
    }


_SEPARATORS = lazy_pattern("[_-]+")


def _fold_name(name: str) -> str:
    return _SEPARATORS.sub("", name.casefold())


def _walk_unknown(
    members: dict[str, Any],
    unknown: Sequence[str],
    result: dict[str, Any],
    plan: ObjectPlan,
    path: Path,
    found: Findings,
) -> None:
    refused: list[str] = []
    for key in unknown:
        at: Path = (path, key)
        name = key if plan.keys is None else plan.keys(key, at, found)
        matching = [walk for matches, walk in plan.patterns if matches(key)]
        if plan.others is None and not matching:
            refused.append(key)
            continue
        value = members[key]
        if plan.others is not None and not matching:
            matching = [plan.others]
        for walk in matching:
            value = walk(value, at, found)
        if _is_hashable(name) and name in result:
            found.problem(at, "each key once", key)
        else:
            result[name if _is_hashable(name) else key] = value
    for key in refused:
        if plan.drops_unknown:
            found.repair((path, key), "dropped an unknown key")
        else:
            names = [one.name for one in plan.properties]
            found.problem(
                (path, key), "no such key here", members[key], partial(nearest_first, key, names)
            )


def _is_hashable(value: Any) -> bool:
    return not isinstance(value, (list, dict))

"""The walk over unions: the exact match wins, then the one reading that needs least repair."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toolcrib.schema.explain import Path, shorten
from toolcrib.schema.numbers import NumberText
from toolcrib.schema.walk import Finding, Findings, Walk, decoded
from toolcrib.schema.walk_choices import fold
from toolcrib.schema.walk_objects import fold_names
from toolcrib.values import value

__all__ = ["Branch", "kind_of", "optional", "tagged_union", "union"]


_NULL = frozenset({"null"})


@value
class Branch:
    """One member of a union; `kinds` are the JSON types that it can be, empty when unknown."""

    walk: Walk
    kinds: frozenset[str]


def union(branches: Sequence[Branch], words: Callable[[], str], *, only_one: bool = False) -> Walk:
    """A value of one of several types. `only_one`: it must fit exactly one of them (`oneOf`)."""
    nullable = any(branch.kinds == _NULL for branch in branches)

    def walk(value: Any, path: Path, found: Findings) -> Any:
        exact: list[Any] = []
        readable: list[tuple[Any, Findings]] = []
        failed: list[tuple[Branch, Findings]] = []
        for branch in branches:
            trial = found.try_choice()
            result = branch.walk(value, path, trial)
            if trial.problems:
                failed.append((branch, trial))
            elif trial.repairs:
                readable.append((result, trial))
            elif not only_one and _is_unchanged(result, value):
                return result
            else:
                exact.append(result)
        if only_one and len(exact) > 1:
            found.problem(path, f"a value that fits only one of: {words()}", value)
            return value
        if any(_is_unchanged(result, value) for result in exact):
            return value
        if nullable and type(value) is str and value.strip() == "null":
            found.repair(path, 'read the text "null" as null')
            return None
        if exact:
            return exact[0]
        if readable:
            return _best(readable, value, path, found)
        _explain(failed, value, path, found, words)
        return value

    return walk


def _is_unchanged(result: Any, value: Any) -> bool:
    return result is value or (type(result) is str and result == value)


def optional(inner: Walk) -> Walk:
    """A value of one type, or null."""

    def walk(value: Any, path: Path, found: Findings) -> Any:
        if value is None:
            return None
        if type(value) is str and value.strip() == "null":
            trial = found.try_choice()
            if _is_unchanged(inner(value, path, trial), value) and not trial.problems:
                return value  # a text may be "null"
            found.repair(path, 'read the text "null" as null')
            return None
        return inner(value, path, found)

    return walk


def _best(readable: Sequence[tuple[Any, Findings]], value: Any, path: Path, found: Findings) -> Any:
    least = min(trial.cost for _, trial in readable)
    best = [(result, trial) for result, trial in readable if trial.cost == least]
    result, trial = best[0]
    if any(other != result or type(other) is not type(result) for other, _ in best[1:]):
        readings = " or ".join(shorten(other, 40) for other, _ in best[:4])
        found.problem(path, f"a spelling that means one thing; this could be {readings}", value)
        return value
    found.add(trial)
    return result


def _explain(
    failed: Sequence[tuple[Branch, Findings]],
    value: Any,
    path: Path,
    found: Findings,
    words: Callable[[], str],
) -> None:
    """The problems of the only member that was meant, if that can be told; else one for all."""
    likely = [trial for branch, trial in failed if branch.kinds != _NULL]
    only = len(likely) == 1
    if len(likely) > 1:
        kind = kind_of(value)
        likely = [trial for branch, trial in failed if kind in branch.kinds]
    if len(likely) > 1:
        least = min((len(trial.problems), trial.cost) for trial in likely)
        likely = [trial for trial in likely if (len(trial.problems), trial.cost) == least]
    if len(likely) == 1 and (only or likely[0].problems[0].path != path):
        found.add(likely[0])
        return
    problems = [trial.problems[0] for trial in likely if len(trial.problems) == 1]
    at = problems[0].path if problems else None
    alike = len(problems) == len(likely) and all(one.path == at for one in problems)
    if problems and alike and at != path:
        expected = " or ".join(dict.fromkeys(one.wanted() for one in problems))
        found.problems.append(problems[0]._replace(expected=expected, allowed=_allowed(problems)))
    else:
        found.problem(path, words, value)


def _allowed(problems: Sequence[Finding]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for one in problems for text in one.choices()))[:40]


def kind_of(value: Any) -> str:
    """The JSON type of a value."""
    if value is None:
        return "null"
    return _KINDS.get(type(value), "string")


_KINDS: dict[type, str] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    NumberText: "number",
    str: "string",
    list: "array",
    dict: "object",
}


def tagged_union(tag: str, branches: Mapping[str, Walk], words: Callable[[], str]) -> Walk:
    """An object whose property `tag` says which type it is."""
    shown = tuple(shorten(name) for name in branches)
    folded: dict[str, list[str]] = {}
    for name in branches:
        folded.setdefault(fold(name), []).append(name)

    def walk(value: Any, path: Path, found: Findings) -> Any:
        members = value
        if type(value) is str:
            members = decoded(value, dict, path, found)
        if type(members) is not dict:
            found.problem(path, words, value)
            return value
        if tag not in members:
            for key in fold_names(list(members), [tag]):
                members = {tag if one == key else one: item for one, item in members.items()}
                found.repair((path, tag), f"read the key {shorten(key)} as {shorten(tag)}")
        if tag not in members:
            found.missing((path, tag), "one of the allowed values", shown[:40])
            return value
        name = _text(members[tag])
        if name not in branches:
            near = folded.get(fold(name), []) if len(name) < 200 else []
            if len(near) != 1:
                found.problem((path, tag), "one of the allowed values", members[tag], shown[:40])
                return value
            name = near[0]
        return branches[name](members, path, found)

    return walk


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    return str(value) if isinstance(value, (str, int)) else ""

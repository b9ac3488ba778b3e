"""References inside a JSON Schema: what they mean, and which definitions nobody refers to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

__all__ = ["DEFINITIONS", "pruned", "resolved", "target"]

DEFINITIONS = ("$defs", "definitions")
_LONGEST_CHAIN = 16


def target(root: Mapping[str, Any], ref: str) -> Mapping[str, Any] | None:
    """The schema that a reference into its own document means; None when there is none."""
    if not ref.startswith("#"):
        return None
    here: Any = root
    for step in _steps(ref):
        here = here.get(step) if isinstance(here, Mapping) else None
    return here if isinstance(here, Mapping) else None


def resolved(root: Mapping[str, Any], schema: Any) -> Mapping[str, Any]:
    """A schema that may be a reference, or a chain of them, as what it means in the end."""
    for _ in range(_LONGEST_CHAIN):
        ref = schema.get("$ref") if isinstance(schema, Mapping) else None
        if not isinstance(ref, str):
            break
        schema = target(root, ref)
    return schema if isinstance(schema, Mapping) else {}


def pruned(schema: Mapping[str, Any], notes: list[str]) -> dict[str, Any]:
    """Without definitions that nothing refers to, also not by way of other definitions."""
    whole = dict(schema)
    for key in DEFINITIONS:
        defs = whole.get(key)
        if not isinstance(defs, Mapping):
            continue
        kept = _reachable({name: one for name, one in whole.items() if name != key}, key, defs)
        if len(kept) == len(defs):
            continue
        notes.extend(f"#/{key}/{name}: unused, left out" for name in defs if name not in kept)
        whole[key] = {name: one for name, one in defs.items() if name in kept}
        if not kept:
            del whole[key]
    return whole


def _reachable(rest: Mapping[str, Any], key: str, defs: Mapping[str, Any]) -> set[str]:
    found: set[str] = set()
    wanted = set(_named(rest, key))
    while wanted:
        name = wanted.pop()
        if name in defs and name not in found:
            found.add(name)
            wanted.update(_named(defs[name], key))
    return found


def _named(value: Any, key: str) -> Iterator[str]:
    """The definitions under `key` that are referred to anywhere below."""
    if isinstance(value, Mapping):
        ref = value.get("$ref")
        if isinstance(ref, str) and ref.startswith("#") and (steps := _steps(ref))[:1] == [key]:
            yield from steps[1:2]
        for inner in value.values():
            yield from _named(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from _named(inner, key)


def _steps(ref: str) -> list[str]:
    steps = unquote(ref[1:]).split("/")[1:]
    return [step.replace("~1", "/").replace("~0", "~") for step in steps]

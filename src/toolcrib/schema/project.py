"""JSON Schemas as a provider takes them, with a report of what had to be changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolcrib.schema.project_strict import StrictWalk

__all__ = ["Projection", "for_chat_completions", "pruned", "strict_projection"]

_DEFS = ("$defs", "definitions")
_UNIONS = ("anyOf", "oneOf", "allOf")


@dataclass(frozen=True, slots=True)
class Projection:
    """A schema for a provider, and how it differs from the one it was made of."""

    schema: dict[str, Any]
    notes: tuple[str, ...] = ()
    """What was changed or dropped, each with its place."""
    refused: tuple[str, ...] = ()
    """What the provider cannot express; the schema is of no use then."""


def for_chat_completions(schema: Mapping[str, Any]) -> Projection:
    """With an object at the root and without definitions that nothing refers to; all else verbatim."""
    notes: list[str] = []
    return Projection(pruned(_object_root(schema, notes), notes), tuple(notes))


def strict_projection(schema: Mapping[str, Any]) -> Projection:
    """What OpenAI's strict mode takes: closed objects, all properties required, optional ones nullable.

    Keywords that strict mode does not know are dropped with a note. Open dictionaries, tuples and
    values of any type are refused with a reason.
    """
    notes: list[str] = []
    walk = StrictWalk(notes)
    root = _object_root(schema, notes)
    projected = walk.schema(root, "")
    return Projection(pruned(projected, notes), tuple(notes), tuple(walk.refused))


def pruned(schema: Mapping[str, Any], notes: list[str] | None = None) -> dict[str, Any]:
    """Without definitions that nothing refers to, also not by way of other definitions."""
    whole = dict(schema)
    for key in _DEFS:
        defs = whole.get(key)
        if not isinstance(defs, Mapping):
            continue
        rest = {name: value for name, value in whole.items() if name != key}
        prefix = f"#/{key}/"
        wanted, found = set(_names(rest, prefix)), set[str]()
        while wanted:
            name = wanted.pop()
            if name in defs and name not in found:
                found.add(name)
                wanted.update(_names(defs[name], prefix))
        if len(found) < len(defs):
            if notes is not None:
                notes.extend(f"{prefix}{n}: unused, left out" for n in defs if n not in found)
            whole[key] = {name: value for name, value in defs.items() if name in found}
            if not found:
                del whole[key]
    return whole


def _names(value: Any, prefix: str) -> Iterator[str]:
    """The definitions that are referred to anywhere below."""
    if isinstance(value, Mapping):
        ref = value.get("$ref")
        if isinstance(ref, str) and ref.startswith(prefix):
            name = ref[len(prefix) :].split("/")[0]
            yield name.replace("~1", "/").replace("~0", "~")
        for inner in value.values():
            yield from _names(inner, prefix)
    elif isinstance(value, list):
        for inner in value:
            yield from _names(inner, prefix)


def _object_root(schema: Mapping[str, Any], notes: list[str]) -> dict[str, Any]:
    """The same arguments with `type: object` at the root, and no reference or union beside it."""
    root = dict(schema)
    seen: set[str] = set()
    while isinstance(ref := root.get("$ref"), str) and ref not in seen:
        seen.add(ref)
        target = _target(schema, ref)
        if target is None:
            break
        notes.append(f"the reference {ref} at the root was replaced by what it means")
        del root["$ref"]
        root = {**target, **root}
    root.pop("$ref", None)
    for key in _UNIONS:
        branches = root.pop(key, None)
        if isinstance(branches, list):
            notes.append(f"{key} at the root became one object that allows each of its branches")
            _merge(root, [_resolved(schema, one) for one in branches], all_of=key == "allOf")
    if root.pop("not", None) is not None:
        notes.append("not at the root was left out")
    kind = root.get("type")
    if kind != "object":
        if kind is not None:
            notes.append(f"type {kind!r} at the root became 'object'")
        root["type"] = "object"
    if not isinstance(root.get("properties"), Mapping):
        root["properties"] = {}
    return root


def _resolved(root: Mapping[str, Any], branch: Any) -> Mapping[str, Any]:
    for _ in range(16):
        ref = branch.get("$ref") if isinstance(branch, Mapping) else None
        if not isinstance(ref, str):
            break
        branch = _target(root, ref)
    return branch if isinstance(branch, Mapping) else {}


def _target(root: Mapping[str, Any], ref: str) -> Mapping[str, Any] | None:
    if not ref.startswith("#/"):
        return None
    here: Any = root
    for step in ref[2:].split("/"):
        step = step.replace("~1", "/").replace("~0", "~")
        here = here.get(step) if isinstance(here, Mapping) else None
    return here if isinstance(here, Mapping) else None


def _merge(root: dict[str, Any], branches: Sequence[Mapping[str, Any]], *, all_of: bool) -> None:
    """Properties of all branches; required is what each (`allOf`: any) of them requires."""
    properties = dict(root.get("properties") or {})
    required: list[list[str]] = []
    for branch in branches:
        inner = branch.get("properties")
        for name, value in (inner if isinstance(inner, Mapping) else {}).items():
            known = properties.get(name)
            if known is None:
                properties[name] = value
            elif known != value and not all_of:
                options = known["anyOf"] if _is_plain_union(known) else [known]
                if value not in options:
                    properties[name] = {"anyOf": [*options, value]}
        listed = branch.get("required")
        required.append(list(listed) if isinstance(listed, list) else [])
    needed = list(root.get("required") or [])
    for name in dict.fromkeys(name for names in required for name in names):
        if name not in needed and (all_of or all(name in names for names in required)):
            needed.append(name)
    root["properties"] = properties
    if needed:
        root["required"] = needed


def _is_plain_union(schema: Any) -> bool:
    return isinstance(schema, Mapping) and set(schema) == {"anyOf"}

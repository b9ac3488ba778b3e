"""The root of a tool's schema as providers want it: one object, without a choice or a reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolcrib.schema.project_refs import resolved, target

__all__ = ["object_root"]

_CHOICES = ("anyOf", "oneOf", "allOf")


def object_root(
    schema: Mapping[str, Any], notes: list[str], *, refused: list[str] | None = None
) -> dict[str, Any]:
    """The same arguments with `type: object` at the root.

    A choice between objects becomes one object that allows each of them: it is looser, and what it
    lets pass is checked when the call comes. Where that is not wanted, pass `refused`: choices are
    added to it instead.
    """
    root = _followed(schema, notes)
    for key in _CHOICES:
        branches = root.pop(key, None)
        if not isinstance(branches, list):
            continue
        known = [resolved(schema, branch) for branch in branches]
        if refused is not None and key != "allOf" and len(known) > 1 and _says_more(known):
            refused.append(f"root: a choice ({key})")
        else:
            notes.append(f"root: {key} became one object that allows what it does")
        _merge(root, known, all_of=key == "allOf" or len(known) == 1)
    for key in ("not", "enum", "const"):
        if key in root:
            del root[key]
            notes.append(f"root: {key} is not enforced")
    if root.get("type") != "object":
        if "type" in root:
            notes.append(f"root: type {root['type']!r} became 'object'")
        root["type"] = "object"
    if not isinstance(root.get("properties"), Mapping):
        root["properties"] = {}
    return root


def _followed(schema: Mapping[str, Any], notes: list[str]) -> dict[str, Any]:
    root = dict(schema)
    seen: set[str] = set()
    while isinstance(ref := root.pop("$ref", None), str):
        meant = None if ref in seen else target(schema, ref)
        if meant is None or meant is schema:
            notes.append(f"root: the reference {ref} leads nowhere, left out")
            break
        seen.add(ref)
        notes.append(f"root: the reference {ref} was replaced by what it means")
        root = {**meant, **root}
    return root


def _says_more(branches: Sequence[Mapping[str, Any]]) -> bool:
    """Whether branches differ in more than in what they require."""
    return any(branch.keys() - {"required", "type", "title"} for branch in branches)


def _merge(root: dict[str, Any], branches: Sequence[Mapping[str, Any]], *, all_of: bool) -> None:
    """Properties of all branches; required is what each of them requires (`all_of`: any)."""
    properties = _properties(root)
    required: list[list[str]] = []
    for branch in branches:
        for name, inner in _properties(branch).items():
            known = properties.get(name)
            if known is None:
                properties[name] = inner
            elif known != inner:
                properties[name] = _either(known, inner) if not all_of else _both(known, inner)
        listed = branch.get("required")
        required.append(listed if isinstance(listed, list) else [])
    own = root.get("required")
    needed = list(own) if isinstance(own, list) else []
    for name in dict.fromkeys(name for names in required for name in names):
        if name not in needed and (all_of or all(name in names for names in required)):
            needed.append(name)
    root["properties"] = properties
    if needed:
        root["required"] = needed


def _properties(schema: Mapping[str, Any]) -> dict[str, Any]:
    found = schema.get("properties")
    return dict(found) if isinstance(found, Mapping) else {}


def _either(known: Any, other: Any) -> Any:
    plain = isinstance(known, Mapping) and set(known) == {"anyOf"}
    options = known["anyOf"] if plain else [known]
    return known if other in options else {"anyOf": [*options, other]}


def _both(known: Any, other: Any) -> dict[str, Any]:
    return {"allOf": [known, other]}

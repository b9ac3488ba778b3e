"""JSON Schemas as a provider takes them, with a report of what had to be changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolcrib.schema.project_refs import pruned
from toolcrib.schema.project_root import object_root
from toolcrib.schema.project_strict import StrictWalk
from toolcrib.schema.project_types import known_types

__all__ = ["Projection", "for_chat_completions", "strict_projection"]

_SCHEMAS_BY_NAME = ("properties", "patternProperties", "$defs", "definitions")
_SCHEMA_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SCHEMAS = ("items", "additionalProperties", "not")


@dataclass(frozen=True, slots=True)
class Projection:
    """A schema for a provider, and how it differs from the one it was made of."""

    schema: dict[str, Any]
    notes: tuple[str, ...] = ()
    """What was changed or left out, each with its place."""
    refused: tuple[str, ...] = ()
    """What the provider cannot express, each with its place; the schema is of no use then."""


def for_chat_completions(schema: Mapping[str, Any]) -> Projection:
    """With an object at the root, and nothing else that is refused outright; all else verbatim."""
    notes: list[str] = []
    root = pruned(object_root(known_types(schema, notes), notes), notes)
    return Projection(_with_items(root, "", notes), tuple(notes))


def strict_projection(schema: Mapping[str, Any]) -> Projection:
    """What OpenAI's strict mode takes: closed objects, all properties required, optional ones nullable.

    Keywords that strict mode does not know are left out with a note; references stay. Refused, with
    a reason each: open dictionaries, values of any type, several schemas at once, a choice at the
    root.
    """
    notes: list[str] = []
    walk = StrictWalk(notes)
    root = object_root(known_types(schema, notes), notes, refused=walk.refused)
    projected = walk.schema(pruned(root, notes), "")
    return Projection(projected, tuple(notes), tuple(walk.refused))


def _with_items(schema: Mapping[str, Any], path: str, notes: list[str]) -> dict[str, Any]:
    """OpenAI refuses arrays that say nothing of their items, strict or not."""
    whole = dict(schema)
    for key, value in schema.items():
        where = f"{path}/{key}"
        if key in _SCHEMAS_BY_NAME and isinstance(value, Mapping):
            whole[key] = {
                name: _inside(one, f"{where}/{name}", notes) for name, one in value.items()
            }
        elif key in _SCHEMA_LISTS and isinstance(value, list):
            whole[key] = [_inside(one, f"{where}/{at}", notes) for at, one in enumerate(value)]
        elif key in _SCHEMAS:
            whole[key] = _inside(value, where, notes)
    kind = whole.get("type")
    if (kind == "array" or (isinstance(kind, list) and "array" in kind)) and not isinstance(
        whole.get("items"), Mapping
    ):
        options = whole.get("prefixItems")
        whole["items"] = {"anyOf": options} if isinstance(options, list) and options else {}
        notes.append(f"{path or 'root'}: items were added to an array that does not name them")
    return whole


def _inside(schema: Any, path: str, notes: list[str]) -> Any:
    return _with_items(schema, path, notes) if isinstance(schema, Mapping) else schema

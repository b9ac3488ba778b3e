"""Type names that are no JSON Schema, at any depth: providers refuse the whole request for one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolcrib.schema.foreign import FOREIGN_TYPES

__all__ = ["known_types"]

_TYPES = frozenset(("array", "boolean", "integer", "null", "number", "object", "string"))
_SCHEMAS_BY_NAME = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_SCHEMA_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SCHEMAS = ("items", "additionalProperties", "not", "propertyNames", "if", "then", "else")


def known_types(schema: Mapping[str, Any], notes: list[str], path: str = "") -> dict[str, Any]:
    """The same with types of other languages by their JSON names; a name that says nothing is left out."""
    whole = dict(schema)
    for key, value in schema.items():
        where = f"{path}/{key}"
        if key == "type":
            _rename(whole, value, path, notes)
        elif key in _SCHEMAS_BY_NAME and isinstance(value, Mapping):
            whole[key] = {
                name: _inside(one, f"{where}/{name}", notes) for name, one in value.items()
            }
        elif key in _SCHEMA_LISTS and isinstance(value, list):
            whole[key] = [_inside(one, f"{where}/{at}", notes) for at, one in enumerate(value)]
        elif key in _SCHEMAS:
            whole[key] = _inside(value, where, notes)
    return whole


def _inside(schema: Any, path: str, notes: list[str]) -> Any:
    return known_types(schema, notes, path) if isinstance(schema, Mapping) else schema


def _rename(whole: dict[str, Any], named: Any, path: str, notes: list[str]) -> None:
    listed = named if isinstance(named, list) else [named]
    if listed and all(isinstance(one, str) and one in _TYPES for one in listed):
        return
    known = [_known(one) for one in listed]
    if not known or None in known:
        del whole["type"]  # one of them may be anything
        notes.append(f"{path or 'root'}: type {named!r} became any value")
        return
    distinct = list(dict.fromkeys(known))
    whole["type"] = distinct if len(distinct) > 1 else distinct[0]
    notes.append(f"{path or 'root'}: type {named!r} became {whole['type']!r}")


def _known(name: Any) -> str | None:
    return FOREIGN_TYPES.get(name.strip().lower()) if isinstance(name, str) else None

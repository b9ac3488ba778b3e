"""Type names of other languages in declarations that call themselves JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["FOREIGN_TYPES", "with_json_types"]

FOREIGN_TYPES: Mapping[str, str | None] = {
    "any": None,
    "array": "array",
    "arraylist": "array",
    "bigint": "integer",
    "bool": "boolean",
    "boolean": "boolean",
    "byte": "integer",
    "char": "string",
    "dict": "object",
    "double": "number",
    "float": "number",
    "hashmap": "object",
    "hashtable": "object",
    "int": "integer",
    "integer": "integer",
    "linkedlist": "array",
    "list": "array",
    "long": "integer",
    "map": "object",
    "none": "null",
    "null": "null",
    "number": "number",
    "object": "object",
    "set": "array",
    "short": "integer",
    "str": "string",
    "string": "string",
    "tuple": "array",
    "": None,
}
"""Folded name → JSON Schema type; None means any value. A name that is not here means any value too."""

_NAMED_SCHEMAS = ("properties", "patternProperties", "$defs", "definitions")
_LISTED_SCHEMAS = ("anyOf", "oneOf", "allOf", "prefixItems")
_INNER_SCHEMAS = ("items", "additionalProperties", "not", "propertyNames")


def with_json_types(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a declaration with the type names of JSON Schema; all else stays as it is."""
    copy: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "type" and isinstance(value, str):
            known = FOREIGN_TYPES.get(value.strip().lower())
            if known is not None:
                copy[key] = known
        elif key == "type" and isinstance(value, list):
            copy[key] = [FOREIGN_TYPES.get(str(one).lower()) or one for one in value]
        elif key in _NAMED_SCHEMAS and isinstance(value, Mapping):
            copy[key] = {name: _converted(inner) for name, inner in value.items()}
        elif key in _LISTED_SCHEMAS and isinstance(value, list):
            copy[key] = [_converted(inner) for inner in value]
        elif key in _INNER_SCHEMAS:
            copy[key] = _converted(value)
        else:
            copy[key] = value
    return copy


def _converted(schema: Any) -> Any:
    return with_json_types(schema) if isinstance(schema, Mapping) else schema

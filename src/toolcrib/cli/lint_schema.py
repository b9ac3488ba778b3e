"""What may be wrong with the JSON Schema of a tool: broken for everybody, or refused by some providers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias

__all__ = ["schema_findings"]

_Said: TypeAlias = tuple[Literal["error", "warning", "note"], str, str]

_PORTABLE_KEY = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_MOST_ENUM, _DEEPEST, _LARGEST = 500, 10, 16_384
_TYPES = ("object", "array", "string", "number", "integer", "boolean", "null")
_BRANCHES = ("anyOf", "oneOf", "allOf", "prefixItems")
_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_SINGLE = (
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
)
_RARE = ("not", "if", "patternProperties", "dependentSchemas", "propertyNames", "contains")
"""Keywords that strict modes and some providers refuse, or take and do not obey."""


def schema_findings(schema: Mapping[str, Any] | None, strict: bool | None) -> Iterator[_Said]:
    """Findings about an input schema; `strict` as in the definition of its tool."""
    if schema is None:
        return
    if schema.get("type", "object") != "object":
        yield (
            "error",
            "schema-not-an-object",
            f"the root must be of type 'object', not {schema['type']!r}",
        )
    if any(key in schema for key in ("anyOf", "oneOf", "allOf", "enum", "not")):
        yield (
            "warning",
            "schema-root-choice",
            "some providers refuse anyOf, oneOf, allOf, enum and not at the root; move it into a parameter",
        )
    size = len(json.dumps(schema, default=str))
    if size > _LARGEST:
        yield "warning", "schema-large", f"{size} characters of schema go with every request"
    for path, node in _nodes(schema, "", 0):
        yield from _about(path, node, schema)
        if strict:
            yield from _about_strict(path, node)


def _about(path: str, node: Any, root: Mapping[str, Any]) -> Iterator[_Said]:
    where = path or "the root"
    if node is None:
        yield "warning", "schema-deep", f"{where}: nested more than {_DEEPEST} deep"
        return
    yield from _types(where, node)
    yield from _keys(where, node)
    yield from _values(where, node)
    if "$ref" in node and not _resolves(node["$ref"], root):
        yield "error", "schema-ref", f"{where}: {node['$ref']!r} leads nowhere in this schema"
    if rare := [key for key in _RARE if key in node]:
        yield "warning", "schema-keyword", f"{where}: some providers refuse {', '.join(rare)}"
    if path and not (node.keys() - {"description", "title", "default", "examples"}):
        yield "warning", "schema-anything", f"{where}: anything goes; give it a type"


def _types(where: str, node: Mapping[str, Any]) -> Iterator[_Said]:
    kinds = node.get("type")
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        if kind is not None and kind not in _TYPES:
            yield "error", "schema-type", f"{where}: there is no type {kind!r}"
    if isinstance(kinds, list) and len([kind for kind in kinds if kind != "null"]) > 1:
        yield "note", "schema-type-list", f"{where}: some providers take one type only, not {kinds}"
    if kinds == "array" and "items" not in node and "prefixItems" not in node:
        yield "warning", "schema-items", f"{where}: some providers refuse an array without 'items'"


def _keys(where: str, node: Mapping[str, Any]) -> Iterator[_Said]:
    properties, required = node.get("properties"), node.get("required")
    named = properties if isinstance(properties, Mapping) else {}
    needed = required if isinstance(required, list) else []
    if missing := [name for name in needed if name not in named]:
        if node.get("additionalProperties", True) is False:
            yield "error", "schema-required", f"{where}: required but impossible: {missing}"
        else:
            yield "warning", "schema-required", f"{where}: required but not described: {missing}"
    for name in named:
        if not _PORTABLE_KEY.fullmatch(str(name)):
            yield "error", "schema-key", f"{where}: some providers refuse the key {name!r}"


def _values(where: str, node: Mapping[str, Any]) -> Iterator[_Said]:
    values = node.get("enum")
    if not isinstance(values, list):
        return
    if not values:
        yield "error", "schema-enum", f"{where}: an empty enum allows nothing"
    elif len(values) > _MOST_ENUM:
        yield "error", "schema-enum", f"{where}: {len(values)} values; providers take {_MOST_ENUM}"


def _about_strict(path: str, node: Any) -> Iterator[_Said]:
    """What a provider's strict mode cannot hold a model to."""
    if not isinstance(node, Mapping):
        return
    where = path or "the root"
    free = node.get("additionalProperties", False)
    if free is not False:
        yield (
            "error",
            "strict-open-object",
            f"{where}: strict=True needs all keys named; a dict of free keys cannot be strict",
        )
    if node.get("type") == "object" and not node.get("properties") and free is False and path:
        yield "error", "strict-open-object", f"{where}: strict=True needs the keys of this object"


def _resolves(ref: Any, root: Mapping[str, Any]) -> bool:
    if ref == "#":
        return True
    if not isinstance(ref, str) or not ref.startswith("#/"):
        return False
    found: Any = root
    for step in ref[2:].split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, Mapping) or key not in found:
            return False
        found = found[key]
    return True


def _nodes(node: Any, path: str, depth: int) -> Iterator[tuple[str, Any]]:
    """Every schema within, with its path; None in place of what is too deep."""
    if not isinstance(node, Mapping):
        return
    if depth > _DEEPEST:
        yield path, None
        return
    yield path, node
    for key in _MAPS:
        held = node.get(key)
        if isinstance(held, Mapping):
            for name, inner in held.items():
                step = f"{path}.{name}" if path else str(name)
                if key != "properties":
                    step = f"{path}.{key}.{name}" if path else f"{key}.{name}"
                yield from _nodes(inner, step, depth + 1)
    for key in _SINGLE:
        yield from _nodes(
            node.get(key), f"{path}[]" if key == "items" else f"{path}.{key}", depth + 1
        )
    for key in _BRANCHES:
        held = node.get(key)
        if isinstance(held, list):
            for place, inner in enumerate(held):
                yield from _nodes(inner, f"{path}.{key}[{place}]", depth + 1)

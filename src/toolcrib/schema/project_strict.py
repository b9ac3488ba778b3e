"""The walk that makes a schema fit for OpenAI's strict mode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolcrib.schema.project_refs import DEFINITIONS

__all__ = ["StrictWalk"]

_KEPT = frozenset(
    {
        "$defs",
        "$ref",
        "additionalProperties",
        "anyOf",
        "const",
        "definitions",
        "description",
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "items",
        "maxItems",
        "maximum",
        "minItems",
        "minimum",
        "multipleOf",
        "pattern",
        "properties",
        "required",
        "title",
        "type",
    }
)
_FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
)
_SILENT = frozenset(
    {"$comment", "$id", "$schema", "default", "deprecated", "discriminator", "example", "examples"}
)
"""Left out without a note: they restrict nothing."""
_OPEN = ("patternProperties", "propertyNames", "unevaluatedProperties", "dependentSchemas")
_ANYTHING = "any value is allowed"
_TYPES: dict[type, str] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
}
_NULL = {"type": "null"}


class StrictWalk:
    """Projects a schema; `notes` tells what was changed, `refused` what cannot be said strictly."""

    def __init__(self, notes: list[str]) -> None:
        self.notes = notes
        self.refused: list[str] = []

    def schema(self, schema: Any, path: str) -> dict[str, Any]:
        """The schema at `path` as strict mode takes it."""
        if not isinstance(schema, Mapping):
            return self._refuse(path, "no value is allowed" if schema is False else _ANYTHING)
        out = self._known(self._only_any_of(schema, path), path)
        defs = {
            key: {name: self.schema(one, f"#/{key}/{name}") for name, one in out.pop(key).items()}
            for key in DEFINITIONS
            if isinstance(out.get(key), Mapping)
        }
        projected = self._projected(out, path)
        if schema.get("nullable") is True:
            projected = _or_null(projected)
        return {**projected, **defs}

    def _projected(self, out: dict[str, Any], path: str) -> dict[str, Any]:
        if "$ref" in out:
            return _reference(out)
        options = out.get("anyOf")
        if isinstance(options, list):
            if "type" not in out and "properties" not in out:
                return self._choice(out, options, path)
            # Beside a type it only narrows, such as a choice of what is required.
            del out["anyOf"]
            self._note(path, "anyOf is not enforced")
        return self._typed(out, path)

    def _choice(self, out: dict[str, Any], options: list[Any], path: str) -> dict[str, Any]:
        for key in out.keys() - {"anyOf", "description", "title"}:
            self._note(path, f"{key} beside anyOf is not enforced")
        choice: dict[str, Any] = {
            "anyOf": [self.schema(one, f"{path}/anyOf/{at}") for at, one in enumerate(options)]
        }
        if "description" in out:
            choice["description"] = out["description"]
        return choice

    def _known(self, schema: Mapping[str, Any], path: str) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for key, value in schema.items():
            if key == "items" and "prefixItems" in schema:
                continue  # what stands behind a tuple's places
            if key in _KEPT or (key == "format" and value in _FORMATS):
                out[key] = value
            elif key in _OPEN and value not in (None, False, {}):
                self._refuse(path, f"an open dictionary ({key})")
            elif key == "prefixItems" and isinstance(value, list):
                self._tuple(out, schema, value, path)
            elif key not in _SILENT and key != "nullable":
                self._note(path, f"{key} is not enforced")
        return out

    def _tuple(
        self, out: dict[str, Any], schema: Mapping[str, Any], places: list[Any], path: str
    ) -> None:
        """Places of a tuple cannot be told apart: each takes what any of them takes."""
        distinct: list[Any] = []
        for place in places:
            if place not in distinct:
                distinct.append(place)
        out["items"] = distinct[0] if len(distinct) == 1 else {"anyOf": distinct}
        out["maxItems"] = schema.get("maxItems", len(places))
        self._note(path, "the order inside the tuple is not enforced")

    def _typed(self, out: dict[str, Any], path: str) -> dict[str, Any]:
        if "type" not in out:
            if "properties" in out:
                out["type"] = "object"
            elif isinstance(kind := _type_of(out), str | list):
                out["type"] = kind
            else:
                return self._refuse(path, _ANYTHING)
        kinds = out["type"] if isinstance(out["type"], list) else [out["type"]]
        if "object" in kinds:
            self._close(out, path)
        if "array" in kinds:
            if not isinstance(out.get("items"), Mapping):
                return self._refuse(path, "an array of anything")
            out["items"] = self.schema(out["items"], f"{path}/items")
        return out

    def _close(self, out: dict[str, Any], path: str) -> None:
        properties = out.get("properties")
        further = out.get("additionalProperties")
        named = isinstance(properties, Mapping)
        if isinstance(further, Mapping) or further is True or (not named and further is None):
            self._refuse(path, "an open dictionary (additionalProperties)")
        elif further is None and properties:
            self._note(path, "further properties are forbidden")
        listed = out.get("required")
        required = set(listed) if isinstance(listed, list) else set()
        closed: dict[str, Any] = {}
        for name, inner in properties.items() if isinstance(properties, Mapping) else ():
            where = f"{path}/{name}"
            projected = self.schema(inner, where)
            closed[name] = projected if name in required else self._nullable(projected, where)
        out["properties"] = closed
        out["required"] = list(closed)
        out["additionalProperties"] = False

    def _nullable(self, schema: dict[str, Any], path: str) -> dict[str, Any]:
        """Strict mode has no optional properties: null stands for absent."""
        nullable = _or_null(schema)
        if nullable is not schema:
            self._note(path, "optional, so null is allowed")
        return nullable

    def _only_any_of(self, schema: Mapping[str, Any], path: str) -> Mapping[str, Any]:
        """Strict mode knows `anyOf` alone: `oneOf` becomes it, `allOf` of one schema goes away."""
        if "oneOf" not in schema and "allOf" not in schema:
            return schema
        whole = dict(schema)
        one_of, all_of = whole.pop("oneOf", None), whole.pop("allOf", None)
        if isinstance(one_of, list):
            if "anyOf" in whole:
                self._refuse(path, "several schemas at once (anyOf and oneOf)")
            whole["anyOf"] = one_of
        if isinstance(all_of, list):
            if len(all_of) == 1 and isinstance(all_of[0], Mapping):
                return {**all_of[0], **whole}
            self._refuse(path, "several schemas at once (allOf)")
        return whole

    def _note(self, path: str, what: str) -> None:
        self.notes.append(f"{path or 'root'}: {what}")

    def _refuse(self, path: str, why: str) -> dict[str, Any]:
        where = f"{path or 'root'}: "
        if not (self.refused and self.refused[-1].startswith(where)):  # one reason is enough
            self.refused.append(where + why)
        return {}


def _reference(out: Mapping[str, Any]) -> dict[str, Any]:
    """A reference stands alone in strict mode; its description goes around it."""
    reference = {"$ref": out["$ref"]}
    if "description" in out:
        return {"anyOf": [reference], "description": out["description"]}
    return reference


def _type_of(schema: Mapping[str, Any]) -> str | list[str] | None:
    """The type of listed values, which strict mode wants beside them."""
    values = schema["enum"] if "enum" in schema else [schema[k] for k in ("const",) if k in schema]
    kinds = list(dict.fromkeys(_TYPES.get(type(value), "") for value in values))
    if not kinds or "" in kinds:
        return None
    return kinds[0] if len(kinds) == 1 else kinds


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The same, or null; the very same object where null is allowed already."""
    if not schema or _allows_null(schema):
        return schema
    options = schema.get("anyOf")
    if isinstance(options, list):
        return {**schema, "anyOf": [*options, _NULL]}
    kind = schema.get("type")
    if isinstance(kind, str | list) and not schema.keys() & {"enum", "const"}:
        return {**schema, "type": [kind, "null"] if isinstance(kind, str) else [*kind, "null"]}
    inner = {key: value for key, value in schema.items() if key != "description"}
    union: dict[str, Any] = {"anyOf": [inner, _NULL]}
    if "description" in schema:
        union["description"] = schema["description"]
    return union


def _allows_null(schema: Mapping[str, Any]) -> bool:
    if "const" in schema:
        return schema["const"] is None
    if isinstance(listed := schema.get("enum"), list):
        return None in listed
    kind = schema.get("type")
    if kind == "null" or (isinstance(kind, list) and "null" in kind):
        return True
    options = schema.get("anyOf")
    return isinstance(options, list) and any(
        isinstance(one, Mapping) and _allows_null(one) for one in options
    )

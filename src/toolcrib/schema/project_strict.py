"""The walk that makes a schema fit for OpenAI's strict mode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
_SILENT = frozenset({"title", "default", "examples", "$schema", "$id", "$comment", "example"})
"""Dropped without a note where strict mode does not know them: they restrict nothing."""


class StrictWalk:
    """Projects a schema; `notes` tells what was changed, `refused` what cannot be said strictly."""

    def __init__(self, notes: list[str]) -> None:
        self.notes = notes
        self.refused: list[str] = []

    def schema(self, schema: Any, path: str) -> dict[str, Any]:
        """The schema at `path` as strict mode takes it."""
        if not isinstance(schema, Mapping):
            return self._refuse(path, "any value is allowed")
        schema = self._without_foreign_unions(schema, path)
        out: dict[str, Any] = {}
        for key, value in schema.items():
            if key == "format" and isinstance(value, str) and value in _FORMATS:
                out[key] = value
            elif key not in _KEPT:
                if key not in _SILENT:
                    self.notes.append(f"{path or 'root'}: {key} is not enforced")
            else:
                out[key] = value
        for key in ("$defs", "definitions"):
            if isinstance(defs := out.get(key), Mapping):
                out[key] = {name: self.schema(one, f"#/{key}/{name}") for name, one in defs.items()}
        if "$ref" in out:
            return self._reference(out)
        if isinstance(options := out.get("anyOf"), list):
            out["anyOf"] = [
                self.schema(one, f"{path}/anyOf/{place}") for place, one in enumerate(options)
            ]
            return {key: out[key] for key in out if key in ("anyOf", "description", "$defs")}
        return self._typed(out, path)

    def _typed(self, out: dict[str, Any], path: str) -> dict[str, Any]:
        kinds = out.get("type")
        kinds = kinds if isinstance(kinds, list) else [kinds]
        if "object" in kinds or "properties" in out:
            out.setdefault("type", "object")
            self._close(out, path)
        if "array" in kinds:
            if not isinstance(out.get("items"), Mapping):
                return self._refuse(path, "an array of anything, or a tuple")
            out["items"] = self.schema(out["items"], f"{path}/items")
        if kinds == [None] and not out.keys() & {"enum", "const", "properties"}:
            return self._refuse(path, "any value is allowed")
        return out

    def _close(self, out: dict[str, Any], path: str) -> None:
        properties = out.get("properties")
        properties = properties if isinstance(properties, Mapping) else {}
        extra = out.get("additionalProperties")
        if (isinstance(extra, Mapping) or extra is True) or (
            not properties and path and extra is not False
        ):
            self._refuse(path, "an open dictionary (additionalProperties)")
        elif extra is None and properties:
            self.notes.append(f"{path or 'root'}: further properties are forbidden")
        required = out.get("required")
        needed = set(required) if isinstance(required, list) else set()
        closed: dict[str, Any] = {}
        for name, value in properties.items():
            where = f"{path}/{name}"
            projected = self.schema(value, where)
            if name not in needed:
                projected = self._nullable(projected, where)
            closed[name] = projected
        out["properties"] = closed
        out["required"] = list(closed)
        out["additionalProperties"] = False

    def _nullable(self, schema: dict[str, Any], path: str) -> dict[str, Any]:
        """Strict mode has no optional properties: null stands for absent."""
        if _allows_null(schema):
            return schema
        self.notes.append(f"{path}: optional, so null was allowed")
        if isinstance(options := schema.get("anyOf"), list):
            return {**schema, "anyOf": [*options, {"type": "null"}]}
        if isinstance(kind := schema.get("type"), str) and not schema.keys() & {"enum", "const"}:
            return {**schema, "type": [kind, "null"]}
        inner = {key: value for key, value in schema.items() if key != "description"}
        union: dict[str, Any] = {"anyOf": [inner, {"type": "null"}]}
        if "description" in schema:
            union["description"] = schema["description"]
        return union

    def _reference(self, out: dict[str, Any]) -> dict[str, Any]:
        """A reference stands alone in strict mode; its description goes around it."""
        reference = {"$ref": out["$ref"]}
        if "description" in out:
            return {"anyOf": [reference], "description": out["description"]}
        return reference

    def _without_foreign_unions(self, schema: Mapping[str, Any], path: str) -> Mapping[str, Any]:
        if not schema.keys() & {"oneOf", "allOf"}:
            return schema
        whole = dict(schema)
        one_of = whole.pop("oneOf", None)
        if isinstance(one_of, list):
            whole.pop("discriminator", None)
            whole["anyOf"] = [*(whole.get("anyOf") or []), *one_of]
        all_of = whole.pop("allOf", None)
        if isinstance(all_of, list):
            if len(all_of) == 1 and isinstance(all_of[0], Mapping):
                whole = {**all_of[0], **whole}
            else:
                self._refuse(path, "several schemas at once (allOf)")
        return whole

    def _refuse(self, path: str, why: str) -> dict[str, Any]:
        self.refused.append(f"{path or 'root'}: {why}")
        return {}


def _allows_null(schema: Mapping[str, Any]) -> bool:
    kind = schema.get("type")
    if kind == "null" or (isinstance(kind, list) and "null" in kind):
        return True
    options = schema.get("anyOf")
    if isinstance(options, list):
        return any(_allows_null(one) for one in options)
    return "const" in schema and schema["const"] is None

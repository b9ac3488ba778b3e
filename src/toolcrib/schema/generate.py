"""pydantic's JSON Schema of a type, without titles, and with marks for what it leaves unsaid."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from enum import Enum
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import CoreSchema, core_schema, to_jsonable_python

from toolcrib.schema.marks import MARK, Mark

__all__ = ["MarkedSchema", "duration_text"]

_DECIMAL = r"^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$"
_JSON_TYPES: dict[type, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    type(None): "null",
}
_KEYWORDS_WITH_SCHEMAS = ("properties", "$defs", "patternProperties")


class MarkedSchema(GenerateJsonSchema):
    """Makes the schema that the argument reader walks; `strip_marks` makes the one that is shown."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._by_name = [False]

    def generate(self, schema: CoreSchema, mode: Any = "validation") -> JsonSchemaValue:
        generated: JsonSchemaValue = _without_titles(super().generate(schema, mode))
        return generated

    def sort(self, value: JsonSchemaValue, parent_key: str | None = None) -> JsonSchemaValue:
        return value  # the order of declaration, which never changes

    def emit_warning(self, kind: Any, detail: str) -> None:
        """Stay silent: what cannot be shown, such as some default, is only left out."""

    def encode_default(self, dft: Any) -> Any:
        return duration_text(dft) if isinstance(dft, timedelta) else super().encode_default(dft)

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    # ---- texts that stand for something else -------------------------------------------------

    def bytes_schema(self, schema: core_schema.BytesSchema) -> JsonSchemaValue:
        # Lengths are of the bytes, not of the text, so they cannot be shown.
        return {"type": "string", "contentEncoding": "base64", MARK: Mark("bytes")}

    def date_schema(self, schema: core_schema.DateSchema) -> JsonSchemaValue:
        return {"type": "string", "format": "date", MARK: Mark("date")}

    def time_schema(self, schema: core_schema.TimeSchema) -> JsonSchemaValue:
        return {"type": "string", "format": "time", MARK: Mark("time")}

    def datetime_schema(self, schema: core_schema.DatetimeSchema) -> JsonSchemaValue:
        return {"type": "string", "format": "date-time", MARK: Mark("datetime")}

    def timedelta_schema(self, schema: core_schema.TimedeltaSchema) -> JsonSchemaValue:
        return {"type": "string", "format": "duration", MARK: Mark("duration")}

    def uuid_schema(self, schema: core_schema.UuidSchema) -> JsonSchemaValue:
        return {"type": "string", "format": "uuid", MARK: Mark("uuid")}

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> JsonSchemaValue:
        number: dict[str, Any] = {"type": "number"}
        for key, keyword in _BOUNDS.items():
            limit = schema.get(key)
            if limit is not None:
                exact = Decimal(str(limit))
                number[keyword] = int(exact) if exact == int(exact) else float(exact)
        return {"anyOf": [number, {"type": "string", "pattern": _DECIMAL}], MARK: Mark("decimal")}

    # ---- finite lists ------------------------------------------------------------------------

    def literal_schema(self, schema: core_schema.LiteralSchema) -> JsonSchemaValue:
        members = schema["expected"]
        shown = [to_jsonable_python(m.value if isinstance(m, Enum) else m) for m in members]
        names = tuple(m.name if isinstance(m, Enum) else None for m in members)
        return _finite(shown, Mark("enum", members=tuple(members), names=names))

    def enum_schema(self, schema: core_schema.EnumSchema) -> JsonSchemaValue:
        found = super().enum_schema(schema)
        kind = schema["cls"]
        members = tuple(schema["members"])
        mark = Mark(
            "enum",
            members=members,
            names=tuple(member.name for member in members),
            title=kind.__name__,
            open=_makes_members(kind),
        )
        finite = _finite([to_jsonable_python(member.value) for member in members], mark)
        if "description" in found:
            finite["description"] = found["description"]
        return finite

    # ---- objects -----------------------------------------------------------------------------

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        self._by_name.append(bool(schema.get("config", {}).get("validate_by_name")))
        try:
            found = super().model_schema(schema)
        finally:
            self._by_name.pop()
        return found

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        self._by_name.append(bool(schema.get("config", {}).get("validate_by_name")))
        try:
            return super().dataclass_schema(schema)
        finally:
            self._by_name.pop()

    def model_fields_schema(self, schema: core_schema.ModelFieldsSchema) -> JsonSchemaValue:
        found = super().model_fields_schema(schema)
        found[MARK] = self._object_mark(schema["fields"])
        return found

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> JsonSchemaValue:
        self._by_name.append(bool(schema.get("config", {}).get("validate_by_name")))
        try:
            found = super().typed_dict_schema(schema)
            found[MARK] = self._object_mark(schema["fields"])
            return found
        finally:
            self._by_name.pop()

    def dataclass_args_schema(self, schema: core_schema.DataclassArgsSchema) -> JsonSchemaValue:
        found = super().dataclass_args_schema(schema)
        found[MARK] = self._object_mark({field["name"]: field for field in schema["fields"]})
        return found

    def _object_mark(self, fields: Mapping[str, Any]) -> Mark:
        also: dict[str, str] = {}
        for name, field in fields.items():
            alias = field.get("validation_alias")
            if isinstance(alias, list):
                return Mark("opaque")  # several names or a path: only pydantic knows which wins
            if alias is not None and alias != name and self._by_name[-1]:
                also[name] = alias
        return Mark("object", also=also)

    def p_arguments_schema(self, arguments: Any, var_args_schema: Any) -> JsonSchemaValue:
        found = super().p_arguments_schema(arguments, var_args_schema)
        found[MARK] = Mark("named_tuple", names=tuple(argument["name"] for argument in arguments))
        return found

    def named_tuple_schema(self, schema: Any) -> JsonSchemaValue:
        found: JsonSchemaValue = super().named_tuple_schema(schema)
        found[MARK] = Mark("named_tuple", names=tuple(field["name"] for field in schema["fields"]))
        return found

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        found = super().dict_schema(schema)
        keys = self.generate_inner(schema["keys_schema"]) if "keys_schema" in schema else {}
        if keys and keys.get("type") != "string" and "$ref" not in keys:
            found[MARK] = Mark("object", keys=keys, keeps_unknown=True)
        return found

    # ---- users' code -------------------------------------------------------------------------

    def function_before_schema(
        self, schema: core_schema.BeforeValidatorFunctionSchema
    ) -> JsonSchemaValue:
        return _opaque(super().function_before_schema(schema))

    def function_wrap_schema(
        self, schema: core_schema.WrapValidatorFunctionSchema
    ) -> JsonSchemaValue:
        return _opaque(super().function_wrap_schema(schema))

    def function_plain_schema(
        self, schema: core_schema.PlainValidatorFunctionSchema
    ) -> JsonSchemaValue:
        if "json_schema_input_schema" not in schema:
            return {MARK: Mark("opaque")}  # it takes whatever its code takes
        return _opaque(super().function_plain_schema(schema))


def _makes_members(kind: type[Enum]) -> bool:
    return any("_missing_" in vars(base) for base in kind.__mro__ if base.__module__ != "enum")


_BOUNDS = {
    "ge": "minimum",
    "le": "maximum",
    "gt": "exclusiveMinimum",
    "lt": "exclusiveMaximum",
}


def duration_text(span: timedelta) -> str:
    """ISO 8601 in days and seconds; pydantic writes 365 days as a year, which the reader refuses."""
    sign = "-" if span < timedelta(0) else ""
    span = abs(span)
    fraction = f".{span.microseconds:06}" if span.microseconds else ""
    return f"{sign}P{span.days}DT{span.seconds}{fraction}S"


def _finite(shown: list[Any], mark: Mark) -> JsonSchemaValue:
    found: JsonSchemaValue = {}
    kinds = {type(value) for value in shown}
    if len(kinds) == 1 and (kind := _JSON_TYPES.get(kinds.pop())) is not None:
        found["type"] = kind
    if len(shown) == 1:
        found["const"] = shown[0]
    else:
        found["enum"] = shown
    found[MARK] = mark
    return found


def _opaque(schema: JsonSchemaValue) -> JsonSchemaValue:
    return {**schema, MARK: Mark("opaque")}


def _without_titles(schema: Any) -> Any:
    """Drops `title` where it is a keyword; a property of that name stays."""
    if isinstance(schema, list):
        return [_without_titles(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "title" and isinstance(value, str):
            continue
        if key in _KEYWORDS_WITH_SCHEMAS and isinstance(value, dict):
            kept[key] = {name: _without_titles(inner) for name, inner in value.items()}
        elif key in ("default", "examples", "enum", "const", "discriminator"):
            kept[key] = value
        else:
            kept[key] = _without_titles(value)
    return kept

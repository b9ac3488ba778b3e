"""One type → its pydantic adapter and its marked JSON Schema; parameters → the schema of a tool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import TypeAdapter
from pydantic.errors import PydanticUserError
from pydantic_core import PydanticSerializationError, to_jsonable_python

from toolcrib.errors import ConfigurationError
from toolcrib.schema.generate import MarkedSchema
from toolcrib.schema.marks import strip_marks
from toolcrib.schema.parameters import Parameter

__all__ = ["TypeSchema", "strip_marks", "tool_schema", "type_schema"]

_MOST_CACHED = 1_024
_REFS = "#/$defs/"


@dataclass(frozen=True, slots=True, eq=False)
class TypeSchema:
    """What is known of one type, made once."""

    annotation: Any
    adapter: TypeAdapter[Any]
    schema: Mapping[str, Any]
    """Marked; `strip_marks` gives what may be shown. Shared by many tools: do not change it."""


_cache: dict[Any, TypeSchema] = {}


def type_schema(annotation: Any) -> TypeSchema:
    """The adapter and schema of a type, from a bounded cache when the type can be hashed.

    Raises `ConfigurationError` for a type that JSON cannot carry, or that is not defined yet.
    """
    try:
        key = _key(annotation)
        found = _cache.get(key)
    except TypeError:  # cannot be hashed
        return _build(annotation)
    if found is None:
        found = _build(annotation)
        while len(_cache) >= _MOST_CACHED:
            _cache.pop(next(iter(_cache)), None)  # the oldest
        _cache[key] = found
    return found


def _build(annotation: Any) -> TypeSchema:
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(annotation)
        schema = adapter.json_schema(schema_generator=MarkedSchema, mode="validation")
    except PydanticUserError as error:
        reason = str(error.message).split("\n", 1)[0].rstrip(".")
        raise ConfigurationError(
            f"The type {annotation!r} cannot be given by a model as JSON: {reason}."
        ) from error
    except NameError as error:
        raise ConfigurationError(f"The type {annotation!r} cannot be resolved: {error}.") from error
    return TypeSchema(annotation, adapter, schema)


def _key(annotation: Any) -> Any:
    """A key under which only the very same type is found.

    Python says that `int | str == str | int` and `Literal[1] == Literal[True]`; schemas differ.
    Raises TypeError for what cannot be hashed.
    """
    origin = get_origin(annotation)
    if origin is None:
        hash(annotation)
        return annotation
    arguments = get_args(annotation)
    if origin is Literal:
        return Literal, tuple((type(argument), argument) for argument in arguments)
    if origin is Annotated:
        marks = tuple((type(mark), mark, repr(mark)) for mark in annotation.__metadata__)
        hash(marks)
        return Annotated, _key(annotation.__origin__), marks
    if origin in (Union, UnionType):
        return Union, tuple(_key(argument) for argument in arguments)
    keys = tuple(
        tuple(map(_key, argument)) if isinstance(argument, list) else _key(argument)
        for argument in arguments
    )
    # `typing.List[int]` and `list[int]` give the same schema; their origin is the same.
    return origin, keys


def tool_schema(parameters: Sequence[Parameter]) -> dict[str, Any] | None:
    """The marked JSON Schema of an object with these parameters; None when there are none.

    The same parameters always give the same bytes. A definition of a name that is taken by another
    one becomes `Item_2`. Raises `ConfigurationError` as `type_schema` does.
    """
    if not parameters:
        return None
    definitions: dict[str, Any] = {}
    properties: dict[str, Any] = {}
    for parameter in parameters:
        schema = _merged(type_schema(parameter.annotation).schema, definitions)
        if parameter.description is not None:
            schema["description"] = parameter.description
        if parameter.make_default is not None:
            _show_default(schema, parameter.make_default())
        properties[parameter.name] = schema
    found: dict[str, Any] = {"type": "object", "properties": properties}
    required = [parameter.name for parameter in parameters if parameter.required]
    if required:
        found["required"] = required
    found["additionalProperties"] = False
    if definitions:
        found["$defs"] = definitions
    return found


def _show_default(schema: dict[str, Any], default: Any) -> None:
    try:
        schema["default"] = to_jsonable_python(
            default, bytes_mode="base64", inf_nan_mode="constants"
        )
    except (PydanticSerializationError, ValueError):
        return  # it is used, but cannot be shown
    if isinstance(schema["default"], float) and schema["default"] - schema["default"] != 0:
        del schema["default"]


def _merged(schema: Mapping[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """A copy of a type's schema without `$defs`, which are added to those of the tool."""
    own = schema.get("$defs", {})
    renamed: dict[str, str] = {}
    if any(name in definitions and definitions[name] != own[name] for name in own):
        renamed = _free_names(own, definitions)
    body = {key: value for key, value in schema.items() if key != "$defs"}
    for name, definition in own.items():
        definitions[renamed.get(name, name)] = _rewritten(definition, renamed)
    merged: dict[str, Any] = _rewritten(body, renamed)
    return merged


def _free_names(own: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, str]:
    """New names for the definitions that clash, and for those that point to one of them."""
    renamed: dict[str, str] = {}
    for name, definition in own.items():
        candidate, number = name, 1
        while candidate in definitions or (candidate in own and candidate != name):
            if definitions.get(candidate) == definition and candidate == name:
                break
            number += 1
            candidate = f"{name}_{number}"
        if candidate != name:
            renamed[name] = candidate
    return renamed


def _rewritten(schema: Any, renamed: Mapping[str, str]) -> Any:
    if isinstance(schema, list):
        return [_rewritten(item, renamed) for item in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {key: _rewritten(value, renamed) for key, value in schema.items()}
    for key, value in copy.items():
        if isinstance(value, str) and value.startswith(_REFS) and value[len(_REFS) :] in renamed:
            copy[key] = _REFS + renamed[value[len(_REFS) :]]
    return copy

"""The fast path of reading arguments: texts that are right as they are, for plain parameters.

What it gives is what the whole reading would give, without a repair; everything else is left to
that, which knows how to put things right and how to explain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import NoneType, UnionType
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin

from pydantic_core import SchemaValidator, ValidationError
from pydantic_core import core_schema as core

from toolcrib.schema.numbers import LONGEST_NUMBER
from toolcrib.schema.parameters import Parameter

__all__ = ["ReadExactly", "exact_reading"]

ReadExactly: TypeAlias = Callable[[str], dict[str, Any] | None]
"""Text → values by Python name, or None for a text that needs a closer look."""


def exact_reading(parameters: Sequence[Parameter]) -> ReadExactly | None:
    """For parameters that are texts, integers, booleans, literal texts, lists of them, or null."""
    fields: dict[str, core.TypedDictField] = {}
    for one in parameters:
        schema = _strict(one.annotation)
        if schema is None:
            return None
        fields[one.python_name] = core.typed_dict_field(
            schema, required=one.required, validation_alias=one.name
        )
    validate = SchemaValidator(
        core.typed_dict_schema(fields, extra_behavior="forbid")
    ).validate_json
    count = len(fields)

    def read(text: str) -> dict[str, Any] | None:
        # `-0` is no integer, and pydantic would read numbers of any length.
        if len(text) > LONGEST_NUMBER or "-0" in text:
            return None
        try:
            values: dict[str, Any] = validate(text)
        except (ValidationError, UnicodeError):
            return None
        # Each key has a colon: when there are no more of them, no key was there twice.
        if text.count(":") != len(values):
            return None
        return values if len(values) == count else _completed(values, parameters)

    return read


def _completed(values: dict[str, Any], parameters: Sequence[Parameter]) -> dict[str, Any]:
    whole: dict[str, Any] = {}
    for one in parameters:
        if one.python_name in values:
            whole[one.python_name] = values[one.python_name]
        elif one.make_default is not None:
            whole[one.python_name] = one.make_default()
        elif one.nullable:
            whole[one.python_name] = None
    return whole


def _strict(annotation: Any) -> core.CoreSchema | None:
    """A schema that takes only what needs no repair; None for types that say more than it can."""
    if annotation is str:
        return core.str_schema(strict=True)
    if annotation is int:
        return core.int_schema(strict=True)
    if annotation is bool:
        return core.bool_schema(strict=True)
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Literal and all(type(one) is str for one in args):
        return core.literal_schema(list(args))
    if origin is list:
        inner = _strict(args[0])
        return None if inner is None else core.list_schema(inner, strict=True)
    if origin in (Union, UnionType) and len(args) == 2 and NoneType in args:
        inner = _strict(args[0] if args[1] is NoneType else args[1])
        return None if inner is None else core.nullable_schema(inner)
    return None

"""One annotation taken apart: the type with its constraints, and what is said about the parameter."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from dataclasses import field
from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic_core import PydanticUndefined
from typing_extensions import Doc, TypeAliasType

from toolcrib.schema.parameters import MISSING, Param
from toolcrib.values import record

__all__ = ["Said", "is_field", "is_nullable", "take_apart"]

_KEPT = ("examples", "discriminator", "deprecated", "json_schema_extra")


@record
class Said:
    """What an annotation says, each kind of saying with every place that said it."""

    type: Any
    """Without descriptions and `Param`; constraints stay."""
    marks: list[Any] = field(default_factory=list)
    """All that stood beside the type in `Annotated`, as it was."""
    names: list[Any] = field(default_factory=list)
    descriptions: list[str] = field(default_factory=list)
    defaults: list[Any] = field(default_factory=list)
    factories: list[Callable[[], Any]] = field(default_factory=list)
    required: bool | None = None


def take_apart(annotation: Any, *further: Any) -> Said:
    """Read `Annotated[T, …]`; `further` is metadata that stood elsewhere."""
    marks: list[Any] = []
    while get_origin(annotation) is Annotated:
        annotation, *inner = get_args(annotation)
        marks = [*inner, *marks]
    marks.extend(further)
    said = Said(annotation, marks)
    constraints: list[Any] = []
    for mark in marks:
        if isinstance(mark, str):
            said.descriptions.append(mark)
        elif isinstance(mark, Doc):
            said.descriptions.append(mark.documentation)
        elif isinstance(mark, Param):
            _read_param(mark, said)
        elif is_field(mark):
            constraints.extend(_read_field(mark, said))
        else:
            constraints.append(mark)
    said.type = _without_inner_descriptions(annotation, said)
    if constraints:
        said.type = Annotated[(said.type, *constraints)]
    return said


def _read_param(param: Param, said: Said) -> None:
    if param.name is not None:
        said.names.append(param.name)
    if param.description is not None:
        said.descriptions.append(param.description)
    if param.default is not MISSING:
        said.defaults.append(param.default)
    if param.required is not None:
        said.required = param.required


def is_field(mark: object) -> bool:
    """Whether it was made by pydantic's `Field`.

    `pydantic.fields` takes long to load, and most programs do without. Where it is not loaded, nothing
    can have been made by it.
    """
    fields = sys.modules.get("pydantic.fields")
    return fields is not None and isinstance(mark, fields.FieldInfo)


def _read_field(info: Any, said: Said) -> list[Any]:
    """Note what a pydantic `Field` says of the parameter; give back what it says of the type."""
    from pydantic import Field  # loaded already, or there were no `info`

    if info.description is not None:
        said.descriptions.append(info.description)
    if info.default is not PydanticUndefined and info.default is not ...:
        said.defaults.append(info.default)
    if info.default_factory is not None:
        said.factories.append(info.default_factory)
    alias = info.validation_alias or info.alias
    if alias is not None:
        said.names.append(alias)
    kept = {key: value for key in _KEPT if (value := getattr(info, key)) is not None}
    return [*info.metadata, *([Field(**kept)] if kept else [])]


def _without_inner_descriptions(annotation: Any, said: Said) -> Any:
    """Also reads `Annotated[T, "text"] | None`, where the text means the parameter as well."""
    if get_origin(annotation) not in (Union, types.UnionType):
        return annotation
    members = get_args(annotation)
    described = [m for m in members if get_origin(m) is Annotated]
    if len(described) != 1 or len([m for m in members if m is not types.NoneType]) != 1:
        return annotation
    inner = take_apart(described[0])
    if not inner.descriptions and not inner.names and not inner.defaults and not inner.factories:
        said.marks.extend(inner.marks)
        return annotation
    said.marks.extend(inner.marks)
    said.names.extend(inner.names)
    said.descriptions.extend(inner.descriptions)
    said.defaults.extend(inner.defaults)
    said.factories.extend(inner.factories)
    said.required = inner.required if said.required is None else said.required
    return reduce(or_, (inner.type if m is described[0] else m for m in members))


def is_nullable(annotation: Any) -> bool:
    """Whether None is one of the values that the type names; `Any` names none."""
    if annotation is None or annotation is types.NoneType:
        return True
    if isinstance(annotation, TypeAliasType):
        return is_nullable(annotation.__value__)
    origin, members = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return is_nullable(members[0])
    if origin in (Union, types.UnionType):
        return any(is_nullable(member) for member in members)
    if origin is Literal:
        return None in members
    if isinstance(origin, TypeAliasType):
        return is_nullable(origin.__value__)
    supertype = getattr(annotation, "__supertype__", None)
    return supertype is not None and is_nullable(supertype)

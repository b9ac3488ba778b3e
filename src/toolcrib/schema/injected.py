"""Which parameters are filled in for the model, told by type or mark."""

from __future__ import annotations

import types
from functools import reduce
from operator import or_
from typing import Annotated, Any, TypeAlias, Union, get_args, get_origin

from toolcrib.schema.annotations import Said
from toolcrib.values import value

__all__ = ["InjectedParameter", "Kinds", "injected_parameter", "without_none"]

Kinds: TypeAlias = tuple[tuple[Any, str], ...]
"""Pairs of a class (of values, or of marks in `Annotated`) or a mark itself, and a kind."""


@value
class InjectedParameter:
    """A parameter that the model never sees."""

    name: str
    kind: str
    type: Any
    """The type, without marks and `None`."""
    optional: bool
    """Whether it may be None when there is nothing to fill in."""


def injected_parameter(name: str, said: Said, kinds: Kinds) -> InjectedParameter | None:
    """The parameter as an injected one, or None if the model fills it."""
    wanted, optional = without_none(_bare(said.type))
    wanted = _bare(wanted)
    kind = _kind_of_type(wanted, kinds) or _kind_of_marks(said.marks, kinds)
    return None if kind is None else InjectedParameter(name, kind, wanted, optional)


def without_none(annotation: Any) -> tuple[Any, bool]:
    """`T | None` → `T` and True."""
    if get_origin(annotation) not in (Union, types.UnionType):
        return annotation, False
    members = get_args(annotation)
    kept = [member for member in members if member is not types.NoneType]
    return (reduce(or_, kept) if kept else annotation), len(kept) < len(members)


def _bare(annotation: Any) -> Any:
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _kind_of_type(wanted: Any, kinds: Kinds) -> str | None:
    if not isinstance(wanted, type) or wanted in _COMMON:
        return None
    for key, kind in kinds:
        if isinstance(key, type) and issubclass(wanted, key):
            return kind
    return None


def _kind_of_marks(marks: list[Any], kinds: Kinds) -> str | None:
    for mark in marks:
        for key, kind in kinds:
            if mark is key or (isinstance(key, type) and isinstance(mark, key)):
                return kind
    return None


_COMMON = frozenset({bool, bytes, float, int, str})

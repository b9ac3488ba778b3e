"""Values that are made many times a round: immutable for type checkers, cheap to make and to declare."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar, dataclass_transform

__all__ = ["value"]

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(cls: type[T]) -> type[T]:
    """A slotted dataclass, compared and hashed by its fields, that nobody may change.

    Type checkers hold everybody to that. `frozen=True` would check it at run time too, at three
    times the cost of making one: see docs/decisions. The methods below are shared, because those
    that `dataclass` writes for each class are half of what importing many of them costs.
    """
    made: Any = dataclass(slots=True, eq=False, repr=False)(cls)
    made.__eq__, made.__hash__, made.__repr__ = _equal, _hash, _repr
    done: type[T] = made
    return done


def _fields(one: Any) -> tuple[Any, ...]:
    return tuple(getattr(one, name) for name in one.__match_args__)


def _equal(one: object, other: object) -> Any:
    if one.__class__ is not other.__class__:
        return NotImplemented
    return _fields(one) == _fields(other)


def _hash(one: object) -> int:
    return hash((one.__class__, *_fields(one)))


def _repr(one: Any) -> str:
    shown = ", ".join(f"{name}={getattr(one, name)!r}" for name in one.__match_args__)
    return f"{one.__class__.__qualname__}({shown})"

"""Values that are made many times a round: immutable for type checkers, cheap when they are made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

__all__ = ["value"]

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(cls: type[T]) -> type[T]:
    """A slotted dataclass, compared and hashed by its fields, that nobody may change.

    Type checkers hold everybody to that. `frozen=True` would check it at run time too, at three
    times the cost of making one: see docs/decisions.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)

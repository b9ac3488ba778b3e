"""Dataclasses that are cheap to declare and to make: values, settings, records."""

from __future__ import annotations

import sys
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from typing import Any, NoReturn, TypeVar, dataclass_transform

__all__ = ["record", "setting", "value"]

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(cls: type[T]) -> type[T]:
    """A slotted dataclass, compared and hashed by its fields, that nobody may change.

    Type checkers hold everybody to that. `frozen=True` would check it at run time too, at three
    times the cost of making one: see docs/decisions. The methods below are shared, and `__init__`
    is written shortly, because those that `dataclass` writes for each class are half of what
    importing many of them costs.
    """
    done: type[T] = _made(cls, "self.{0} = {1}")
    return done


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def setting(cls: type[T]) -> type[T]:
    """A `value` that refuses changes at run time too: for what programs make once, keep and share."""
    made = _made(cls, "set_field(self, {0!r}, {1})")
    made.__setattr__, made.__delattr__ = _refuse_set, _refuse_delete
    made.__reduce__ = _reduce
    done: type[T] = made
    return done


@dataclass_transform(field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """A slotted dataclass that is filled in as things happen: compared by its fields, never hashed."""
    made = _made(cls, "self.{0} = {1}")
    made.__hash__ = None
    done: type[T] = made
    return done


def _made(cls: type[Any], assign: str) -> Any:
    made: Any = dataclass(slots=True, init=False, eq=False, repr=False)(cls)
    made.__init__ = _init_of(made, assign)
    for name, method in _SHARED:
        if name not in cls.__dict__:
            setattr(made, name, method)
    return made


def _init_of(cls: type[Any], assign: str) -> Any:
    """What `dataclass` would write; `assign` says how `{0}` is set to `{1}`."""
    scope: dict[str, Any] = {"MISSING": MISSING, "set_field": object.__setattr__}
    parameters, lines = ["self"], []
    members = fields(cls)
    for one in members:
        given = one.name
        parameters.append(_parameter(one, scope))
        if one.default_factory is not MISSING:
            scope[f"make_{given}"] = one.default_factory
            given = f"make_{given}() if {given} is MISSING else {given}"
        lines.append(assign.format(one.name, given))
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    # In the globals of the class, so that annotations can be resolved; the rest is enclosed.
    source = f"def make({', '.join(scope)}):\n def __init__({', '.join(parameters)}):\n  "
    source += "\n  ".join(lines or ["pass"]) + "\n return __init__"
    found: dict[str, Any] = {}
    exec(source, vars(sys.modules[cls.__module__]), found)
    init = found["make"](**scope)
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {one.name: one.type for one in members} | {"return": None}
    return init


def _parameter(one: Field[Any], scope: dict[str, Any]) -> str:
    if one.default_factory is not MISSING:
        return f"{one.name}=MISSING"
    if one.default is MISSING:
        return one.name
    scope[f"default_{one.name}"] = one.default
    return f"{one.name}=default_{one.name}"


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


_SHARED: tuple[tuple[str, Any], ...] = (
    ("__eq__", _equal),
    ("__hash__", _hash),
    ("__repr__", _repr),
)


def _refuse_set(one: object, name: str, to: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(one: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _reduce(one: object) -> tuple[Any, ...]:
    return one.__class__, _fields(one)

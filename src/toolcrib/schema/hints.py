"""The annotations of a function as types, whatever kind of callable it is and wherever it was defined."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Mapping
from types import FrameType, GenericAlias, MethodType
from typing import Annotated, Any, ForwardRef, Literal, get_args, get_origin, get_type_hints

__all__ = ["Unresolved", "innermost", "type_hints"]


class Unresolved:
    """Stands in for an annotation that cannot be resolved; `reason` says why, in Python's words."""

    __slots__ = ("reason", "written")

    def __init__(self, written: object, reason: str) -> None:
        self.written = written
        self.reason = reason


def innermost(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that carries the annotations of a partial, a method or a callable object."""
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif isinstance(function, MethodType):
            function = function.__func__
        elif hasattr(
            function, "__name__"
        ):  # functions and classes; the objects of a class have none
            return function
        else:
            function = type(function).__call__


def type_hints(function: Callable[..., Any]) -> Mapping[str, Any]:
    """Parameter name (and `return`) → type, with `Annotated` kept; `Unresolved` where that fails.

    Names that are local to the functions and classes around the definition are found as long as
    these are still being executed, which they are while a decorator runs.
    """
    function = innermost(function)
    try:
        written = inspect.get_annotations(function)
        if all(map(_is_resolved, written.values())):
            return written
        return get_type_hints(function, include_extras=True)
    except Exception:  # any annotation may raise anything; below, each is tried by itself
        return _one_by_one(function)


def _is_resolved(annotation: Any) -> bool:
    """Whether nothing in an annotation is still a text; most are types as they stand."""
    if isinstance(annotation, type) and not isinstance(annotation, GenericAlias):
        return True
    try:
        return _is_resolved_deeply(annotation)
    except TypeError:  # cannot be hashed
        return False


@functools.lru_cache(maxsize=1_024)
def _is_resolved_deeply(annotation: Any) -> bool:
    if annotation is None or isinstance(annotation, str | ForwardRef):
        return annotation is None
    if get_origin(annotation) is Literal:
        return True
    if get_origin(annotation) is Annotated:
        return _is_resolved(annotation.__origin__)
    return all(map(_is_resolved, get_args(annotation)))


def _one_by_one(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        written = inspect.get_annotations(function)
    except Exception as error:
        # From Python 3.14 on annotations are evaluated late, and all together.
        names = inspect.signature(function).parameters
        return {name: Unresolved("?", str(error)) for name in names}
    unwrapped = inspect.unwrap(function)
    names_around = _names_around(unwrapped)
    return {name: _resolve(value, unwrapped, names_around) for name, value in written.items()}


def _resolve(written: Any, function: Callable[..., Any], names: dict[str, Any]) -> Any:
    def holder() -> None: ...

    holder.__annotations__ = {"it": written}
    scope = getattr(function, "__globals__", {})
    try:
        return get_type_hints(holder, scope, names, include_extras=True)["it"]
    except Exception as error:
        return Unresolved(written, str(error))


def _names_around(function: Callable[..., Any]) -> dict[str, Any]:
    """The names that the definition could see beside the globals."""
    scope = getattr(function, "__globals__", None)
    path = getattr(function, "__qualname__", "").replace(".<locals>", "")
    found: dict[str, Any] = {}
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        # Only frames whose own path leads to the function: other locals are none of its business.
        if frame.f_globals is scope:
            around = frame.f_code.co_qualname.replace(".<locals>", "")
            if path.startswith(f"{around}."):
                found = {**frame.f_locals, **found}
        frame = frame.f_back
    code, cells = getattr(function, "__code__", None), getattr(function, "__closure__", None)
    if code is not None and cells:
        for name, cell in zip(code.co_freevars, cells, strict=True):
            try:
                found[name] = cell.cell_contents
            except ValueError:  # not yet assigned
                continue
    return found

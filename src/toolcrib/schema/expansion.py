"""Keyword parameters that a signature does not spell out: fixed by a partial, or unpacked from a TypedDict."""

from __future__ import annotations

import functools
import typing
from collections.abc import Callable, Mapping
from types import MethodType
from typing import Any, get_args, get_origin, get_type_hints

import typing_extensions
from typing_extensions import is_typeddict

__all__ = ["expanded_keywords", "fixed_keywords"]

# Depending on the version of Python, typing_extensions has its own of each.
_UNPACK = {typing.Unpack, typing_extensions.Unpack}
_REQUIRED = {typing.Required, typing_extensions.Required}
_QUALIFIERS = {
    *_REQUIRED,
    *(typing.NotRequired, typing_extensions.NotRequired, typing_extensions.ReadOnly),
}


def fixed_keywords(function: Callable[..., Any]) -> frozenset[str]:
    """The keywords that `functools.partial` has already filled."""
    fixed: set[str] = set()
    while isinstance(function, functools.partial | MethodType):
        if isinstance(function, MethodType):
            function = function.__func__
        else:
            fixed.update(function.keywords)
            function = function.func
    return frozenset(fixed)


def expanded_keywords(annotation: Any) -> Mapping[str, tuple[Any, bool]] | None:
    """`Unpack[SomeTypedDict]` → key → type and whether it is required; None for anything else."""
    if get_origin(annotation) not in _UNPACK:
        return None
    (source,) = get_args(annotation)
    if not is_typeddict(source):
        return None
    return {
        key: _qualified(hint, key in source.__required_keys__)
        for key, hint in get_type_hints(source, include_extras=True).items()
    }


def _qualified(hint: Any, required: bool) -> tuple[Any, bool]:
    # `__required_keys__` overlooks qualifiers that were written as text, so they are read here.
    while (origin := get_origin(hint)) in _QUALIFIERS:
        if origin is not typing_extensions.ReadOnly:
            required = origin in _REQUIRED
        (hint,) = get_args(hint)
    return hint, required

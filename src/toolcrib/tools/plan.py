"""What is known of a function tool however it is bound: made once, while it is declared."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from types import FunctionType, MethodType, NoneType
from typing import Any, Literal, TypeAlias, get_origin

from toolcrib.errors import ConfigurationError
from toolcrib.schema.arguments import ArgumentReader
from toolcrib.schema.hints import innermost
from toolcrib.schema.parameters import MISSING
from toolcrib.schema.signature import read_signature
from toolcrib.tools.declaration import declare
from toolcrib.tools.injection import INJECTED_KINDS, filler
from toolcrib.tools.tool import Mode, Tool

__all__ = ["Binding", "FunctionPlan", "default_name", "documentation_of", "mode_of", "origin_of"]

Binding: TypeAlias = Literal["free", "static", "instance", "class"]
"""What fills the first parameter of the function: the caller, an object, or its class. `static` is
`free` said aloud, by `@staticmethod`."""


class FunctionPlan:
    """Signature, definition and options of a function tool. Raises `ConfigurationError`."""

    def __init__(
        self, function: Callable[..., Any], binding: Binding, given: Mapping[str, Any]
    ) -> None:
        self.function = function
        self.binding = binding
        self.is_method = binding in ("instance", "class")
        self.given = given
        self.declaration = declare(default_name(function, given), given)
        name = self.declaration.name
        self.mode = mode_of(function, name)
        self.signature = read_signature(
            function,
            tool=name,
            injected=INJECTED_KINDS,
            skip_first=self.is_method,
            document=documentation_of(function),
        )
        self.definition = self.declaration.definition(
            self.signature.schema, self.signature.description
        )
        if self.mode == "sync" and get_origin(self.signature.returns) in (Awaitable, Coroutine):
            self.mode = "async"
        self.none_means_success = self.signature.returns in (MISSING, None, NoneType)
        self.origin = origin_of(function, method=self.is_method)
        self.fillers = tuple((one.name, filler(name, one)) for one in self.signature.injected)

    @functools.cached_property
    def reader(self) -> ArgumentReader:
        """Made for the first call: most tools of a large catalogue are never called."""
        return ArgumentReader(
            self.declaration.name,
            self.signature.schema,
            self.signature.parameters,
            unknown="drop" if self.declaration.effect == "read" else "refuse",
        )

    def call(self, target: Callable[..., Any], values: Mapping[str, Any], context: Any) -> Any:
        """Call the function with what the model gave and what is filled in for it."""
        if not self.fillers and not self.signature.positional:
            return target(**values)
        keywords = {**values, **{name: fill(context) for name, fill in self.fillers}}
        positional = [keywords.pop(name) for name in self.signature.positional]
        return target(*positional, **keywords)


def default_name(function: Callable[..., Any], given: Mapping[str, Any]) -> str:
    """The name of a tool that was given none."""
    while isinstance(function, functools.partial):
        function = function.func
    name = getattr(function, "__name__", None)
    if name is None:
        name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(function).__name__).lower()
    if name == "<lambda>" and given.get("name") is None:
        raise ConfigurationError("A lambda has no name for the model; pass name='...'.")
    return str(name)


def documentation_of(function: Callable[..., Any]) -> str | None:
    """The docstring of a function, of what a partial calls, or of a callable object."""
    while isinstance(function, functools.partial):
        function = function.func
    if isinstance(function, FunctionType | MethodType) or hasattr(function, "__name__"):
        return function.__doc__
    return innermost(function).__doc__ or type(function).__doc__


def mode_of(function: Callable[..., Any], tool: str) -> Mode:
    """How a call of the function gives its value."""
    inner = innermost(function)
    if isinstance(inner, Tool):
        return inner.mode
    if inspect.iscoroutinefunction(inner):
        return "async"
    if inspect.isasyncgenfunction(inner):
        return "progress"
    if inspect.isgeneratorfunction(inner):
        raise ConfigurationError(
            f"Tool '{tool}' is a generator function. Return a list, or write `async def` to tell of "
            "progress (the last value is the result)."
        )
    return "sync"


def origin_of(function: Callable[..., Any], *, method: bool) -> str:
    """Where the tool was defined, in words."""
    while isinstance(function, functools.partial):
        function = function.func
    qualified = getattr(function, "__qualname__", None)
    if qualified is None:
        kind = type(function)
        return f"object '{kind.__module__}.{kind.__qualname__}'"
    word = "method" if method or isinstance(function, MethodType) else "function"
    return f"{word} '{getattr(function, '__module__', '?')}.{qualified}'"

"""`@tool`: a Python function as a tool that is still callable as before."""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from typing_extensions import Unpack

from toolcrib.errors import ConfigurationError
from toolcrib.schema.arguments import ReadArguments
from toolcrib.schema.parameters import MISSING
from toolcrib.tools.declaration import ToolDeclaration
from toolcrib.tools.injection import CHECKED_KINDS
from toolcrib.tools.plan import Binding, FunctionPlan
from toolcrib.tools.tool import Tool

__all__ = ["FunctionTool", "tool"]

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
S = TypeVar("S")


class FunctionTool(Tool, Generic[P, R]):
    """A function that a model can call, and that is called in Python as before.

    In a class it is a method: `obj.method` is the tool bound to `obj`. Pickles by qualified name.
    """

    def __init__(self, plan: FunctionPlan, target: Callable[P, R], owner: object = None) -> None:
        # First, because it also copies whatever attributes the function carries.
        functools.update_wrapper(self, target)
        self._plan = plan
        self._target = target
        self._owner = owner
        self.definition = plan.definition
        self.options = plan.declaration.options
        self.mode = plan.mode
        self.origin = plan.origin
        self.none_means_success = plan.none_means_success
        if plan.mode == "async" and sys.version_info >= (3, 12):
            inspect.markcoroutinefunction(self)

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._target(*args, **kwargs)

    def read(self, text: str) -> ReadArguments:
        return self._plan.reader.read(text)

    def call(self, values: Mapping[str, Any], context: Any) -> Any:
        return self._plan.call(self._target, values, context)

    def injected_types(self) -> Mapping[str, Any]:
        return {
            one.name: one.type | None if one.optional else one.type
            for one in self._plan.signature.injected
            if one.kind in CHECKED_KINDS
        }

    @property
    def needs_object(self) -> bool:
        """Whether it is a method that is not bound to an object yet, so that no model can call it."""
        return self._owner is None and self._plan.is_method

    def __set_name__(self, owner: type, name: str) -> None:
        plan = self._plan
        if plan.binding == "free" and _is_in_class(plan.function):
            # A method whose first parameter is not called `self`: only now is that certain.
            self._plan = FunctionPlan(plan.function, "instance", plan.given)
            self.definition, self.origin = self._plan.definition, self._plan.origin

    @overload
    def __get__(self, instance: None, owner: type) -> FunctionTool[P, R]: ...
    @overload
    def __get__(
        self: FunctionTool[Concatenate[S, Q], R], instance: S, owner: type | None = None
    ) -> FunctionTool[Q, R]: ...
    def __get__(self, instance: Any, owner: type | None = None) -> FunctionTool[Any, R]:
        if self._owner is not None or not self._plan.is_method:
            return self
        if self._plan.binding == "class":
            return self.bound_to(type(instance) if owner is None else owner)
        return self if instance is None else self.bound_to(instance)

    def bound_to(self, owner: object) -> FunctionTool[Any, R]:
        """The method as a tool of one object."""
        target = self._plan.function.__get__(owner, type(owner))
        return FunctionTool(self._plan, target, owner)

    def __copy__(self) -> FunctionTool[P, R]:
        return self

    def __deepcopy__(self, memo: object) -> FunctionTool[P, R]:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        function = self._plan.function
        if self._owner is not None:
            return getattr, (self._owner, function.__name__)
        if not isinstance(function, FunctionType):
            return _rebuilt, (function, dict(self._plan.given))
        place = (function.__module__, function.__qualname__)
        found = _find(*place)
        if found is self:
            return _find, place
        if found is function:
            return _rebuilt, (function, dict(self._plan.given))
        from pickle import PicklingError  # whoever asks has loaded it

        raise PicklingError(
            f"Tool '{self.name}' is not found as {'.'.join(place)}. Define it at the top of a module."
        )


@overload
def tool(
    function: classmethod[S, P, R], /, **options: Unpack[ToolDeclaration]
) -> FunctionTool[P, R]: ...
@overload
def tool(function: Callable[P, R], /, **options: Unpack[ToolDeclaration]) -> FunctionTool[P, R]: ...
@overload
def tool(
    **options: Unpack[ToolDeclaration],
) -> Callable[[Callable[P, R]], FunctionTool[P, R]]: ...
def tool(function: Any = MISSING, /, **options: Unpack[ToolDeclaration]) -> Any:
    """Make a tool of a function, method, partial or callable object.

    Options, all by keyword:

    - `name`: what the model calls it; the function's name by default.
    - `description`: a text, or lines; the docstring without its parameters by default.
    - `metadata`: JSON data for programs, never sent to a model by itself.
    - `returns`, `visibility`, `strict`, `effect`: see `ToolDefinition`. `effect="read"` also means
      that an unknown argument is dropped and noted rather than refused.
    - `timeout` (seconds), `retries`, `idempotent`, `exclusive`, `thread`: see `ToolOptions`.

    Raises `ConfigurationError` naming tool and parameter, and saying what to write instead.
    """
    if function is MISSING:
        return lambda decorated: tool(decorated, **options)
    binding: Binding = "free"
    if isinstance(function, FunctionTool):
        raise ConfigurationError(f"'{function.name}' is a tool already; write @tool once.")
    if isinstance(function, classmethod):
        function, binding = function.__func__, "class"
    elif isinstance(function, staticmethod):
        plain = function.__func__
        return FunctionTool(FunctionPlan(plain, "static", options), plain)
    elif _is_in_class(function) and _first_parameter(function) in ("self", "cls"):
        binding = "instance"
    if isinstance(function, type) or not callable(function):
        raise ConfigurationError(
            f"A tool is made of a function, not of {function!r:.80}; pass a function or an object "
            "with a __call__ method."
        )
    return FunctionTool(FunctionPlan(function, binding, options), function)


def _is_in_class(function: object) -> bool:
    if not isinstance(function, FunctionType):
        return False
    around = function.__qualname__.rpartition(".")[0]
    return bool(around) and not around.endswith("<locals>")


def _first_parameter(function: FunctionType) -> str | None:
    code = getattr(inspect.unwrap(function), "__code__", None)
    return code.co_varnames[0] if code is not None and code.co_argcount else None


def _find(module: str, qualified: str) -> Any:
    found: Any = importlib.import_module(module)
    for name in qualified.split("."):
        if name == "<locals>":
            return None
        found = getattr(found, name, None)
    return found


def _rebuilt(function: Callable[..., Any], options: ToolDeclaration) -> FunctionTool[Any, Any]:
    return tool(function, **options)

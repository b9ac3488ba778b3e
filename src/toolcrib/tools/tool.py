"""What every tool is: a definition, a way to read arguments, and a way to be called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from toolcrib.errors import ToolArgumentsError
from toolcrib.schema.arguments import ArgumentReader, ReadArguments
from toolcrib.tools.definition import ToolDefinition
from toolcrib.values import setting

__all__ = ["DerivedTool", "Mode", "Tool", "ToolOptions"]

Mode: TypeAlias = Literal["sync", "async", "progress"]
"""What `Tool.call` gives back: the value, an awaitable, or an async iterator whose last item is the value."""


@setting
class ToolOptions:
    """How a tool wants to be run."""

    timeout: float | None = None
    """Seconds that one attempt may take."""
    retries: int = 0
    """How often to try again after an exception; only for idempotent tools."""
    idempotent: bool = False
    """Running it twice does the same as running it once."""
    exclusive: bool = False
    """No other call of its round runs at the same time."""
    thread: Literal["pool", "caller"] = "pool"
    """Where a sync function runs: in the thread pool, or in the thread that waits for the run."""


class Tool:
    """Base of all tools. A subclass gives `definition`, `read` and `call`."""

    definition: ToolDefinition
    options: ToolOptions = ToolOptions()
    mode: Mode = "sync"
    origin: str = "a tool"
    """Where it was defined, in words, for messages about clashing names."""
    relays: bool = False
    """Whether its results may say which tools were found or which skill is active (ours only)."""
    none_means_success: bool = True
    """Whether the value None is told as `Success` (nothing to return) or as `null`."""

    @property
    def name(self) -> str:
        """The exposed name."""
        return self.definition.name

    def read(self, text: str) -> ReadArguments:
        """Argument text → values and repairs. Raises `ToolArgumentsError`."""
        raise NotImplementedError

    def call(self, values: Mapping[str, Any], context: Any) -> Any:
        """Run with the values of `read`. What comes back depends on `mode`."""
        raise NotImplementedError

    def injected_types(self) -> Mapping[str, Any]:
        """Parameter name → type, for each parameter that is filled from the run's `deps` or `parameters`."""
        return {}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.definition.name!r} from {self.origin}>"


class DerivedTool(Tool):
    """A tool under another definition, such as another name; it runs as the original does.

    Arguments that do not fit are explained under the name that the model called. When the input
    schema was changed, arguments have to fit it before they are read by the original.
    """

    def __init__(self, original: Tool, definition: ToolDefinition) -> None:
        self.original = original
        self.definition = definition
        self.options = original.options
        self.mode = original.mode
        self.origin = original.origin
        self.none_means_success = original.none_means_success
        self._check: ArgumentReader | None = None
        if definition.input_schema != original.definition.input_schema:
            self._check = ArgumentReader(definition.name, definition.input_schema)

    def read(self, text: str) -> ReadArguments:
        try:
            if self._check is not None:
                self._check.read(text)
            return self.original.read(text)
        except ToolArgumentsError as error:
            if error.tool == self.definition.name:
                raise
            raise ToolArgumentsError(self.definition.name, error.problems) from None

    def call(self, values: Mapping[str, Any], context: Any) -> Any:
        return self.original.call(values, context)

    def injected_types(self) -> Mapping[str, Any]:
        return self.original.injected_types()

"""What a tool, a toolset or a hook may know of the run it is part of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeAlias, TypeVar

from toolcrib.messages import Message, ToolCall
from toolcrib.tools.catalog import Catalog

__all__ = ["INJECTED", "Injected", "MemoryId", "RunContext", "RunParameters", "ToolContext"]

T = TypeVar("T")


class _InjectedMark:
    def __repr__(self) -> str:
        return "INJECTED"


INJECTED = _InjectedMark()
"""The mark in `Annotated[T, INJECTED]`; write `Injected[T]`."""

Injected: TypeAlias = Annotated[T, INJECTED]
"""`db: Injected[Database]` is filled from the run's `deps` by type, and hidden from the model."""


class MemoryId:
    """The mark in `Annotated[str, MemoryId]`: filled with the id of the conversation."""


class RunParameters(dict[str, Any]):
    """Values of one run, shared by its tools, toolsets and hooks; never shown to the model.

    A tool parameter annotated with this class, or with a subclass that the run was given, gets it.
    """


class RunContext:
    """One run, as toolsets and hooks see it."""

    __slots__ = ("deps", "memory_id", "messages", "parameters", "round", "run_id", "tools")

    def __init__(
        self,
        run_id: str,
        *,
        deps: Any = None,
        parameters: RunParameters | None = None,
        memory_id: Any = "default",
        messages: Sequence[Message] = (),
    ) -> None:
        self.run_id = run_id
        self.deps = deps
        """What the run was given for its tools, as it is."""
        self.parameters = RunParameters() if parameters is None else parameters
        self.memory_id = memory_id
        self.messages = messages
        """The history so far; read it, do not change it."""
        self.tools = Catalog.EMPTY
        """Which tools are visible and available, with origin and reason."""
        self.round = 0
        """Counts the model's replies from 0."""


class ToolContext:
    """One call of one run, as the tool sees it."""

    __slots__ = ("_report", "attempt", "call", "run")

    def __init__(
        self, run: RunContext, call: ToolCall, report: Callable[[Any], None], attempt: int = 1
    ) -> None:
        self.run = run
        self.call = call
        self.attempt = attempt
        """Counts from 1; more only for idempotent tools with `retries=`."""
        self._report = report

    def report(self, progress: Any) -> None:
        """Tell the caller (not the model) how far the tool is; a `ToolProgress` event. Any thread may."""
        self._report(progress)

    @property
    def run_id(self) -> str:
        """The run that the call belongs to."""
        return self.run.run_id

    @property
    def deps(self) -> Any:
        """What the run was given for its tools."""
        return self.run.deps

    @property
    def parameters(self) -> RunParameters:
        """The run's own parameters, shared between its tools."""
        return self.run.parameters

    @property
    def memory_id(self) -> Any:
        """The id of the conversation, `"default"` when the run was given none."""
        return self.run.memory_id

    @property
    def messages(self) -> Sequence[Message]:
        """The history so far."""
        return self.run.messages

    @property
    def tools(self) -> Catalog:
        """Which tools are visible and available, with origin and reason."""
        return self.run.tools

    @property
    def round(self) -> int:
        """Counts the model's replies from 0."""
        return self.run.round

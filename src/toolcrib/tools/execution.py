"""The record of one call, from what the model wrote to what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal, TypeAlias

from toolcrib.messages import ToolCall, ToolResult
from toolcrib.schema.arguments import Repair
from toolcrib.tools.definition import ReturnBehavior
from toolcrib.values import record

__all__ = ["Fault", "State", "ToolExecution"]

State: TypeAlias = Literal[
    "pending",
    "not_run",
    "committed",
    "failed",
    "unknown",
    "compensating",
    "compensated",
    "not_undone",
]
"""`unknown` means started and not answered: it may or may not have had an effect."""

Fault: TypeAlias = Literal[
    "unknown_tool",
    "arguments",
    "denied",
    "limit",
    "sibling",
    "execution",
    "timeout",
    "cancelled",
]


@record
class ToolExecution:
    """A call, its validated arguments, its value, the result told to the model, and its state.

    For people, hooks and the loop. `error` is the exception behind a failed call; `aborts` is the
    exception that ends the run because of it.
    """

    call: ToolCall
    arguments: Mapping[str, Any] = field(default_factory=dict)
    value: Any = None
    result: ToolResult | None = None
    state: State = "pending"
    fault: Fault | None = None
    returns: ReturnBehavior = ReturnBehavior.TO_MODEL
    repairs: tuple[Repair, ...] = ()
    started_at: float | None = None
    """Unix time in seconds; None when the tool was never started."""
    ended_at: float | None = None
    attempts: int = 0
    returns_now: bool = False
    error: BaseException | None = None
    aborts: BaseException | None = None

    @property
    def name(self) -> str:
        """The name that the model called."""
        return self.call.name

    @property
    def is_error(self) -> bool:
        """Whether the model was told of an error."""
        return self.result is not None and self.result.is_error

    @property
    def duration(self) -> float | None:
        """Seconds from start to end."""
        if self.started_at is None or self.ended_at is None:
            return None
        return self.ended_at - self.started_at

"""What happens in a run, as it happens: one vocabulary for streams, observers and every kind of run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from toolcrib.chat import (
    ChatReply,
    ChatRequest,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallReady,
)
from toolcrib.loop.outcome import Outcome
from toolcrib.messages import Message, ToolCall
from toolcrib.tools.execution import ToolExecution
from toolcrib.values import value

__all__ = [
    "Event",
    "ModelReplied",
    "ModelRequested",
    "RoundFinished",
    "RunFailed",
    "RunFinished",
    "RunStarted",
    "TextDelta",
    "ThinkingDelta",
    "ToolCallDelta",
    "ToolCallReady",
    "ToolFinished",
    "ToolProgress",
    "ToolStarted",
]


@value
class RunStarted:
    """A run begins, with these messages."""

    run_id: str
    name: str | None
    messages: tuple[Message, ...]


@value
class ModelRequested:
    """The model is asked; `round` counts its replies from 0."""

    round: int
    request: ChatRequest


@value
class ModelReplied:
    """The model's reply is complete."""

    round: int
    reply: ChatReply


@value
class ToolStarted:
    """A tool starts, with these validated arguments; `position` counts the calls of the round."""

    round: int
    position: int
    call: ToolCall
    arguments: Mapping[str, Any]


@value
class ToolProgress:
    """A running tool says how far it is."""

    round: int
    position: int
    call: ToolCall
    progress: Any


@value
class ToolFinished:
    """A call is answered: run or not, well or badly."""

    round: int
    position: int
    execution: ToolExecution


@value
class RoundFinished:
    """Every call of the round is answered."""

    round: int
    executions: tuple[ToolExecution, ...]


@value
class RunFinished:
    """The run ended without an exception."""

    outcome: Outcome[Any]


@value
class RunFailed:
    """The run ended with an exception."""

    outcome: Outcome[Any]
    error: BaseException


Event: TypeAlias = (
    RunStarted
    | ModelRequested
    | TextDelta
    | ThinkingDelta
    | ToolCallDelta
    | ToolCallReady
    | ModelReplied
    | ToolStarted
    | ToolProgress
    | ToolFinished
    | RoundFinished
    | RunFinished
    | RunFailed
)

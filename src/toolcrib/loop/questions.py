"""What the loop may ask. It asks, and a runner answers; a seventh question needs a decision record.

Write `answer = yield from AskModel(request)`: each question is typed by its answer.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from toolcrib.chat import ChatReply, ChatRequest, ToolChoice
from toolcrib.loop.decisions import Decision
from toolcrib.messages import HistoryView, Message, ToolCall
from toolcrib.tools.definition import ToolDefinition
from toolcrib.tools.execution import ToolExecution
from toolcrib.values import value

__all__ = [
    "Accept",
    "AskModel",
    "Asking",
    "Await",
    "CheckAnswer",
    "PrepareRound",
    "Question",
    "Refuse",
    "Reprompt",
    "RoundPlan",
    "RunCalls",
    "UndoCall",
    "UndoReport",
]

A = TypeVar("A")
T = TypeVar("T")


class _Typed(Generic[A]):
    __slots__ = ()

    def __iter__(self) -> Generator[Any, Any, A]:
        answer: A = yield self
        return answer


@value
class RoundPlan:
    """What the next request is made of."""

    tools: tuple[ToolDefinition, ...] = ()
    view: HistoryView | None = None
    """Which messages are sent; None for the whole history, with what is inserted."""
    insert: tuple[Message, ...] = ()
    """Messages to add to the history first."""
    tool_choice: ToolChoice = "auto"
    stop: str | None = None
    """End the run now, with this stop reason."""


@value
class PrepareRound(_Typed[RoundPlan]):
    """The commit point: `changes` are written whole here, then the next request is planned.

    With `last` the run is over, and nothing but the writing is wanted.
    """

    changes: tuple[Message, ...]
    last: bool = False


@value
class AskModel(_Typed[ChatReply]):
    """One request to the model."""

    request: ChatRequest


@value
class Accept:
    """The answer is good; `content` is what it means."""

    content: Any


@value
class Reprompt:
    """The answer is not good; the model is told `text` and tries again."""

    text: str


@value
class Refuse:
    """The answer must not leave; the run ends."""

    reason: str


@value
class CheckAnswer(_Typed["Accept | Reprompt | Refuse"]):
    """Is this answer good? Asked only when something is there that can judge it."""

    reply: ChatReply


@value
class RunCalls(_Typed[tuple[ToolExecution, ...]]):
    """Run these calls; answered in their order, in whatever order they end. Never thrown into."""

    round: int
    calls: tuple[ToolCall, ...]
    decisions: tuple[Decision | None, ...] = ()


@value
class Await(_Typed[tuple["Decision | None", ...]]):
    """Somebody must decide about these calls; None means not yet, so the run pauses."""

    round: int
    waits: tuple[ToolCall, ...]


@value
class UndoReport:
    """What became of one undo."""

    state: Literal["compensated", "not_undone", "unknown"]
    text: str | None = None


@value
class UndoCall(_Typed[UndoReport]):
    """Undo this committed call. Shielded, with a deadline; never thrown into."""

    execution: ToolExecution


Question: TypeAlias = PrepareRound | AskModel | CheckAnswer | RunCalls | Await | UndoCall
Asking: TypeAlias = Generator[Question, Any, T]

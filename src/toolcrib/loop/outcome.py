"""How a run ended, and the exceptions that end one early."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from toolcrib.chat import ChatReply, FinishReason, Usage
from toolcrib.errors import ToolcribError
from toolcrib.messages import Message
from toolcrib.tools.execution import ToolExecution
from toolcrib.values import record

__all__ = ["Outcome", "Result", "RunAborted", "RunInterrupted"]

T = TypeVar("T")


@record
class Outcome(Generic[T]):
    """How a run ended. The messages are valid to go on with, whatever the reason was."""

    stop: str
    """`answered`, `returned`, `refused`, `cancelled`, `failed`, or `limit:` and which."""
    content: T | None
    """The answer; None when the run ended without one."""
    messages: tuple[Message, ...]
    """The whole conversation: what was handed in, and what the run added."""
    new_messages: tuple[Message, ...]
    """What the run added to the messages that were handed in."""
    usage: Usage
    """The sum over all requests."""
    tool_executions: tuple[ToolExecution, ...]
    """Every call of the run in the order in which the model asked."""
    replies: tuple[ChatReply, ...]
    """Every reply of the model; the last one is final."""
    run_id: str = ""
    reason: str | None = None
    """More about the stop, in words, where there is more to say."""

    @property
    def finish_reason(self) -> FinishReason | None:
        """Why the model ended its last reply; None when there was none."""
        return self.replies[-1].finish_reason if self.replies else None

    @property
    def final_reply(self) -> ChatReply | None:
        """The last reply of the model."""
        return self.replies[-1] if self.replies else None

    @property
    def model_calls(self) -> int:
        """How many replies the model gave."""
        return len(self.replies)

    def __repr__(self) -> str:
        said = "" if self.content is None else f" {self.content!r:.80}"
        counts = f"{len(self.replies)} replies, {len(self.tool_executions)} tool calls"
        return f"<Outcome {self.stop}{said}, {counts}, {self.usage.tokens} tokens>"


Result = Outcome
"""Another name for `Outcome`."""


class RunAborted(ToolcribError):
    """A run ended with an exception, which is chained as `__cause__`; `outcome` holds all that was done.

    The last round is whole: every call in `outcome.messages` has its result.
    """

    def __init__(self, message: str, outcome: Outcome[Any]) -> None:
        super().__init__(message)
        self.outcome = outcome


class RunInterrupted(Exception):
    """What a runner throws into the loop instead of an answer. Plain data only."""

    def __init__(self, stop: str, reason: str | None = None) -> None:
        super().__init__(stop, reason)
        self.stop = stop
        self.reason = reason

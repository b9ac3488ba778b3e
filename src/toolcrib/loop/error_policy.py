"""What is told to the model when a call goes wrong, and what ends the run instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from toolcrib.errors import ToolArgumentsError, ToolError, UnknownToolError
from toolcrib.loop.redaction import redact
from toolcrib.tools.execution import ToolExecution
from toolcrib.values import setting

__all__ = ["ErrorPolicy", "abort", "teach"]

UnknownToolHandler: TypeAlias = Callable[[UnknownToolError, ToolExecution], str]
ArgumentsHandler: TypeAlias = Callable[[ToolArgumentsError, ToolExecution], str]
ExecutionHandler: TypeAlias = Callable[[ToolError, ToolExecution], str]


def teach(error: ToolError, execution: ToolExecution) -> str:
    """Tell the model what went wrong, so that it can do better."""
    return error.text


def abort(error: ToolError, execution: ToolExecution) -> str:
    """End the run: raise what the tool raised, or the error itself."""
    raise execution.error or error


@setting
class ErrorPolicy:
    """Three handlers. Each gets the error and the call, and returns the text for the model or raises.

    The text always becomes a result with `is_error`. What a handler raises ends the run, after the
    round is written whole, as the cause of a `RunAborted`. The default teaches the model all three.
    """

    unknown_tool: UnknownToolHandler = teach
    arguments: ArgumentsHandler = teach
    execution: ExecutionHandler = teach
    redact: Callable[[str], str] = redact
    """Applied to the text of exceptions that a tool did not raise for the model's eyes."""
    cancel_siblings: bool = False
    """Whether a failing call cancels the other calls of its round."""

    @classmethod
    def strict(cls) -> ErrorPolicy:
        """Unknown tools and bad arguments end the run; what a tool raises is told to the model."""
        return cls(unknown_tool=abort, arguments=abort)

    @classmethod
    def abort(cls) -> ErrorPolicy:
        """Everything that goes wrong with a call ends the run."""
        return cls(unknown_tool=abort, arguments=abort, execution=abort)

"""What a program may put between the loop and the world: around model requests and tool calls."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Sequence
from typing import TypeAlias, TypeVar

from toolcrib.chat import ChatRequest
from toolcrib.loop.decisions import Decision
from toolcrib.messages import ToolResult
from toolcrib.tools.context import RunContext, ToolContext
from toolcrib.tools.execution import ToolExecution

__all__ = ["HookSet", "Hooks", "settled"]

T = TypeVar("T")
Maybe: TypeAlias = T | Awaitable[T | None] | None


class Hooks:
    """Subclass this and override what you need; each method may be `def` or `async def`.

    An exception that a hook raises ends the run as the cause of a `RunAborted`, with the round
    whole. Hooks run in the order given; each sees what those before it changed.
    """

    def before_model(self, request: ChatRequest, context: RunContext) -> Maybe[ChatRequest]:
        """Before each request. Return another request to send that instead."""
        return None

    def before_tool(self, execution: ToolExecution, context: ToolContext) -> Maybe[Decision]:
        """Before each tool, with validated arguments. Return `Edit`, `Answer` or `Deny` to change it."""
        return None

    def after_tool(self, execution: ToolExecution, context: ToolContext) -> Maybe[ToolResult]:
        """After each call that was answered, well or badly. Return a result to tell that instead."""
        return None


class HookSet:
    """The hooks of an agent, sorted by what they really override."""

    __slots__ = ("after_tool", "before_model", "before_tool")

    def __init__(self, hooks: Sequence[Hooks] = ()) -> None:
        self.before_model = [
            hook.before_model for hook in hooks if _overrides(hook, "before_model")
        ]
        self.before_tool = [hook.before_tool for hook in hooks if _overrides(hook, "before_tool")]
        self.after_tool = [hook.after_tool for hook in hooks if _overrides(hook, "after_tool")]


def _overrides(hook: Hooks, method: str) -> bool:
    return getattr(type(hook), method) is not getattr(Hooks, method)


async def settled(value: Maybe[T]) -> T | None:
    """What a hook gave, awaited if it is to be."""
    return await value if inspect.isawaitable(value) else value

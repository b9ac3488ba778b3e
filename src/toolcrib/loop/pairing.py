"""Keeps calls and results paired: every call answered once, right after the message that made it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from toolcrib.messages import AssistantMessage, Message, Text, ToolCall, ToolResult

__all__ = ["paired", "refusal", "with_own_ids"]

_INTERRUPTED = "No result: the conversation was interrupted before this call was answered."


def refusal(call: ToolCall, text: str) -> ToolResult:
    """An error result for a call."""
    return ToolResult(call.id, call.name, (Text(text),), is_error=True)


def with_own_ids(calls: Sequence[ToolCall], first: int) -> tuple[ToolCall, ...]:
    """The calls, each with an id that is not empty and not another's of the same reply.

    Ids that are made up hold `first`, the place of the reply in its history, and the place of the
    call in the reply: the same replies always give the same ids.
    """
    seen: set[str] = set()
    owned: list[ToolCall] = []
    for place, call in enumerate(calls):
        if not call.id or call.id in seen:
            call = replace(call, id=_unused(f"call_{first}_{place}", seen, calls))
        seen.add(call.id)
        owned.append(call)
    return tuple(owned)


def _unused(wanted: str, seen: set[str], calls: Sequence[ToolCall]) -> str:
    taken = seen | {call.id for call in calls}
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name


def paired(messages: Iterable[Message]) -> list[Message]:
    """A history that was handed in, made valid: unanswered calls get an error result, and results
    that answer no call of the message before them are left out."""
    whole: list[Message] = []
    open_calls: list[ToolCall] = []
    for message in messages:
        if isinstance(message, ToolResult):
            match = next((call for call in open_calls if call.id == message.call_id), None)
            if match is not None:
                open_calls.remove(match)
                whole.append(message)
            continue
        whole.extend(refusal(call, _INTERRUPTED) for call in open_calls)
        open_calls = []
        if isinstance(message, AssistantMessage):
            open_calls = [call for call in message.tool_calls if not call.server_side]
        whole.append(message)
    whole.extend(refusal(call, _INTERRUPTED) for call in open_calls)
    return whole

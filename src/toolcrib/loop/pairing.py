"""Keeps calls and results paired: every call answered once, right after the message that made it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from toolcrib.messages import AssistantMessage, Message, Text, ToolCall, ToolResult
from toolcrib.values import record

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
    ids = {call.id for call in calls}
    if len(ids) == len(calls) and "" not in ids:
        return tuple(calls)  # a tuple gives itself
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
    """A history that was handed in, made valid: each call has an id of its own and one result, in
    the order of the calls, right after their message; other results are left out."""
    whole: list[Message] = []
    open_calls: list[_OpenCall] = []
    for message in messages:
        if isinstance(message, ToolResult):
            _note(message, open_calls)
            continue
        whole.extend(one.answer() for one in open_calls)
        open_calls = []
        if isinstance(message, AssistantMessage) and message.tool_calls:
            calls = with_own_ids(message.tool_calls, len(whole))
            open_calls = [
                _OpenCall(call, asked.id)
                for call, asked in zip(calls, message.tool_calls, strict=True)
                if not call.server_side
            ]
            if calls is not message.tool_calls:
                message = replace(message, tool_calls=calls)
        whole.append(message)
    whole.extend(one.answer() for one in open_calls)
    return whole


@record
class _OpenCall:
    call: ToolCall
    asked_as: str
    """The id before it was made its own."""
    result: ToolResult | None = None

    def answer(self) -> ToolResult:
        result, call = self.result, self.call
        if result is None:
            return refusal(call, _INTERRUPTED)
        if (result.call_id, result.name) == (call.id, call.name):
            return result
        return replace(result, call_id=call.id, name=call.name)


def _note(result: ToolResult, open_calls: Sequence[_OpenCall]) -> None:
    """Results of calls that share an id belong to them in their order."""
    for one in open_calls:
        if one.result is None and one.asked_as == result.call_id:
            one.result = result
            return

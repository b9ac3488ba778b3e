"""What a test double complains about: each is an `AssertionError`, so a test fails with its words."""

from __future__ import annotations

from collections.abc import Sequence

from toolcrib.messages import AssistantMessage, Message, ToolCall, ToolResult

__all__ = [
    "RealRequest",
    "ScriptError",
    "ScriptExhausted",
    "UnpairedRequest",
    "UnusedSteps",
    "check_pairing",
]


class RealRequest(AssertionError):
    """A test that uses the fixture `no_model_requests` was about to send a real request."""


class ScriptError(AssertionError):
    """Base of all complaints of a scripted or replayed model."""


class ScriptExhausted(ScriptError):
    """The model was asked once more than the script has steps."""


class UnusedSteps(ScriptError):
    """The test is over, and the model was not asked for all steps of its script."""


class UnpairedRequest(ScriptError):
    """A request that a provider would refuse: a call without its result, or a result without its call.

    `index` is the place of the message at fault in the request.
    """

    def __init__(self, index: int, text: str) -> None:
        super().__init__(f"messages[{index}]: {text}")
        self.index = index


def check_pairing(messages: Sequence[Message]) -> None:
    """Raises `UnpairedRequest` unless each call is answered once, in order, right after its message.

    Calls that the provider ran itself need no result.
    """
    open_calls: list[ToolCall] = []
    asked_at = 0
    for index, message in enumerate(messages):
        if isinstance(message, ToolResult):
            _check_result(index, message, open_calls)
            open_calls.pop(0)
            continue
        if open_calls:
            raise _unanswered(asked_at, open_calls)
        if isinstance(message, AssistantMessage):
            _check_calls(index, message)
            asked_at = index
            open_calls = [call for call in message.tool_calls if not call.server_side]
    if open_calls:
        raise _unanswered(asked_at, open_calls)


def _check_result(index: int, result: ToolResult, open_calls: Sequence[ToolCall]) -> None:
    where = f"the result with call_id {result.call_id!r} (tool {result.name!r})"
    if all(call.id != result.call_id for call in open_calls):
        raise UnpairedRequest(index, f"{where} answers no open call of the message before it.")
    first = open_calls[0]
    if first.id != result.call_id:
        raise UnpairedRequest(
            index, f"{where} is out of order: call {first.id!r} ({first.name!r}) comes first."
        )
    if first.name != result.name:
        raise UnpairedRequest(index, f"{where} answers a call of tool {first.name!r}.")


def _check_calls(index: int, message: AssistantMessage) -> None:
    seen: set[str] = set()
    for call in message.tool_calls:
        if not call.id:
            raise UnpairedRequest(index, f"the call of tool {call.name!r} has no id.")
        if call.id in seen:
            raise UnpairedRequest(index, f"two calls have the id {call.id!r}.")
        seen.add(call.id)
        try:
            call.arguments.encode()
        except (AttributeError, UnicodeEncodeError):
            raise UnpairedRequest(
                index, f"the arguments of call {call.id!r} cannot be sent: {call.arguments!r:.80}."
            ) from None


def _unanswered(index: int, open_calls: Sequence[ToolCall]) -> UnpairedRequest:
    calls = ", ".join(f"{call.id!r} ({call.name!r})" for call in open_calls)
    return UnpairedRequest(index, f"not answered right after this message: {calls}.")

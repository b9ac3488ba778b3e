"""Short ways to write Chat Completions bodies and chunks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toolcrib.chat import ChatReply, Delta
from toolcrib.dialects.openai_chat import DIALECT
from toolcrib.messages import ToolCall
from toolcrib.schema.names import WireNames

NAMES = WireNames()


def body(message: Mapping[str, Any] | None, finish: Any = "stop", **more: Any) -> dict[str, Any]:
    """A whole answer with one choice."""
    return {
        "id": "reply-1",
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        **more,
    }


def function(name: Any, arguments: Any, id: Any = "call_1", **more: Any) -> dict[str, Any]:
    """One call of a whole answer."""
    called = {"name": name, "arguments": arguments}
    return {"id": id, "type": "function", "function": called, **more}


def decode(message: Mapping[str, Any] | None, finish: Any = "stop", **more: Any) -> ChatReply:
    """The reply in a whole answer."""
    return DIALECT.decode(body(message, finish, **more), NAMES)


def calls_in(*listed: Any, finish: Any = "tool_calls", **more: Any) -> list[tuple[str, str, str]]:
    """Id, name and arguments of the calls in a whole answer."""
    reply = decode(
        {"role": "assistant", "content": None, "tool_calls": list(listed), **more}, finish
    )
    return [plain(call) for call in reply.message.tool_calls]


def plain(call: ToolCall) -> tuple[str, str, str]:
    """Id, name and arguments."""
    return (call.id, call.name, call.arguments)


def chunk(
    delta: Mapping[str, Any] | None = None, finish: Any = None, **more: Any
) -> dict[str, Any]:
    """One event of a stream."""
    choice = {"index": 0, "delta": delta or {}, "finish_reason": finish}
    return {"id": "reply-1", "model": "m", "choices": [choice], **more}


def fragment(**keys: Any) -> dict[str, Any]:
    """One event with one fragment of a call; `name` and `arguments` go where they belong."""
    called = {key: keys.pop(key) for key in ("name", "arguments") if key in keys}
    return chunk({"tool_calls": [{**keys, "function": called}]})


def streamed(
    events: Iterable[Mapping[str, Any]], *, broken: bool = False
) -> tuple[ChatReply, list[Delta]]:
    """The reply of a stream, and its deltas."""
    decoder = DIALECT.stream(NAMES)
    deltas = [delta for event in events for delta in decoder.feed(event)]
    return decoder.finish(broken=broken), deltas


def streamed_calls(*events: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Id, name and arguments of the calls in a stream that ends as it should."""
    reply, _ = streamed([*events, chunk(finish="tool_calls")])
    return [plain(call) for call in reply.message.tool_calls]

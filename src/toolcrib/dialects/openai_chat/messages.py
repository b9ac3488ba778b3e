"""Messages → Chat Completions messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, assert_never

from toolcrib.dialects.openai_chat.arguments import sendable_arguments
from toolcrib.dialects.openai_chat.extras import CALL_KEYS, MESSAGE_KEYS, own
from toolcrib.dialects.openai_chat.parts import encode_part
from toolcrib.dialects.openai_chat.reply import split_content
from toolcrib.messages import (
    AssistantMessage,
    Message,
    Part,
    SystemMessage,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from toolcrib.schema.names import WireNames

__all__ = ["encode_messages"]


def encode_messages(messages: Sequence[Message], names: WireNames) -> list[dict[str, Any]]:
    """Messages in order.

    A tool message holds text only: whatever else a result has goes into one user message behind the
    last result of the round, because nothing may stand between the results of one reply.
    """
    encoded: list[dict[str, Any]] = []
    shown: list[dict[str, Any]] = []
    for message in messages:
        if isinstance(message, ToolResult):
            encoded.append(_result(message, shown))
            continue
        if shown:
            encoded.append({"role": "user", "content": shown})
            shown = []
        if isinstance(message, AssistantMessage):
            encoded.append(_assistant(message, names))
        elif isinstance(message, UserMessage):
            encoded.append({"role": "user", "content": _content(message.content)})
        elif isinstance(message, SystemMessage):
            encoded.append({"role": "system", "content": message.text})
        else:
            assert_never(message)
    if shown:
        encoded.append({"role": "user", "content": shown})
    return encoded


def _content(content: str | tuple[Part, ...]) -> str | list[dict[str, Any]]:
    if isinstance(content, str):
        return content
    if len(content) == 1 and isinstance(content[0], Text):
        return content[0].text
    return [encode_part(part) for part in content]


def _assistant(message: AssistantMessage, names: WireNames) -> dict[str, Any]:
    calls = [_call(call, names) for call in message.tool_calls if not call.server_side]
    text = message.text or message.refusal or ""
    # Beside calls an absent text is null: some servers take "" for an answer and end their turn.
    encoded: dict[str, Any] = {"role": "assistant", "content": text or (None if calls else "")}
    if message.extras:
        _add_extras(encoded, message)
    if calls:
        encoded["tool_calls"] = calls
    return encoded


def _add_extras(encoded: dict[str, Any], message: AssistantMessage) -> None:
    """What was kept under known keys; a stored history must not overwrite anything else."""
    kept = own(message.extras)
    encoded.update((key, kept[key]) for key in MESSAGE_KEYS if key in kept)
    # Parts with thoughts among them, unless somebody has changed the text since.
    if "content" in kept and split_content(kept["content"])[0] == message.text:
        encoded["content"] = kept["content"]


def _call(call: ToolCall, names: WireNames) -> dict[str, Any]:
    name = names.to_wire(call.name)
    kept = own(call.extras) if call.extras else None
    if kept and kept.get("type") == "custom":
        return {
            "id": call.id,
            "type": "custom",
            "custom": {"name": name, "input": call.arguments},
        }
    encoded = {
        "id": call.id,
        "type": "function",
        "function": {"name": name, "arguments": sendable_arguments(call.arguments)},
    }
    if kept:
        encoded.update((key, kept[key]) for key in CALL_KEYS if key in kept)
    return encoded


def _result(result: ToolResult, shown: list[dict[str, Any]]) -> dict[str, Any]:
    content = result.content
    if len(content) == 1 and isinstance(content[0], Text):
        return {"role": "tool", "tool_call_id": result.call_id, "content": content[0].text}
    lines = []
    for part in content:
        if isinstance(part, Text):
            lines.append(part.text)
            continue
        lines.append(f"[{part.kind}: see the message after the tool results]")
        label = f"The {part.kind} in the result of tool {result.name!r} (call {result.call_id}):"
        shown += ({"type": "text", "text": label}, encode_part(part))
    return {"role": "tool", "tool_call_id": result.call_id, "content": "\n".join(lines)}

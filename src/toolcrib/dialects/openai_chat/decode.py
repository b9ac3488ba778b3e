"""A whole Chat Completions body → a reply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolcrib.chat import ChatReply
from toolcrib.dialects.openai_chat.arguments import arguments_text
from toolcrib.dialects.openai_chat.errors import error_in, unreadable
from toolcrib.dialects.openai_chat.extras import CALL_KEYS, MESSAGE_KEYS, is_said, under_name
from toolcrib.dialects.openai_chat.reply import (
    METADATA_KEYS,
    finished,
    split_content,
    thinking_in,
    usage_of,
)
from toolcrib.messages import ToolCall
from toolcrib.schema.names import WireNames

__all__ = ["call_from", "decode"]

_NOTHING: Mapping[str, Any] = {}


def decode(body: Mapping[str, Any], names: WireNames) -> ChatReply:
    """The first choice of a body. Raises `ModelError` when it is an error, or no reply at all.

    A finish reason wins over an error in the same body; the error is then in `metadata`.
    """
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, Mapping):
        raise error_in(body) or unreadable(body)
    message = choice.get("message")
    raw = choice.get("finish_reason")
    problem = body.get("error") or choice.get("error")
    if problem and raw in (None, "", "error"):
        raise error_in({"error": problem}) or unreadable(body)
    if not isinstance(message, Mapping):
        if not raw:
            raise unreadable(body)
        message = _NOTHING
    text, thinking, refused = split_content(message.get("content"))
    extras = {key: message[key] for key in MESSAGE_KEYS if is_said(message.get(key))}
    if thinking:
        extras["content"] = message["content"]
    metadata = {key: body[key] for key in METADATA_KEYS if body.get(key)}
    if problem:
        metadata["error"] = problem
    return finished(
        text=text,
        calls=_calls(message, names),
        thinking=thinking or thinking_in(message),
        refusal=message.get("refusal") or refused or None,
        extras=extras,
        raw=raw,
        broken=False,
        usage=usage_of(body),
        model=body.get("model"),
        id=body.get("id"),
        metadata=metadata,
    )


def _calls(message: Mapping[str, Any], names: WireNames) -> list[ToolCall]:
    listed = message.get("tool_calls")
    calls = []
    if isinstance(listed, list):
        calls = [
            call
            for item in listed
            if isinstance(item, Mapping) and (call := call_from(item, names)) is not None
        ]
    if not calls and isinstance(legacy := message.get("function_call"), Mapping):
        call = call_from({"function": legacy}, names)
        return [] if call is None else [call]
    return calls


def call_from(item: Mapping[str, Any], names: WireNames) -> ToolCall | None:
    """One call; None for the empty shells that some servers put beside real ones."""
    function = item.get("function")
    if not isinstance(function, Mapping):
        function = _NOTHING
    name, arguments = function.get("name"), function.get("arguments")
    kept = {key: item[key] for key in CALL_KEYS if item.get(key)}
    if not name and isinstance(custom := item.get("custom"), Mapping) and custom.get("name"):
        name, arguments = custom["name"], custom.get("input")
        kept["type"] = "custom"
    id = item.get("id")
    if not (name or id or arguments):
        return None
    return ToolCall(
        "" if id is None else str(id),
        names.from_wire(name) if isinstance(name, str) else "",
        arguments_text(arguments),
        False,
        False,
        under_name(kept),
    )

"""A whole Chat Completions body → a reply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolcrib.chat import ChatReply
from toolcrib.dialects.openai_chat.arguments import arguments_text
from toolcrib.dialects.openai_chat.errors import error_in, unreadable
from toolcrib.dialects.openai_chat.extras import CALL_KEYS, kept_of, under_name
from toolcrib.dialects.openai_chat.reply import (
    finished,
    metadata_of,
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
    choice = _first_answer(choices) if isinstance(choices, list) and choices else None
    if choice is None:
        raise error_in(body) or unreadable(body)
    message = choice.get("message")
    raw = choice.get("finish_reason")
    problem = body.get("error") or choice.get("error")
    if problem and raw in (None, "", "error"):
        raise error_in({"error": problem}) or unreadable(body)
    if not isinstance(message, dict):
        if not raw:
            raise unreadable(body)
        message = _NOTHING
    content, refusal = message.get("content"), message.get("refusal")
    text, thinking, refused = split_content(content)
    extras = kept_of(message)
    if thinking:
        extras["content"] = content
    elif extras:
        thinking = thinking_in(extras)
    metadata = metadata_of(body)
    if problem:
        metadata["error"] = problem
    return finished(
        text=text,
        calls=_calls(message, names),
        thinking=thinking,
        refusal=refusal if isinstance(refusal, str) and refusal else refused,
        extras=extras,
        raw=raw,
        broken=False,
        usage=usage_of(body),
        model=body.get("model"),
        id=body.get("id"),
        metadata=metadata,
    )


def _first_answer(choices: list[Any]) -> Mapping[str, Any] | None:
    """The first choice; with the calls of another one when a server spreads one answer over two."""
    listed = [choice for choice in choices if isinstance(choice, dict)]
    if not listed:
        return None
    first = listed[0]
    said = [
        message
        for choice in listed
        if choice.get("index") == first.get("index")
        and isinstance(message := choice.get("message"), dict)
    ]
    calling = [message for message in said if message.get("tool_calls")]
    saying = [message for message in said if message.get("content")]
    if len(calling) != 1 or len(saying) != 1 or calling == saying:
        return first
    return {**first, "message": {**saying[0], "tool_calls": calling[0]["tool_calls"]}}


def _calls(message: Mapping[str, Any], names: WireNames) -> list[ToolCall]:
    listed = message.get("tool_calls")
    calls = []
    if isinstance(listed, list):
        calls = [
            call
            for item in listed
            if isinstance(item, dict) and (call := call_from(item, names)) is not None
        ]
    if not calls and isinstance(legacy := message.get("function_call"), dict):
        call = call_from({"function": legacy}, names)
        return [] if call is None else [call]
    return calls


def call_from(item: Mapping[str, Any], names: WireNames) -> ToolCall | None:
    """One call; None for the empty shells that some servers put beside real ones."""
    function = item.get("function")
    if not isinstance(function, dict):
        function = item  # some servers leave the layer out
    name, arguments = function.get("name"), function.get("arguments")
    kept = {key: item[key] for key in CALL_KEYS if item.get(key)}
    if not name and isinstance(custom := item.get("custom"), dict) and custom.get("name"):
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

"""What a whole reply and a streamed one have in common: content, finish reason, usage, metadata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from toolcrib.chat import ChatReply, FinishReason, Usage
from toolcrib.dialects.openai_chat.arguments import is_whole
from toolcrib.dialects.openai_chat.extras import under_name
from toolcrib.messages import AssistantMessage, Thinking, ToolCall

__all__ = ["finished", "metadata_of", "split_content", "thinking_in", "usage_of"]

_METADATA_KEYS = ("provider", "service_tier", "system_fingerprint", "citations")

_FINISH_REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "eos": "stop",
    "eos_token": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_calls": "tool_calls",
    "tool_call": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
    "safety": "content_filter",
    "refusal": "refusal",
    "error": "error",
    "abort": "error",
    "insufficient_system_resource": "error",
}


_CUTTING = ("length", "error", "content_filter")
"""Reasons that end a reply wherever it happens to be."""


def finished(
    *,
    text: str,
    calls: Sequence[ToolCall],
    thinking: str,
    refusal: str,
    extras: Mapping[str, Any] | None,
    raw: Any,
    broken: bool,
    usage: Usage,
    model: Any,
    id: Any,
    metadata: Mapping[str, Any],
) -> ChatReply:
    """The reply, with its finish reason in our words and the calls that were cut off marked."""
    raw = raw if isinstance(raw, str) and raw else None
    reason = _finish_reason(raw, calls, refusal, broken)
    if calls and (reason in _CUTTING or raw is None):
        calls = _marked(calls, ended=reason not in _CUTTING)
    message = AssistantMessage(
        text,
        tuple(calls),
        (Thinking(thinking),) if thinking else (),
        refusal or None,
        under_name(extras),
    )
    return ChatReply(
        message,
        reason,
        usage,
        raw,
        model if isinstance(model, str) else None,
        id if isinstance(id, str) else None,
        metadata,
    )


def _finish_reason(
    raw: str | None, calls: Sequence[ToolCall], refusal: str, broken: bool
) -> FinishReason:
    if raw is None:
        if broken:
            return "error"
        reason: FinishReason = "unknown"
    else:
        reason = _FINISH_REASONS.get(raw) or _FINISH_REASONS.get(raw.lower(), "unknown")
    if reason in ("stop", "unknown"):
        if calls:
            return "tool_calls"
        if refusal:
            return "refusal"
    return reason


def _marked(calls: Sequence[ToolCall], *, ended: bool) -> list[ToolCall]:
    """The calls of a reply that may have been cut off: those whose arguments have no end.

    Arguments that are blank are whole, but for those of the last call of a reply that did not end.
    """
    last = len(calls) - 1
    marked = []
    for place, call in enumerate(calls):
        blank = not call.arguments.strip()
        cut = (not ended and place == last) if blank else not is_whole(call.arguments)
        marked.append(replace(call, cut_off=True) if cut else call)
    return marked


def metadata_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """What a body tells about the reply that has no place of its own."""
    return {key: body[key] for key in _METADATA_KEYS if body.get(key)}


def split_content(content: Any) -> tuple[str, str, str]:
    """Text, thinking and refusal of a content that is a text, a list of parts, or nothing."""
    if isinstance(content, str):
        return content, "", ""
    text = thinking = refusal = ""
    for part in content if isinstance(content, list) else ():
        if isinstance(part, str):
            text += part
        elif isinstance(part, dict):
            match part.get("type"):
                case "text" | "output_text":
                    text += _text(part.get("text"))
                case "thinking" | "reasoning":
                    inside = part.get("thinking") or part.get("text")
                    thinking += split_content(inside)[0]
                case "refusal":
                    refusal += _text(part.get("refusal"))
    return text, thinking, refusal


def thinking_in(message: Mapping[str, Any]) -> str:
    """What the vendor's own keys say of the model's thoughts; some send them twice."""
    for key in ("reasoning_content", "reasoning", "thinking"):
        value = message.get(key)
        if value and isinstance(value, str):
            return value
    details = message.get("reasoning_details")
    if isinstance(details, list):
        return "".join(
            _text(detail.get("text") or detail.get("summary"))
            for detail in details
            if isinstance(detail, dict)
        )
    return ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def usage_of(body: Mapping[str, Any]) -> Usage:
    """The tokens of a body, where it counts them."""
    counts = body.get("usage")
    if not isinstance(counts, dict):
        elsewhere = body.get("x_groq")
        counts = elsewhere.get("usage") if isinstance(elsewhere, dict) else None
        if not isinstance(counts, dict):
            return Usage()
    get = counts.get
    asked, said = get("prompt_tokens_details"), get("completion_tokens_details")
    asked = asked if isinstance(asked, dict) else {}
    said = said if isinstance(said, dict) else {}
    return Usage(
        _count(get("prompt_tokens")),
        _count(get("completion_tokens")),
        _count(get("total_tokens")),
        _first(asked.get("cached_tokens"), get("prompt_cache_hit_tokens"), get("cached_tokens")),
        _first(asked.get("cache_write_tokens"), asked.get("cache_creation_tokens")),
        _first(said.get("reasoning_tokens"), get("reasoning_tokens")),
    )


def _first(*values: Any) -> int | None:
    return next((number for value in values if (number := _count(value)) is not None), None)


def _count(value: Any) -> int | None:
    if type(value) is int:
        return value
    return int(value) if isinstance(value, float) and value.is_integer() else None

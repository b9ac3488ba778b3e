"""A request → a whole Chat Completions body."""

from __future__ import annotations

import re
from typing import Any, assert_never

from toolcrib.chat import ChatRequest, NamedTool, Settings, ToolChoice
from toolcrib.dialects.openai_chat.messages import encode_messages
from toolcrib.dialects.openai_chat.tools import encode_tools, response_format
from toolcrib.schema.names import WireNames

__all__ = ["encode"]


# OpenAI's reasoning models refuse `max_tokens`; most other servers know nothing else.
_COMPLETION_TOKENS = re.compile(r"(?:openai/)?(?:o[1-9]|gpt-[5-9])")


def encode(
    request: ChatRequest, model: str, names: WireNames, strict: bool | None
) -> dict[str, Any]:
    """A whole body; the messages stand last, so that each request begins as the one before.

    Further keys of the settings (`extra_body`) win over all options.
    """
    body: dict[str, Any] = {"model": model}
    if request.tools:
        body["tools"] = encode_tools(request.tools, names, strict)
    _add_options(body, request, names)
    messages = encode_messages(request.messages, names)
    if request.instructions:
        messages.insert(0, {"role": "system", "content": request.instructions})
    body["messages"] = messages
    return body


def _add_options(body: dict[str, Any], request: ChatRequest, names: WireNames) -> None:
    settings = request.settings
    if request.tools:
        # Servers refuse both without tools.
        if request.tool_choice != "auto":
            body["tool_choice"] = _choice(request.tool_choice, names)
        if settings.parallel_tool_calls is not None:
            body["parallel_tool_calls"] = settings.parallel_tool_calls
    _add_settings(body, settings)
    if request.response_schema is not None:
        body["response_format"] = response_format(request.response_schema)
    if request.stream:
        body["stream"] = True
        body["stream_options"] = {"include_usage": True}
    if settings.extra_body:
        body.update(settings.extra_body)


def _add_settings(body: dict[str, Any], settings: Settings) -> None:
    if settings.max_tokens is not None:
        reasons = _COMPLETION_TOKENS.match(body["model"])
        body["max_completion_tokens" if reasons else "max_tokens"] = settings.max_tokens
    for key in ("temperature", "top_p", "seed"):
        if (value := getattr(settings, key)) is not None:
            body[key] = value
    if settings.stop is not None:
        body["stop"] = list(settings.stop)


def _choice(choice: ToolChoice, names: WireNames) -> str | dict[str, Any]:
    if isinstance(choice, NamedTool):
        return {"type": "function", "function": {"name": names.to_wire(choice.name)}}
    match choice:
        case "auto" | "none" | "required":
            return choice
        case _:
            assert_never(choice)

"""A request → a whole Chat Completions body."""

from __future__ import annotations

from typing import Any, assert_never

from toolcrib.chat import ChatRequest, NamedTool, Settings, ToolChoice
from toolcrib.dialects.openai_chat.messages import encode_messages
from toolcrib.dialects.openai_chat.tools import encode_tools
from toolcrib.messages import SystemMessage
from toolcrib.schema.names import WireNames

__all__ = ["encode", "encode_options"]


def encode(
    request: ChatRequest, model: str, names: WireNames, strict: bool | None
) -> dict[str, Any]:
    """Messages, tools and options; further keys of the settings win over all of them."""
    messages = encode_messages(request.messages, names)
    if request.instructions:
        messages[:0] = encode_messages([SystemMessage(request.instructions)], names)
    body: dict[str, Any] = {"model": model, "messages": messages}
    if request.tools:
        body["tools"] = encode_tools(request.tools, names, strict)
    body.update(encode_options(request, names))
    return body


def encode_options(request: ChatRequest, names: WireNames) -> dict[str, Any]:
    """Everything in a body but the model, the messages and the tools."""
    settings = request.settings
    options = _sampling(settings)
    if request.tools:
        # Servers refuse both without tools.
        if request.tool_choice != "auto":
            options["tool_choice"] = _choice(request.tool_choice, names)
        if settings.parallel_tool_calls is not None:
            options["parallel_tool_calls"] = settings.parallel_tool_calls
    if request.response_schema is not None:
        options["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": request.response_schema},
        }
    if request.stream:
        options["stream"] = True
        options["stream_options"] = {"include_usage": True}
    if settings.extra_body:
        options.update(settings.extra_body)
    return options


def _sampling(settings: Settings) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if settings.max_tokens is not None:
        options["max_tokens"] = settings.max_tokens
    if settings.temperature is not None:
        options["temperature"] = settings.temperature
    if settings.top_p is not None:
        options["top_p"] = settings.top_p
    if settings.seed is not None:
        options["seed"] = settings.seed
    if settings.stop is not None:
        options["stop"] = list(settings.stop)
    return options


def _choice(choice: ToolChoice, names: WireNames) -> str | dict[str, Any]:
    if isinstance(choice, NamedTool):
        return {"type": "function", "function": {"name": names.to_wire(choice.name)}}
    match choice:
        case "auto" | "none" | "required":
            return choice
        case _:
            assert_never(choice)

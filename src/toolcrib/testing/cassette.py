"""What a recording holds and how it is stored: requests and replies in one stable JSON file."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, get_args

from toolcrib.chat import ChatReply, ChatRequest, FinishReason, NamedTool, Usage
from toolcrib.errors import ConfigurationError, ModelError, QuotedCall
from toolcrib.message_json import json_data, message_from_dict, message_to_dict
from toolcrib.messages import AssistantMessage, Message, ToolResult
from toolcrib.testing.secrets import scrubbed
from toolcrib.tools.definition import ToolDefinition

__all__ = ["Exchange", "error_from", "exchange_of", "load", "reply_from", "request_data", "save"]

_SHOWN = ("name", "description", "input_schema", "strict")
"""What a model is told of a tool; the rest is between tools and programs."""
_ERROR_KEYS = ("status", "code", "retryable", "retry_after", "request_id", "excerpt")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and what the model answered, as JSON data without secrets."""

    request: Mapping[str, Any]
    answer: Mapping[str, Any]
    """`{"reply": ...}` or `{"error": ...}`."""

    @property
    def fingerprint(self) -> str:
        """The same for all requests that ask the same."""
        return fingerprint(self.request)


def fingerprint(request: Mapping[str, Any]) -> str:
    """A short hash of a request as `request_data` gives it."""
    text = json.dumps(request, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def request_data(request: ChatRequest, redact: Callable[[str], str]) -> dict[str, Any]:
    """What a model sees of a request, without secrets; whether it streams makes no difference."""
    data: dict[str, Any] = {}
    if request.instructions is not None:
        data["instructions"] = request.instructions
    data["messages"] = [message_to_dict(_seen(message)) for message in request.messages]
    if request.tools:
        data["tools"] = [_shown(definition) for definition in request.tools]
    choice = request.tool_choice
    if choice != "auto":
        data["tool_choice"] = {"name": choice.name} if isinstance(choice, NamedTool) else choice
    if request.response_schema is not None:
        data["response_schema"] = request.response_schema
    settings = _set(asdict(request.settings))
    if settings:
        data["settings"] = settings
    clean: dict[str, Any] = scrubbed(json_data(data, "request"), redact)
    return clean


def _seen(message: Message) -> Message:
    return replace(message, attributes={}) if isinstance(message, ToolResult) else message


def _shown(definition: ToolDefinition) -> dict[str, Any]:
    whole = definition.to_dict()
    return {key: whole[key] for key in _SHOWN if key in whole}


def exchange_of(
    request: Mapping[str, Any], answer: ChatReply | ModelError, redact: Callable[[str], str]
) -> Exchange:
    """A request, as `request_data` gives it, with its answer."""
    data = {"reply": _reply(answer)} if isinstance(answer, ChatReply) else {"error": _error(answer)}
    return Exchange(request, scrubbed(json_data(data, "answer"), redact))


def _reply(reply: ChatReply) -> dict[str, Any]:
    data: dict[str, Any] = {"message": message_to_dict(reply.message)}
    data["finish_reason"] = reply.finish_reason
    data.update(
        _set(
            {
                "usage": _set(asdict(reply.usage)) or None,
                "finish_reason_raw": reply.finish_reason_raw,
                "model": reply.model,
                "id": reply.id,
                "metadata": reply.metadata or None,
            }
        )
    )
    return data


def _error(error: ModelError) -> dict[str, Any]:
    held = {key: getattr(error, key) for key in _ERROR_KEYS}
    quoted = [asdict(call) for call in error.quoted_calls]
    return {"message": str(error), **_set({**held, "quoted_calls": quoted or None})}


def reply_from(data: Mapping[str, Any]) -> ChatReply:
    """The reply that was recorded."""
    message = message_from_dict(data["message"])
    if not isinstance(message, AssistantMessage):
        raise ConfigurationError("A recorded reply must hold an assistant's message.")
    if data["finish_reason"] not in get_args(FinishReason):
        raise ConfigurationError(f"Unknown finish reason {data['finish_reason']!r} in a recording.")
    return ChatReply(
        message,
        data["finish_reason"],
        Usage(**data.get("usage", {})),
        data.get("finish_reason_raw"),
        data.get("model"),
        data.get("id"),
        data.get("metadata", {}),
    )


def error_from(data: Mapping[str, Any]) -> ModelError:
    """The error that was recorded."""
    held = {key: data[key] for key in _ERROR_KEYS if key in data}
    quoted = [QuotedCall(**call) for call in data.get("quoted_calls", ())]
    return ModelError(data["message"], **held, quoted_calls=quoted)


def save(path: Path, model: str, exchanges: Sequence[Exchange]) -> None:
    """Write a recording. The file is whole at any time, and the same exchanges give the same bytes."""
    entries = []
    before: Mapping[str, Any] = {}
    for exchange in exchanges:
        request = _news(exchange.request, before)
        entries.append({"fingerprint": exchange.fingerprint, "request": request, **exchange.answer})
        before = exchange.request
    # ASCII only: recordings are compared byte by byte, also on machines with other encodings
    text = json.dumps({"model": model, "exchanges": entries}, indent=1) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    unfinished.write_text(text, encoding="ascii", newline="\n")
    unfinished.replace(path)


def load(path: Path) -> tuple[str, list[Exchange]]:
    """The model's name and the exchanges. Raises `ConfigurationError` for a file that is no recording."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        exchanges: list[Exchange] = []
        before: Mapping[str, Any] = {}
        for entry in data["exchanges"]:
            before = _whole(entry["request"], before)
            answer = {key: entry[key] for key in ("reply", "error") if key in entry}
            exchanges.append(Exchange(before, answer))
            if "reply" in answer:
                reply_from(answer["reply"])
            else:
                error_from(answer["error"])
        return str(data["model"]), exchanges
    except FileNotFoundError:
        raise ConfigurationError(
            f"There is no recording at {str(path)!r}. Make one with Recorder(model, path), or run "
            "pytest with --toolcrib-record."
        ) from None
    except (KeyError, TypeError, ValueError, OSError) as error:
        raise ConfigurationError(f"{str(path)!r} is not a recording: {error!r}.") from error


def _news(request: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """What is new in a request after the one before it: conversations would be stored many times over."""
    old, new = before.get("messages", []), request["messages"]
    kept = 0
    while kept < min(len(old), len(new)) and old[kept] == new[kept]:
        kept += 1
    news: dict[str, Any] = {"kept_messages": kept} if kept else {}
    news["messages"] = new[kept:]
    for key in (*request, *before):
        if key != "messages" and request.get(key) != before.get(key):
            news[key] = request.get(key)
    return news


def _whole(news: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    kept = before.get("messages", [])[: news.get("kept_messages", 0)]
    whole = {**before, **news, "messages": [*kept, *news["messages"]]}
    whole.pop("kept_messages", None)
    return _set(whole)


def _set(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if value is not None}

"""What Chat Completions servers say when they fail → `ModelError`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any

from pydantic_core import from_json

from toolcrib.dialects.openai_chat.arguments import arguments_text, json_text
from toolcrib.errors import ModelError, QuotedCall

__all__ = ["broken_off", "error_in", "error_of_groq", "http_error", "unreadable"]

_EXCERPT = 500
_RETRYABLE = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_PASSING_CODES = frozenset(
    {"server_error", "internal_error", "api_error", "overloaded", "overloaded_error", "timeout"}
    | {"rate_limit_exceeded", "rate_limit_error", "service_unavailable", "engine_overloaded"}
)
"""What may pass, where no status says so."""
_FINAL_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
_TAGGED = re.compile(r"<function=([\w.-]+)>?(.*?)(?:</function>|\Z)", re.DOTALL)
_SECONDS = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)s")
_TAGS = re.compile(r"</?tool_call>")
_REQUEST_IDS = ("x-request-id", "request-id", "x-amzn-requestid", "cf-ray")


def http_error(status: int, headers: Mapping[str, str], body: bytes) -> ModelError:
    """The error of an HTTP answer with `status` 400 or above, whatever its body is."""
    lower = {key.lower(): value for key, value in headers.items()}
    try:
        data = from_json(body)
    except ValueError:
        data = None
    told = _inner(data)
    excerpt = body[: 4 * _EXCERPT].decode("utf-8", "replace").strip()[:_EXCERPT] or None
    return _error(
        f"The provider answered with HTTP status {status}",
        told,
        status=status,
        excerpt=excerpt,
        wanted=lower.get("x-should-retry"),
        retry_after=_retry_after(lower),
        request_id=next((lower[key] for key in _REQUEST_IDS if lower.get(key)), None),
    )


def error_in(body: Mapping[str, Any]) -> ModelError | None:
    """The error that a body or an event with HTTP status 200 holds, if it does."""
    told = _inner(body)
    if not told:
        return None
    status = next(
        (
            value
            for key in ("status_code", "status", "code")
            if type(value := told.get(key)) is int and 400 <= value < 600
        ),
        None,
    )
    return _error("The provider answered with an error", told, status=status, excerpt=_short(told))


def error_of_groq(event: Mapping[str, Any]) -> Any:
    """The error that Groq tells beside an event, as a text or an object; None when it tells none."""
    beside = event.get("x_groq")
    return beside.get("error") if isinstance(beside, dict) else None


def unreadable(body: Mapping[str, Any]) -> ModelError:
    """A body with HTTP status 200 that is no reply at all."""
    return ModelError(
        "The provider's answer is not a Chat Completions reply: it has no choices.",
        excerpt=_short(body),
        retryable=True,
    )


def broken_off() -> ModelError:
    """A stream that ended before anything that can be used came."""
    return ModelError("The provider's stream ended before the reply did.", retryable=True)


def _error(
    start: str,
    told: Mapping[str, Any],
    *,
    status: int | None,
    excerpt: str | None,
    wanted: str | None = None,
    retry_after: float | None = None,
    request_id: str | None = None,
) -> ModelError:
    message = _words(told)
    code = told.get("code") or told.get("type")
    code = None if code is None else str(code)
    quoted = _quoted(told.get("failed_generation"))
    if wanted in ("true", "false"):
        retryable = wanted == "true"
    elif code == "tool_use_failed":
        # The model wrote a call that the server refused. What it quotes can be explained to the
        # model; without it only another try can help.
        retryable = not quoted
    else:
        passing = code in _PASSING_CODES if status is None else status in _RETRYABLE
        retryable = passing and code not in _FINAL_CODES
    return ModelError(
        f"{start}: {message}" if message else f"{start}.",
        status=status,
        code=code,
        retryable=retryable,
        retry_after=_asked_wait(told) if retry_after is None else retry_after,
        request_id=request_id,
        excerpt=excerpt,
        quoted_calls=quoted,
    )


def _inner(data: Any) -> Mapping[str, Any]:
    """The innermost object that tells of the error, in any of the shapes that servers use."""
    if isinstance(data, list) and data:
        data = data[0]
    if not isinstance(data, Mapping):
        return {"message": data} if isinstance(data, str) else {}
    error = data.get("error")
    if isinstance(error, Mapping):
        return error
    if isinstance(error, str) and error:
        return {**data, "message": data.get("message") or error}
    if "choices" not in data and any(key in data for key in ("message", "detail", "errors")):
        return data
    return {}


def _words(told: Mapping[str, Any]) -> str:
    for key in ("message", "detail", "errors"):
        value = told.get(key)
        if value:
            words = value if isinstance(value, str) else json_text(value)
            return _printable(words.strip()[:_EXCERPT])
    return ""


def _short(data: Any) -> str:
    return json_text(data)[:_EXCERPT]


def _printable(text: str) -> str:
    """Halves of characters are for no log and no terminal."""
    return text.encode(errors="replace").decode()


def _quoted(generation: Any) -> tuple[QuotedCall, ...]:
    """The calls that Groq quotes when its own check refused them: JSON, or tags around it."""
    if isinstance(generation, str):
        tagged = _TAGGED.findall(generation)
        if tagged:
            return tuple(QuotedCall(name, text.strip()) for name, text in tagged)
        try:
            generation = from_json(_TAGS.sub("", generation))
        except (ValueError, TypeError):
            return ()
    listed = generation if isinstance(generation, list) else [generation]
    return tuple(
        QuotedCall(item["name"], arguments_text(item.get("arguments", item.get("parameters"))))
        for item in listed
        if isinstance(item, Mapping) and isinstance(item.get("name"), str)
    )


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait. A date counts from the answer's own date, so that no clock is read here."""
    for key, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            wait = float(headers[key]) / unit
        except (KeyError, ValueError):
            continue
        if isfinite(wait):
            return max(0.0, wait)
    until, now = _date(headers.get("retry-after")), _date(headers.get("date"))
    return None if until is None or now is None else max(0.0, (until - now).total_seconds())


def _asked_wait(told: Mapping[str, Any]) -> float | None:
    """The wait in seconds that Google asks for in the body instead of a header."""
    details = told.get("details")
    for detail in details if isinstance(details, list) else ():
        asked = detail.get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(asked, str) and (seconds := _SECONDS.fullmatch(asked)):
            return float(seconds[1])
    return None


def _date(text: str | None) -> datetime | None:
    try:
        found = parsedate_to_datetime(text or "")
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)

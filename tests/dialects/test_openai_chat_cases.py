"""Recorded answers of many providers, whole and streamed, decode to what they mean."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests import cases
from tests.dialects.chat import NAMES
from toolcrib.chat import ChatReply
from toolcrib.dialects.openai_chat import DIALECT
from toolcrib.dialects.openai_chat.extras import NAME
from toolcrib.errors import ModelError
from toolcrib.messages import ToolCall
from toolcrib.wire.sse import EventSplitter

CASES = [
    case
    for path in cases.files("provider-traffic/*.json")
    if (case := json.loads(path.read_text(encoding="utf-8")))["api"] == "openai-chat"
]
_USAGE = (
    "input_tokens",
    "output_tokens",
    "total_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
)


def answered(case: dict[str, Any]) -> ChatReply:
    status, body = case.get("status") or 200, case.get("response")
    if status >= 400:
        data = body if isinstance(body, str) else "" if body is None else json.dumps(body)
        raise DIALECT.error(status, {}, data.encode())
    if "sse" not in case:
        return DIALECT.decode(case["response"], NAMES)
    stream = DIALECT.stream(NAMES)
    for event in (splitter := EventSplitter()).feed(case["sse"].encode()) + splitter.finish():
        if event != b"[DONE]":
            stream.feed(json.loads(event))
    return stream.finish()


@pytest.mark.parametrize("case", cases.params(CASES))
def test_a_recorded_answer_decodes_to_what_it_means(case: dict[str, Any]) -> None:
    expected = case["expected"]
    try:
        reply = answered(case)
    except ModelError as error:
        assert expected.get("finish_reason", "error") == "error"
        assert (expected.get("text") or "", expected["tool_calls"]) == ("", [])
        assert_error(error, expected)
        return
    assert reply.message.text == (expected.get("text") or "")
    assert reply.message.refusal == expected.get("refusal")
    assert (reply.finish_reason, reply.finish_reason_raw) == (
        expected["finish_reason"],
        expected["finish_reason_raw"] or None,
    )
    counted = {key: value for key in _USAGE if (value := getattr(reply.usage, key)) is not None}
    assert counted.items() >= (expected.get("usage") or {}).items()
    if expected.get("reasoning"):
        assert [thought.text for thought in reply.message.thinking] == [expected["reasoning"]]
    calls = reply.message.tool_calls
    assert [told(call) for call in calls] == [wanted(call) for call in expected["tool_calls"]]
    for call, said in zip(calls, expected["tool_calls"], strict=True):
        assert call.cut_off or not said.get("truncated")
        assert ("input_text" in said) == (call.extras.get(NAME, {}).get("type") == "custom")
        assert not call.server_side
    if "error" in expected:
        assert_told(reply.metadata["error"], expected["error"])


def assert_told(told: Any, inner: Any) -> None:
    assert told == inner or told["message"] == inner["message"]


def assert_error(error: ModelError, expected: dict[str, Any]) -> None:
    inner = expected.get("error")
    if isinstance(inner, str):
        assert inner[:100] in str(error)
    elif isinstance(inner, dict):
        assert (inner.get("message") or "")[:100] in str(error)
        code = inner.get("code") or inner.get("type")
        assert error.code == (None if code is None else str(code))
    if "recoverable_calls" in expected:
        assert [
            {"name": call.name, "arguments": json.loads(call.arguments)}
            for call in error.quoted_calls
        ] == expected["recoverable_calls"]


def told(call: ToolCall) -> tuple[str, str, Any]:
    try:
        arguments = json.loads(call.arguments or "{}")
    except ValueError:
        arguments = call.arguments
    return call.id, call.name, {} if arguments is None else arguments


def wanted(call: dict[str, Any]) -> tuple[str, str, Any]:
    arguments = call.get("arguments")
    if arguments is None:
        arguments = call.get("input_text", call.get("arguments_raw"))
    return call["id"] or "", call["name"], arguments

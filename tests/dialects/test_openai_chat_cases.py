"""Recorded answers of many providers, whole and streamed, decode to what they mean."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests import cases
from tests.dialects.chat import NAMES
from toolcrib.chat import ChatReply
from toolcrib.dialects.openai_chat import DIALECT
from toolcrib.errors import ModelError
from toolcrib.messages import ToolCall

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
    status = case.get("status") or 200
    if status >= 400:
        raise DIALECT.error(status, {}, json.dumps(case["response"]).encode())
    if "sse" not in case:
        return DIALECT.decode(case["response"], NAMES)
    stream = DIALECT.stream(NAMES)
    for line in case["sse"].splitlines():
        if line.startswith("data:") and line[5:].strip() != "[DONE]":
            stream.feed(json.loads(line[5:]))
    return stream.finish()


@pytest.mark.parametrize("case", cases.params(CASES))
def test_a_recorded_answer_decodes_to_what_it_means(case: dict[str, Any]) -> None:
    expected = case["expected"]
    if "error" in expected and expected.get("finish_reason", "error") == "error":
        with pytest.raises(ModelError) as raised:
            answered(case)
        assert_error(raised.value, expected)
        return
    reply = answered(case)
    assert reply.message.text == (expected.get("text") or "")
    assert reply.message.refusal == expected.get("refusal")
    assert (reply.finish_reason, reply.finish_reason_raw) == (
        expected["finish_reason"],
        expected["finish_reason_raw"] or None,
    )
    counted = {key: value for key in _USAGE if (value := getattr(reply.usage, key)) is not None}
    assert counted.items() >= expected["usage"].items()
    if expected.get("reasoning"):
        assert [thought.text for thought in reply.message.thinking] == [expected["reasoning"]]
    assert [told(call) for call in reply.message.tool_calls] == [
        wanted(call) for call in expected["tool_calls"]
    ]
    if "error" in expected:
        assert reply.metadata["error"]["message"] == expected["error"]["message"]


def assert_error(error: ModelError, expected: dict[str, Any]) -> None:
    inner = expected["error"]
    if isinstance(inner, dict):
        assert inner.get("message", "")[:100] in str(error)
        assert error.code == str(inner.get("code") or inner.get("type"))
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

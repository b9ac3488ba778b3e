"""Recorded requests of many providers: the same history and tools are spelled the same here."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests import cases
from tests.dialects.chat import NAMES, decode
from toolcrib.chat import ChatRequest, Settings
from toolcrib.dialects.openai_chat import DIALECT
from toolcrib.messages import Message, SystemMessage, Text, ToolResult, UserMessage
from toolcrib.tools.definition import ToolDefinition

CASES = [
    case
    for path in cases.files("provider-traffic/*.json")
    if (case := json.loads(path.read_text(encoding="utf-8")))["api"] == "openai-chat"
    and case.get("request")
]


def history(recorded: list[dict[str, Any]]) -> list[Message]:
    """The messages as a run would hold them: those of the assistant were replies once."""
    said: list[Message] = []
    for message in recorded:
        content = message.get("content")
        match message["role"]:
            case "system" | "developer":
                said.append(SystemMessage(text_of(content)))
            case "user":
                said.append(UserMessage(text_of(content)))
            case "assistant":
                said.append(decode(message).message)
            case "tool":
                said.append(ToolResult(message["tool_call_id"], "t", (Text(text_of(content)),)))
    return said


def text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or ())


def plain(message: dict[str, Any]) -> dict[str, Any]:
    """A message without what may differ: blanks in arguments, keys that say nothing."""
    said = {key: value for key, value in message.items() if value or key.startswith("reasoning")}
    said.pop("name", None)
    if isinstance(said.get("content"), list) and said["role"] != "assistant":
        said["content"] = text_of(said["content"])
    if said["role"] == "developer":
        said["role"] = "system"
    if "tool_calls" in said:
        said["tool_calls"] = [
            (call.get("id"), call["function"]["name"], json.loads(call["function"]["arguments"]))
            for call in said["tool_calls"]
        ]
    return said


@pytest.mark.parametrize("case", cases.params(CASES))
def test_a_recorded_history_is_spelled_the_same(case: dict[str, Any]) -> None:
    recorded = case["request"]["messages"]
    encoded = DIALECT.encode_messages(history(recorded), NAMES)
    assert list(map(plain, encoded)) == list(map(plain, recorded))


@pytest.mark.parametrize("case", cases.params(CASES))
def test_recorded_tools_and_options_are_spelled_the_same(case: dict[str, Any]) -> None:
    recorded = case["request"]
    functions = [tool["function"] for tool in recorded.get("tools") or ()]
    request = ChatRequest(
        (UserMessage("hi"),),
        tools=tuple(
            ToolDefinition(
                name=one["name"],
                description=one.get("description", ""),
                input_schema=one.get("parameters"),
                strict=False if one.get("strict") is None else None,
            )
            for one in functions
        ),
        settings=Settings(max_tokens=recorded.get("max_tokens")),
        stream=bool(recorded.get("stream")),
    )
    body = DIALECT.encode(request, recorded["model"], NAMES)
    assert body["model"] == recorded["model"]
    assert bool(body.get("stream")) == bool(recorded.get("stream"))
    assert body.get("max_tokens") == recorded.get("max_tokens")
    assert [tool["function"]["name"] for tool in body.get("tools", ())] == [
        one["name"] for one in functions
    ]
    for tool, one in zip(body.get("tools", ()), functions, strict=True):
        assert tool["function"]["parameters"] == one.get("parameters")
        assert tool["function"].get("description", "") == one.get("description", "")


def test_what_a_vendor_wants_back_is_in_the_next_request() -> None:
    called = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    recorded: list[dict[str, Any]] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": None, "reasoning_content": "", "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "c", "content": "1"},
        {
            "role": "assistant",
            "content": "One.",
            "reasoning": "hm",
            "reasoning_details": [{"type": "reasoning.encrypted", "data": "x", "index": 0}],
        },
        {"role": "user", "content": "again"},
    ]
    assert DIALECT.encode_messages(history(recorded), NAMES) == recorded

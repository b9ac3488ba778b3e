"""Messages survive being stored: every kind comes back equal, and what is wrong is named."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from toolcrib import message_json
from toolcrib.errors import ConfigurationError
from toolcrib.message_json import (
    message_from_dict,
    message_to_dict,
    messages_from_json,
    messages_to_json,
)
from toolcrib.messages import (
    AssistantMessage,
    Audio,
    Document,
    History,
    Image,
    Message,
    SystemMessage,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    UserMessage,
)

CALL = ToolCall("c1", "add", '{"a": ', True, True, {"anthropic": {"caller": [1, 2.5, None]}})
EVERY_KIND: list[Message] = [
    SystemMessage("Be brief."),
    UserMessage("Hi"),
    UserMessage(""),
    UserMessage(()),
    UserMessage(
        (
            Text("Look: Grüße 🌍 \ud800"),
            Image(b"\x00\xff", None, "image/webp"),
            Image(url="https://example.org/a.png"),
            Audio(b"RIFF", "audio/mpeg"),
            Document(b"%PDF", name="a.pdf"),
            Document(url="https://example.org/a.pdf"),
        )
    ),
    AssistantMessage(),
    AssistantMessage("Hello", (CALL, ToolCall("", "f", "")), (Thinking("hm", "sig"), Thinking(""))),
    AssistantMessage(refusal="No.", extras={"gemini": {"parts": []}}),
    ToolResult("c1", "add", ()),
    ToolResult("c1", "add", (Text("3"), Image(b"")), True, {"found_tools": ["a", "b"], "n": {}}),
]


@pytest.mark.parametrize("message", EVERY_KIND, ids=lambda message: message.role)
def test_every_kind_of_message_comes_back_equal(message: Message) -> None:
    assert messages_from_json(messages_to_json([message])) == [message]
    assert message_from_dict(json.loads(json.dumps(message_to_dict(message)))) == message


def test_a_whole_history_comes_back_equal_from_text_or_bytes() -> None:
    text = messages_to_json(History(EVERY_KIND))
    assert messages_from_json(text) == EVERY_KIND
    assert messages_from_json(text.encode()) == EVERY_KIND


def test_the_text_is_compact_stable_and_leaves_defaults_out() -> None:
    messages = [UserMessage("Grüße"), AssistantMessage("", (ToolCall("c", "f", "{}"),))]
    assert messages_to_json(messages) == (
        '[{"role":"user","content":"Grüße"},'
        '{"role":"assistant","tool_calls":[{"id":"c","name":"f","arguments":"{}"}]}]'
    )


def test_every_field_of_every_class_is_stored() -> None:
    for kind, forms in message_json._FORMS.items():
        stored = {*forms, *message_json._TAGS.get(kind, ())[:1]}
        assert stored == {one.name for one in dataclasses.fields(kind)}, kind


def test_an_explicit_null_is_an_absent_value() -> None:
    assert message_from_dict({"role": "assistant", "refusal": None}) == AssistantMessage()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("{}", r"array of messages"),
        ("[", r"JSON text"),
        (None, r"JSON text"),
        ("[1]", r"messages\[0\] must be an object, not 1"),
        ('[{"text": "x"}]', r"messages\[0\]\.role must be one of 'system'.*not None"),
        ('[{"role": ["user"]}]', r"messages\[0\]\.role must be one of"),
        ('[{"role": "user"}]', r"messages\[0\] needs the key 'content'"),
        ('[{"role": "user", "content": "x", "name": "y"}]', r"no key 'name'; known are content"),
        ('[{"role": "user", "content": 1}]', r"messages\[0\]\.content must be a list"),
        (
            '[{"role": "user", "content": [{"kind": "video"}]}]',
            r"content\[0\]\.kind must be one of 'text'.*not 'video'",
        ),
        (
            '[{"role": "user", "content": [{"kind": "image", "data": "*"}]}]',
            r"data must be base64",
        ),
        (
            '[{"role": "assistant", "tool_calls": [{"id": "c", "name": "f", "arguments": {}}]}]',
            r"messages\[0\]\.tool_calls\[0\]\.arguments must be a text",
        ),
        (
            '[{"role": "assistant", "tool_calls": [{"id": "c", "kind": "f"}]}]',
            r"tool_calls\[0\] has no key 'kind'",
        ),
        (
            '[{"role":"tool","call_id":"c","name":"f","content":[],"is_error":1}]',
            r"is_error must be true or false",
        ),
        ('[{"role": "assistant", "extras": []}]', r"extras must be an object"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(data: Any, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        messages_from_json(data)


LOOP: dict[str, Any] = {}
LOOP["self"] = LOOP


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ({"at": object()}, r"messages\[1\]\.attributes\.at must be plain JSON data"),
        ({"a": {"b": [1, {2}]}}, r"attributes\.a\.b\[1\] must be plain"),
        ({"n": float("nan")}, r"attributes\.n must be a finite number"),
        ({"n": float("inf")}, r"attributes\.n must be a finite number"),
        ({"a": {1: "x"}}, r"a key of messages\[1\]\.attributes\.a must be a text, not 1"),
        ({"raw": b"x"}, r"attributes\.raw must be plain"),
        (LOOP, r"nested too deeply|holds itself"),
    ],
)
def test_attributes_that_json_cannot_hold_are_named_when_they_are_written(
    attributes: Any, words: str
) -> None:
    with pytest.raises(ConfigurationError, match=words):
        messages_to_json([UserMessage("x"), ToolResult("c", "f", (), False, attributes)])


def test_what_is_not_a_message_is_refused_when_it_is_written() -> None:
    with pytest.raises(ConfigurationError, match=r"messages\[0\] must be a message"):
        messages_to_json(["Hi"])  # type: ignore[list-item]

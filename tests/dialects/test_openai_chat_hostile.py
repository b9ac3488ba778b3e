"""Whatever a server sends, a decoder gives a reply or says that it cannot: nothing else is raised."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.dialects.chat import NAMES, body, chunk, decode, fragment, function, streamed
from tests.effort import examples
from toolcrib.dialects.openai_chat import DIALECT
from toolcrib.errors import ModelError

HALF = "\ud83d"  # the first half of a character
KEYS = [
    "choices",
    "message",
    "delta",
    "content",
    "text",
    "type",
    "tool_calls",
    "function",
    "custom",
    "name",
    "arguments",
    "input",
    "id",
    "index",
    "finish_reason",
    "refusal",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "summary",
    "usage",
    "prompt_tokens",
    "prompt_tokens_details",
    "cached_tokens",
    "x_groq",
    "error",
    "code",
    "failed_generation",
    "function_call",
    "model",
]
WORDS = ["", "a", "{}", "null", "0", "text", "thinking", "reasoning.text", "error", "length", HALF]

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=12,
)
messages = st.dictionaries(st.sampled_from(KEYS), anything, max_size=5)


def replayed(reply: Any) -> None:
    """What was decoded can also be sent again."""
    json.dumps(DIALECT.encode_messages([reply.message], NAMES))


@given(message=messages, finish=anything, more=messages)
@settings(max_examples=examples(300), deadline=None)
def test_any_body_is_a_reply_or_a_model_error(message: Any, finish: Any, more: Any) -> None:
    try:
        replayed(DIALECT.decode({**more, **body(message, finish)}, NAMES))
    except ModelError as error:
        str(error).encode()


@given(events=st.lists(messages, max_size=5), last=messages, broken=st.booleans())
@settings(max_examples=examples(300), deadline=None)
def test_any_stream_is_a_reply_or_a_model_error(events: Any, last: Any, broken: bool) -> None:
    try:
        reply, _ = streamed([*map(chunk, events), {**chunk(finish="stop"), **last}], broken=broken)
        replayed(reply)
    except ModelError as error:
        str(error).encode()


@given(told=anything, status=st.sampled_from([400, 401, 429, 500]))
@settings(max_examples=examples(200), deadline=None)
def test_any_refusal_is_a_model_error(told: Any, status: int) -> None:
    for data in (json.dumps({"error": told}).encode(), json.dumps(told).encode()):
        error = DIALECT.error(status, {}, data)
        assert error.status == status
        str(error).encode()


def test_halves_of_characters_do_no_harm_anywhere() -> None:
    replayed(decode({"content": HALF, "tool_calls": [function("f", f'{{"a": "{HALF}"}}')]}))
    replayed(decode({"tool_calls": [function("f", {"a": HALF})]}, "length"))
    reply, _ = streamed([fragment(index=0, id="1", name="f", arguments=f'{{"a": "{HALF}"}}')])
    replayed(reply)
    with pytest.raises(ModelError) as raised:
        DIALECT.decode({"error": {"message": HALF, "failed_generation": HALF}}, NAMES)
    assert raised.value.args[0].encode()


def test_a_reasoning_detail_of_the_wrong_type_adds_nothing() -> None:
    details: list[dict[str, Any]] = [{"text": "a"}, {"text": {"b": 1}}, {"text": None}]
    reply, _ = streamed(
        chunk({"reasoning_details": [{"type": "reasoning.text", "index": 0, **one}]})
        for one in details
    )
    kept = reply.message.extras["openai-chat"]["reasoning_details"]
    assert kept == [{"type": "reasoning.text", "index": 0, "text": "a"}]

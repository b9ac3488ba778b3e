"""What holds of every answer, however it is cut into events and whatever junk is in it."""

from __future__ import annotations

import contextlib
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.dialects.chat import NAMES, body, chunk, decode, streamed
from tests.effort import examples
from toolcrib.chat import TextDelta, ThinkingDelta, ToolCallDelta
from toolcrib.dialects.openai_chat import DIALECT
from toolcrib.errors import ModelError
from toolcrib.messages import AssistantMessage

WORDS = st.text(st.sampled_from('ab{}":1é \n'), min_size=1, max_size=12)
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.floats() | st.sampled_from(["", "0", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "arguments",
                    "code",
                    "content",
                    "custom",
                    "error",
                    "failed_generation",
                    "finish_reason",
                    "function",
                    "function_call",
                    "id",
                    "index",
                    "message",
                    "name",
                    "prompt_tokens",
                    "prompt_tokens_details",
                    "reasoning",
                    "reasoning_details",
                    "refusal",
                    "text",
                    "thinking",
                    "tool_calls",
                    "type",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)
KEYS = ["content", "tool_calls", "reasoning", "reasoning_details", "refusal", "function_call"]
MESSAGES = st.dictionaries(st.sampled_from(KEYS), JUNK, max_size=4)
ARGUMENTS = st.dictionaries(WORDS, st.integers() | WORDS | st.none(), max_size=3).map(json.dumps)


def pieces(data: st.DataObject, text: str) -> list[str]:
    """The text, cut anywhere."""
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@settings(max_examples=examples(100), deadline=None)
@given(st.data(), WORDS | st.just(""), WORDS | st.just(""), st.lists(ARGUMENTS, max_size=4))
def test_a_streamed_reply_is_the_whole_one_however_it_is_cut(
    data: st.DataObject, text: str, thought: str, arguments: list[str]
) -> None:
    calls: list[dict[str, Any]] = [
        {"id": f"c{at}", "type": "function", "function": {"name": f"f{at}", "arguments": one}}
        for at, one in enumerate(arguments)
    ]
    finish = "tool_calls" if calls else "stop"
    whole = decode({"content": text, "reasoning": thought, "tool_calls": calls}, finish)

    events = [chunk({"role": "assistant", "reasoning": ""})]
    events += [chunk({"reasoning": piece}) for piece in pieces(data, thought)]
    events += [chunk({"content": piece}) for piece in pieces(data, text)]
    for index, call in enumerate(calls):
        head = {**call, "index": index, "function": {**call["function"], "arguments": ""}}
        events.append(chunk({"tool_calls": [head]}))
        for piece in pieces(data, arguments[index]):
            events.append(
                chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
            )
    reply, deltas = streamed([*events, chunk(finish=finish)])

    assert reply == whole
    assert "".join(one.text for one in deltas if isinstance(one, TextDelta)) == text
    assert "".join(one.text for one in deltas if isinstance(one, ThinkingDelta)) == thought
    written = ["" for _ in calls]
    for delta in deltas:
        if isinstance(delta, ToolCallDelta):
            written[delta.index] += delta.arguments
    assert written == arguments


@settings(max_examples=examples(100), deadline=None)
@given(MESSAGES | JUNK, JUNK, JUNK, JUNK)
def test_junk_in_a_body_is_read_or_is_an_error_of_the_model(
    message: Any, finish: Any, usage: Any, problem: Any
) -> None:
    with contextlib.suppress(ModelError):
        answer = body(message, finish, usage=usage, error=problem)
        assert_sendable(DIALECT.decode(answer, NAMES).message)


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(MESSAGES | JUNK, max_size=4), JUNK, JUNK, st.booleans())
def test_junk_in_a_stream_is_read_or_is_an_error_of_the_model(
    messages: list[Any], finish: Any, usage: Any, broken: bool
) -> None:
    events = [chunk(message, usage=usage) for message in messages]
    with contextlib.suppress(ModelError):
        reply, _ = streamed([*events, chunk(finish=finish)], broken=broken)
        assert_sendable(reply.message)


@settings(max_examples=examples(100), deadline=None)
@given(JUNK)
def test_a_body_or_event_that_is_junk_is_an_error_of_the_model(junk: Any) -> None:
    answer = {"choices": junk, "error": junk, "usage": junk, "x_groq": junk}
    with contextlib.suppress(ModelError):
        DIALECT.decode(answer, NAMES)
    with contextlib.suppress(ModelError):
        streamed([answer])


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(400, 599), JUNK | st.fixed_dictionaries({"error": JUNK}))
def test_an_http_error_that_is_junk_is_an_error_of_the_model(status: int, junk: Any) -> None:
    answer = DIALECT.error(status, {}, json.dumps(junk).encode())
    assert isinstance(answer, ModelError)
    assert answer.status == status


def assert_sendable(message: AssistantMessage) -> None:
    """Plain values in every field, and a message that can be sent again."""
    assert isinstance(message.text, str)
    assert message.refusal is None or isinstance(message.refusal, str)
    for call in message.tool_calls:
        assert [type(value) for value in (call.id, call.name, call.arguments)] == [str, str, str]
    [sent] = DIALECT.encode_messages([message], NAMES)
    for call in sent.get("tool_calls", ()):
        if call["type"] == "function":
            assert isinstance(json.loads(call["function"]["arguments"]), dict)

"""Whole answers, in all the ways that compatible servers spell them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dialects.chat import NAMES, body, calls_in, decode, function
from toolcrib.chat import Usage
from toolcrib.dialects.openai_chat import DIALECT
from toolcrib.errors import ModelError
from toolcrib.messages import AssistantMessage, Thinking
from toolcrib.schema.names import WireNames


def test_a_plain_answer_is_its_text() -> None:
    reply = decode({"role": "assistant", "content": "Hello"})
    assert reply.message == AssistantMessage("Hello")
    assert (reply.finish_reason, reply.id, reply.model) == ("stop", "reply-1", "m")


@pytest.mark.parametrize("id", ["call_1", "0", "functions.get:0", "-8421"])
def test_an_id_is_kept_as_it_came(id: str) -> None:
    assert calls_in(function("f", "{}", id)) == [(id, "f", "{}")]


def test_an_id_that_is_absent_or_null_is_empty() -> None:
    nameless = {"function": {"name": "f", "arguments": "{}"}}
    assert calls_in(nameless, function("g", "{}", None)) == [("", "f", "{}"), ("", "g", "{}")]


def test_an_id_that_is_a_number_is_kept_as_text() -> None:
    assert calls_in(function("f", "{}", 0)) == [("0", "f", "{}")]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ('{"a": 1}', '{"a": 1}'),
        ("", ""),
        ("null", "null"),
        (None, ""),
        ({"a": [1, "é"]}, '{"a":[1,"é"]}'),
        ({}, "{}"),
    ],
)
def test_arguments_are_the_text_that_the_model_wrote(arguments: Any, text: str) -> None:
    assert calls_in(function("f", arguments)) == [("call_1", "f", text)]


def test_arguments_whose_key_is_absent_are_empty() -> None:
    assert calls_in({"id": "a", "function": {"name": "f"}}) == [("a", "f", "")]


def test_calls_that_share_an_index_stay_apart() -> None:
    calls = calls_in(function("f", "{}", "a", index=0), function("g", "{}", "b", index=0))
    assert calls == [("a", "f", "{}"), ("b", "g", "{}")]


def test_the_old_function_call_is_a_call_without_id() -> None:
    assert calls_in(function_call={"name": "f", "arguments": "{}"}) == [("", "f", "{}")]


def test_shells_without_a_value_are_no_calls() -> None:
    real = function("f", "{}", custom={"name": "", "input": ""})
    shell = {"id": "", "function": {"name": "", "arguments": ""}}
    nothing = {"name": "", "arguments": ""}
    assert calls_in(real, shell, None, function_call=nothing) == [("call_1", "f", "{}")]
    assert calls_in(function_call=nothing) == []


def test_a_call_without_a_name_is_kept_so_that_the_model_can_be_told() -> None:
    assert calls_in(function("", '{"a": 1}', "x")) == [("x", "", '{"a": 1}')]


def test_a_custom_call_holds_its_free_text() -> None:
    custom = {"id": "c", "type": "custom", "custom": {"name": "sql", "input": "select 1"}}
    assert calls_in(custom) == [("c", "sql", "select 1")]


def test_names_come_back_as_they_were_before_the_wire() -> None:
    names = WireNames(["Utilities.get_time"])
    message = {"content": None, "tool_calls": [function("Utilities_get_time", "{}")]}
    reply = DIALECT.decode(body(message, "tool_calls"), names)
    assert reply.message.tool_calls[0].name == "Utilities.get_time"


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("stop", "stop"),
        ("STOP", "stop"),
        ("eos", "stop"),
        ("length", "length"),
        ("model_length", "length"),
        ("content_filter", "content_filter"),
        ("something_new", "unknown"),
        ("", "unknown"),
        (None, "unknown"),
    ],
)
def test_a_finish_reason_is_told_in_our_words(raw: str | None, reason: str) -> None:
    reply = decode({"content": "x"}, raw)
    assert (reply.finish_reason, reply.finish_reason_raw) == (reason, raw or None)


@pytest.mark.parametrize("raw", ["stop", "", None, "tool_calls", "function_call", "whatever"])
def test_a_reply_with_calls_ended_for_its_calls(raw: str | None) -> None:
    assert decode({"tool_calls": [function("f", "{}")]}, raw).finish_reason == "tool_calls"


def test_a_call_without_the_layer_of_its_function_is_read() -> None:
    assert calls_in({"id": "a", "name": "f", "arguments": {"x": 1}}) == [("a", "f", '{"x":1}')]


def test_an_answer_that_is_spread_over_two_choices_is_put_together() -> None:
    spread = [
        {"message": {"content": "Let me see."}, "finish_reason": "tool_calls"},
        {"message": {"tool_calls": [function("f", "{}")]}, "finish_reason": "tool_calls"},
    ]
    for choices in (spread, spread[::-1]):
        message = DIALECT.decode({"choices": choices}, NAMES).message
        assert (message.text, len(message.tool_calls)) == ("Let me see.", 1)


def test_other_answers_than_the_first_are_left_alone() -> None:
    called = {"message": {"content": "a", "tool_calls": [function("f", "{}")]}}
    reply = DIALECT.decode({"choices": [called, called]}, NAMES)
    assert (reply.message.text, len(reply.message.tool_calls)) == ("a", 1)
    texts = [{"index": at, "message": {"content": str(at)}} for at in (0, 1)]
    assert DIALECT.decode({"choices": texts}, NAMES).message.text == "0"


def test_a_call_that_a_filter_cut_off_is_marked() -> None:
    reply = decode({"tool_calls": [function("f", '{"a": "x')]}, "content_filter")
    assert (reply.finish_reason, reply.message.tool_calls[0].cut_off) == ("content_filter", True)


@pytest.mark.parametrize("raw", ["length", "content_filter", "error"])
def test_calls_do_not_hide_a_bad_end(raw: str) -> None:
    assert decode({"tool_calls": [function("f", "{}")]}, raw).finish_reason == raw


def test_a_call_whose_text_has_no_end_is_cut_off_when_the_reply_was_too_long() -> None:
    listed = [function("f", '{"a": 1}'), function("g", ""), function("h", '{"a": "x')]
    reply = decode({"tool_calls": listed}, "length")
    assert [call.cut_off for call in reply.message.tool_calls] == [False, False, True]


def test_a_last_call_without_any_text_is_cut_off_when_the_reply_was_too_long() -> None:
    reply = decode({"tool_calls": [function("f", "")]}, "length")
    assert reply.message.tool_calls[0].cut_off


def test_a_call_without_arguments_is_whole_though_no_reason_is_given() -> None:
    listed = [function("f", None), function("g", '{"a": ')]
    reply = decode({"tool_calls": listed}, None)
    assert [call.cut_off for call in reply.message.tool_calls] == [False, True]


def test_a_refusal_is_not_an_empty_answer() -> None:
    reply = decode({"content": None, "refusal": "I must not."})
    assert (reply.finish_reason, reply.message.refusal) == ("refusal", "I must not.")


def test_thoughts_among_the_parts_of_a_content_are_not_its_text() -> None:
    content = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "2+2"}]},
        {"type": "text", "text": "4"},
    ]
    message = decode({"content": content}).message
    assert (message.text, message.thinking) == ("4", (Thinking("2+2"),))


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
def test_thoughts_under_a_key_of_the_vendor_are_thinking(key: str) -> None:
    message = decode({"content": "4", key: "2+2"}).message
    assert message.thinking == (Thinking("2+2"),)
    assert message.extras == {"openai-chat": {key: "2+2"}}


def test_thoughts_that_are_told_twice_are_taken_once() -> None:
    details = [{"type": "reasoning.text", "text": "2+2"}]
    message = decode({"content": "", "reasoning": "2+2", "reasoning_details": details}).message
    assert message.thinking == (Thinking("2+2"),)


def test_tokens_are_counted_as_the_provider_does() -> None:
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": 5,
        "total_tokens": 14,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 3},
    }
    assert decode({"content": ""}, usage=usage).usage == Usage(9, 5, 14, 4, None, 3)


@pytest.mark.parametrize("usage", [None, [], {"prompt_tokens": "9", "prompt_tokens_details": None}])
def test_tokens_that_are_not_counted_are_unknown(usage: Any) -> None:
    assert decode({"content": ""}, usage=usage).usage == Usage()


def test_cached_tokens_are_found_where_deepseek_tells_them() -> None:
    usage = {"prompt_tokens": 9, "prompt_cache_hit_tokens": 8}
    assert decode({"content": ""}, usage=usage).usage.cache_read_tokens == 8


def test_what_a_body_tells_of_its_reply_is_kept() -> None:
    reply = decode({"content": "x"}, system_fingerprint="fp_1", service_tier=None)
    assert reply.metadata == {"system_fingerprint": "fp_1"}


@pytest.mark.parametrize(
    "answer",
    [
        {"error": {"message": "no such model", "code": 404}},
        {"error": "no such model"},
        {"object": "error", "message": "no such model", "code": 404},
        body({"content": ""}, None, error={"message": "no such model"}),
        {"choices": [{"error": {"message": "no such model"}, "finish_reason": "error"}]},
    ],
)
def test_an_error_with_status_200_is_an_error(answer: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match="no such model"):
        DIALECT.decode(answer, NAMES)


@pytest.mark.parametrize("answer", [{}, {"choices": []}, {"choices": [None]}, body(None, None)])
def test_a_body_without_a_reply_is_an_error(answer: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match="no choices"):
        DIALECT.decode(answer, NAMES)


def test_a_finish_reason_wins_over_an_error() -> None:
    problem = {"code": 400, "message": "Token limit reached"}
    reply = decode({"content": "x"}, "length", error=problem)
    assert (reply.finish_reason, reply.metadata["error"]) == ("length", problem)

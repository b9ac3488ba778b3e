"""Streamed answers, however a server numbers, names, repeats and ends them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dialects.chat import NAMES, chunk, fragment, plain, streamed, streamed_calls
from toolcrib.chat import TextDelta, ThinkingDelta, ToolCallDelta, ToolCallReady
from toolcrib.dialects.openai_chat import DIALECT
from toolcrib.errors import ModelError, QuotedCall
from toolcrib.messages import AssistantMessage, Thinking, ToolCall


def test_text_comes_in_pieces_and_as_one_reply() -> None:
    reply, deltas = streamed(
        [
            chunk({"role": "assistant", "content": ""}),
            chunk({"content": "Hel"}),
            chunk({"content": "lo"}),
            chunk(finish="stop"),
            {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2}},
        ]
    )
    assert deltas == [TextDelta("Hel"), TextDelta("lo")]
    assert reply.message == AssistantMessage("Hello")
    assert (reply.finish_reason, reply.usage.tokens, reply.id) == ("stop", 3, "reply-1")


def test_a_call_comes_in_pieces_and_is_ready_at_its_end() -> None:
    reply, deltas = streamed(
        [
            fragment(index=0, id="a", name="f", arguments=""),
            fragment(index=0, arguments='{"x"'),
            fragment(index=0, arguments=": 1}"),
            chunk(finish="tool_calls"),
        ]
    )
    call = ToolCall("a", "f", '{"x": 1}')
    assert reply.message.tool_calls == (call,)
    assert deltas == [
        ToolCallDelta(0, "a", "f", ""),
        ToolCallDelta(0, "a", "f", '{"x"'),
        ToolCallDelta(0, "a", "f", ": 1}"),
        ToolCallReady(0, call),
    ]


def test_a_call_is_ready_when_another_begins_and_nothing_can_follow() -> None:
    decoder = DIALECT.stream(NAMES)
    decoder.feed(fragment(index=0, id="a", name="f", arguments='{"x": 1}'))
    deltas = decoder.feed(fragment(index=1, id="b", name="g", arguments=""))
    assert ToolCallReady(0, ToolCall("a", "f", '{"x": 1}')) in deltas


def test_a_call_that_may_go_on_is_not_ready_when_another_begins() -> None:
    decoder = DIALECT.stream(NAMES)
    decoder.feed(fragment(index=0, id="a", name="f", arguments='{"x":'))
    deltas = decoder.feed(fragment(index=1, id="b", name="g", arguments=""))
    assert not any(isinstance(delta, ToolCallReady) for delta in deltas)
    decoder.feed(fragment(index=0, arguments=" 1}"))
    decoder.feed(chunk(finish="tool_calls"))
    calls = decoder.finish().message.tool_calls
    assert [plain(call) for call in calls] == [("a", "f", '{"x": 1}'), ("b", "g", "")]


A = {"id": "a", "name": "f"}
B = {"id": "b", "name": "g"}

CALLS: dict[str, tuple[list[dict[str, Any]], list[tuple[str, str, str]]]] = {
    "the first index is 1": (
        [{"index": 1, **A, "arguments": "{"}, {"index": 1, "arguments": "}"}],
        [("a", "f", "{}")],
    ),
    "no index, one fragment each": (
        [{**A, "arguments": "{}"}, {**B, "arguments": "{}"}],
        [("a", "f", "{}"), ("b", "g", "{}")],
    ),
    "no index, the same tool twice without ids": (
        [{"name": "f", "arguments": '{"x":1}'}, {"name": "f", "arguments": '{"x":2}'}],
        [("", "f", '{"x":1}'), ("", "f", '{"x":2}')],
    ),
    "index null, id and name empty later": (
        [
            {"index": None, **A, "arguments": "{"},
            {"index": None, "id": "", "name": "", "arguments": "}"},
        ],
        [("a", "f", "{}")],
    ),
    "no index, several fragments": (
        [{**A, "arguments": "{"}, {"arguments": "}"}, {**B, "arguments": "{}"}],
        [("a", "f", "{}"), ("b", "g", "{}")],
    ),
    "one index for different calls, each whole": (
        [{"index": 0, **A, "arguments": "{}"}, {"index": 0, **B, "arguments": "{}"}],
        [("a", "f", "{}"), ("b", "g", "{}")],
    ),
    "one index for different calls, in fragments": (
        [
            {"index": 0, **A, "arguments": "{"},
            {"index": 0, "arguments": "}"},
            {"index": 0, **B, "arguments": "{"},
            {"index": 0, "arguments": "}"},
        ],
        [("a", "f", "{}"), ("b", "g", "{}")],
    ),
    "one index, fragments told apart by id": (
        [
            {"index": 0, **A, "arguments": "{"},
            {"index": 0, **B, "arguments": "{"},
            {"index": 0, "id": "a", "arguments": '"x":1}'},
            {"index": 0, "id": "b", "arguments": '"y":2}'},
        ],
        [("a", "f", '{"x":1}'), ("b", "g", '{"y":2}')],
    ),
    "one index and one weak id for different tools": (
        [
            {"index": 0, "id": "0", "name": "f", "arguments": "{}"},
            {"index": 0, "id": "0", "name": "g", "arguments": "{}"},
        ],
        [("0", "f", "{}"), ("0", "g", "{}")],
    ),
    "one weak id under two indexes": (
        [
            {"index": 0, "id": "0", "name": "f", "arguments": "{}"},
            {"index": 1, "id": "0", "name": "f", "arguments": "{}"},
        ],
        [("0", "f", "{}"), ("0", "f", "{}")],
    ),
    "id and name repeated in every fragment": (
        [
            {"index": 0, **A, "arguments": '{"x'},
            {"index": 0, **A, "arguments": '": 1'},
            {"index": 0, **A, "arguments": "}"},
            {"index": 0, **A, "arguments": ""},
        ],
        [("a", "f", '{"x": 1}')],
    ),
    "a new id for every fragment": (
        [
            {"index": 0, **A, "arguments": "{"},
            {"index": 0, "id": "a2", "arguments": '"x"'},
            {"index": 0, "id": "a3", "name": None, "arguments": ":1}"},
        ],
        [("a", "f", '{"x":1}')],
    ),
    "interleaved by index": (
        [
            {"index": 0, **A, "arguments": "{"},
            {"index": 1, **B, "arguments": "{"},
            {"index": 0, "arguments": '"x":1}'},
            {"index": 1, "arguments": '"y":2}'},
        ],
        [("a", "f", '{"x":1}'), ("b", "g", '{"y":2}')],
    ),
    "the name first, the id later": (
        [
            {"index": 0, "name": "f", "arguments": ""},
            {"index": 0, "id": "a", "arguments": "{}"},
        ],
        [("a", "f", "{}")],
    ),
    "the id first, the name later": (
        [{"index": 0, "id": "a"}, {"index": 0, "name": "f"}, {"index": 0, "arguments": "{}"}],
        [("a", "f", "{}")],
    ),
    "a name in pieces": (
        [
            {"index": 0, "id": "a", "name": "get_", "arguments": ""},
            {"index": 0, "name": "weather", "arguments": ""},
            {"index": 0, "arguments": "{}"},
        ],
        [("a", "get_weather", "{}")],
    ),
    "a whole call that is told again": (
        [{"index": 0, **A, "arguments": '{"x":1}'}, {"index": 0, **A, "arguments": '{"x":1}'}],
        [("a", "f", '{"x":1}')],
    ),
    "whole calls without an index that are told again": (
        [
            {**A, "arguments": "{}"},
            {**B, "arguments": "{}"},
            {**A, "arguments": "{}"},
            {**B, "arguments": "{}"},
        ],
        [("a", "f", "{}"), ("b", "g", "{}")],
    ),
    "ids that are numbers, told again": (
        [{"id": -3, "name": "f", "arguments": "{}"}, {"id": -3, "name": "f", "arguments": "{}"}],
        [("-3", "f", "{}")],
    ),
    "a negative index": ([{"index": -1, **A, "arguments": "{}"}], [("a", "f", "{}")]),
    "arguments null": ([{"index": 0, **A, "arguments": None}], [("a", "f", "")]),
    "arguments absent": ([{"index": 0, **A}], [("a", "f", "")]),
    "arguments as an object": ([{"index": 0, **A, "arguments": {"x": 1}}], [("a", "f", '{"x":1}')]),
    "ids empty": (
        [
            {"index": 0, "id": "", "name": "f", "arguments": "{}"},
            {"index": 1, "id": "", "name": "f", "arguments": "{}"},
        ],
        [("", "f", "{}"), ("", "f", "{}")],
    ),
    "a shell beside a real call": (
        [{"index": 0, **A, "arguments": "{}"}, {"index": 1, "id": "", "name": "", "arguments": ""}],
        [("a", "f", "{}")],
    ),
    "a zero-valued custom call beside a function": (
        [{"index": 0, **A, "arguments": "{}", "custom": {"name": "", "input": ""}}],
        [("a", "f", "{}")],
    ),
}


@pytest.mark.parametrize("same", [{}, {"index": 0}, {"id": "0"}, {"index": 0, "id": "0"}])
@pytest.mark.parametrize("arguments", ["", "{}", '{"x":1}', None])
def test_names_in_one_event_are_calls_of_their_own(same: dict[str, Any], arguments: Any) -> None:
    named = [{**same, "function": {"name": name, "arguments": arguments}} for name in "ffg"]
    calls = streamed_calls(chunk({"tool_calls": named}))
    assert calls == [(same.get("id", ""), name, arguments or "") for name in "ffg"]


def test_calls_that_all_events_repeat_the_names_of_are_told_apart_by_index() -> None:
    def both(first: str, second: str) -> dict[str, Any]:
        return chunk(
            {
                "tool_calls": [
                    {"index": 0, "id": "a", "function": {"name": "f", "arguments": first}},
                    {"index": 1, "id": "b", "function": {"name": "f", "arguments": second}},
                ]
            }
        )

    assert streamed_calls(both('{"x"', '{"y"'), both(":1}", ":2}")) == [
        ("a", "f", '{"x":1}'),
        ("b", "f", '{"y":2}'),
    ]


def test_a_call_without_the_layer_of_its_function_is_read() -> None:
    calls = streamed_calls(
        chunk({"tool_calls": [{"index": 0, "id": "a", "name": "f", "arguments": '{"x"'}]}),
        chunk({"tool_calls": [{"index": 0, "arguments": ":1}"}]}),
    )
    assert calls == [("a", "f", '{"x":1}')]


@pytest.mark.parametrize(("fragments", "calls"), CALLS.values(), ids=CALLS)
def test_calls_are_put_together(
    fragments: list[dict[str, Any]], calls: list[tuple[str, str, str]]
) -> None:
    assert streamed_calls(*(fragment(**one) for one in fragments)) == calls


@pytest.mark.parametrize(("fragments", "calls"), CALLS.values(), ids=CALLS)
def test_deltas_of_calls_join_to_the_calls(
    fragments: list[dict[str, Any]], calls: list[tuple[str, str, str]]
) -> None:
    _, deltas = streamed(fragment(**one) for one in fragments)
    joined = ["" for _ in calls]
    for delta in deltas:
        if isinstance(delta, ToolCallDelta):
            joined[delta.index] += delta.arguments
    assert joined == [arguments for _, _, arguments in calls]


def test_a_custom_call_holds_its_free_text() -> None:
    def custom(**keys: Any) -> dict[str, Any]:
        return chunk({"tool_calls": [{"index": 0, "custom": keys}]})

    named = chunk({"tool_calls": [{"index": 0, "id": "c", "custom": {"name": "sql"}}]})
    calls = streamed_calls(named, custom(input="select"), custom(input=" 1"))
    assert calls == [("c", "sql", "select 1")]


def test_the_old_function_call_is_a_call_without_id() -> None:
    calls = streamed_calls(
        chunk({"function_call": {"name": "f", "arguments": ""}}),
        chunk({"function_call": {"arguments": '{"x"'}}),
        chunk({"function_call": {"arguments": ":1}"}}),
    )
    assert calls == [("", "f", '{"x":1}')]


@pytest.mark.parametrize("finish", ["", None])
def test_a_stream_without_a_finish_reason_ended_for_its_calls(finish: str | None) -> None:
    reply, _ = streamed([fragment(id="0", name="f", arguments=None), chunk(finish=finish)])
    assert (reply.finish_reason, reply.finish_reason_raw) == ("tool_calls", None)
    assert reply.message.tool_calls == (ToolCall("0", "f", ""),)


def test_an_empty_finish_reason_does_not_undo_a_real_one() -> None:
    reply, _ = streamed([chunk({"content": "x"}, "length"), chunk(finish="")])
    assert reply.finish_reason == "length"


def test_a_call_is_cut_off_when_the_reply_is_too_long() -> None:
    reply, deltas = streamed(
        [fragment(index=0, id="a", name="f", arguments='{"x": "y'), chunk(finish="length")]
    )
    assert reply.finish_reason == "length"
    assert reply.message.tool_calls == (ToolCall("a", "f", '{"x": "y', cut_off=True),)
    assert not any(isinstance(delta, ToolCallReady) for delta in deltas)


def test_calls_of_a_broken_stream_are_cut_off() -> None:
    events = [
        fragment(index=0, id="a", name="f", arguments="{}"),
        fragment(index=1, id="b", name="g", arguments='{"x'),
    ]
    reply, _ = streamed(events, broken=True)
    assert reply.finish_reason == "error"
    assert [call.cut_off for call in reply.message.tool_calls] == [False, True]


def test_text_of_a_broken_stream_is_kept() -> None:
    reply, _ = streamed([chunk({"content": "Hel"})], broken=True)
    assert (reply.finish_reason, reply.message.text) == ("error", "Hel")


def test_a_stream_that_breaks_after_its_finish_reason_is_whole() -> None:
    reply, _ = streamed([chunk({"content": "x"}), chunk(finish="stop")], broken=True)
    assert reply.finish_reason == "stop"


@pytest.mark.parametrize(
    "events", [[], [chunk({"role": "assistant", "content": ""})], [chunk({"reasoning": "hm"})]]
)
def test_a_broken_stream_without_anything_to_use_may_be_tried_again(events: list[Any]) -> None:
    with pytest.raises(ModelError) as raised:
        streamed(events, broken=True)
    assert raised.value.retryable


def test_a_stream_without_any_choice_is_an_error() -> None:
    with pytest.raises(ModelError, match="no choices"):
        streamed([{"choices": []}])


@pytest.mark.parametrize(
    "event",
    [
        {"error": {"message": "overloaded", "code": 503}},
        {"error": "overloaded"},
        {"object": "error", "message": "overloaded", "code": 503},
        chunk({"content": ""}, "error", error={"message": "overloaded", "code": 503}),
        {"choices": [{"delta": {}, "error": {"message": "overloaded"}, "finish_reason": "error"}]},
        {"choices": [], "x_groq": {"id": "r", "error": "overloaded"}},
        {"message": "overloaded", "type": "server_error"},
        {"detail": "overloaded"},
    ],
)
def test_an_error_before_anything_to_use_is_raised(event: dict[str, Any]) -> None:
    decoder = DIALECT.stream(NAMES)
    decoder.feed(chunk({"reasoning": "hm"}))
    with pytest.raises(ModelError, match="overloaded"):
        decoder.feed(event)


def test_a_refused_call_is_quoted_by_an_error_in_the_stream() -> None:
    problem = {"code": "tool_use_failed", "failed_generation": '{"name":"f","arguments":{"x":1}}'}
    with pytest.raises(ModelError) as raised:
        streamed([chunk({"reasoning": "hm"}), {"error": problem}])
    assert raised.value.quoted_calls == (QuotedCall("f", '{"x":1}'),)


def test_an_error_after_text_keeps_the_text() -> None:
    reply, _ = streamed([chunk({"content": "Hel"}), {"error": {"message": "overloaded"}}])
    assert (reply.finish_reason, reply.message.text) == ("error", "Hel")
    assert reply.metadata["error"] == {"message": "overloaded"}


def test_a_finish_reason_wins_over_an_error_in_the_same_event() -> None:
    reply, _ = streamed([chunk({"content": ""}, "length", error={"message": "Token limit"})])
    assert (reply.finish_reason, reply.metadata["error"]) == ("length", {"message": "Token limit"})


def test_a_refusal_is_not_an_empty_answer() -> None:
    reply, _ = streamed(
        [chunk({"refusal": "I must"}), chunk({"refusal": " not."}), chunk(finish="stop")]
    )
    assert (reply.finish_reason, reply.message.refusal) == ("refusal", "I must not.")


def test_thoughts_are_shown_and_kept_for_the_vendor() -> None:
    reply, deltas = streamed(
        [
            chunk({"content": None, "reasoning_content": ""}),
            chunk({"reasoning_content": "2+"}),
            chunk({"reasoning_content": "2"}),
            chunk({"content": "4"}, "stop"),
        ]
    )
    assert deltas == [ThinkingDelta("2+"), ThinkingDelta("2"), TextDelta("4")]
    assert reply.message.thinking == (Thinking("2+2"),)
    assert reply.message.extras == {"openai-chat": {"reasoning_content": "2+2"}}


def test_an_empty_thought_is_kept_for_the_vendor_who_wants_it_back() -> None:
    reply, _ = streamed([chunk({"content": "4", "reasoning_content": ""}, "stop")])
    assert reply.message.extras == {"openai-chat": {"reasoning_content": ""}}
    assert reply.message.thinking == ()


def test_details_of_thoughts_are_put_together() -> None:
    def detail(**keys: Any) -> dict[str, Any]:
        return chunk({"reasoning_details": [{"index": 0, "type": "reasoning.text", **keys}]})

    sealed = {"type": "reasoning.encrypted", "data": "abc"}
    reply, _ = streamed(
        [
            detail(text="2+"),
            detail(text="2"),
            detail(signature="s"),
            chunk({"reasoning_details": [sealed]}),
            chunk({"content": "4"}, "stop"),
        ]
    )
    whole = {"index": 0, "type": "reasoning.text", "text": "2+2", "signature": "s"}
    assert reply.message.extras == {"openai-chat": {"reasoning_details": [whole, sealed]}}
    assert reply.message.thinking == (Thinking("2+2"),)


def test_thoughts_among_the_parts_of_a_content_are_not_its_text() -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "2+2"}]}
    reply, deltas = streamed(
        [chunk({"content": [thought]}), chunk({"content": "4"}), chunk(finish="stop")]
    )
    assert deltas == [ThinkingDelta("2+2"), TextDelta("4")]
    assert (reply.message.text, reply.message.thinking) == ("4", (Thinking("2+2"),))
    kept = reply.message.extras["openai-chat"]["content"]
    assert kept == [thought, {"type": "text", "text": "4"}]


def test_usage_is_found_where_groq_puts_it() -> None:
    usage = {"queue_time": 0.1, "prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
    reply, _ = streamed([chunk({"content": "x"}, "stop", x_groq={"id": "r", "usage": usage})])
    assert reply.usage.tokens == 7


def test_usage_is_found_in_a_choice_and_not_lost_to_a_later_nought() -> None:
    last = chunk(finish="stop")
    last["choices"][0]["usage"] = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
    reply, _ = streamed([chunk({"content": "a"}), last])
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (1, 2)
    reply, _ = streamed([last, {"choices": [], "usage": {"prompt_tokens": 0, "total_tokens": 0}}])
    assert reply.usage.total_tokens == 3


def test_only_the_first_of_several_answers_is_taken() -> None:
    def said(index: int, text: str, reason: str | None = None) -> dict[str, Any]:
        choice = {"index": index, "delta": {"content": text}, "finish_reason": reason}
        return {"choices": [choice]}

    reply, _ = streamed([said(0, "a"), said(1, "B"), said(0, "b", "stop"), said(1, "C", "length")])
    assert (reply.message.text, reply.finish_reason) == ("ab", "stop")


def test_an_answer_that_is_spread_over_choices_of_one_event_is_put_together() -> None:
    called = {"id": "a", "function": {"name": "f", "arguments": "{}"}}
    choices = [
        {"index": 0, "delta": {"content": "Let me see."}},
        {"index": 0, "delta": {"tool_calls": [called]}, "finish_reason": "tool_calls"},
    ]
    reply, _ = streamed([{"choices": choices}])
    assert reply.message.text == "Let me see."
    assert [plain(call) for call in reply.message.tool_calls] == [("a", "f", "{}")]


def test_a_message_that_repeats_the_whole_text_at_the_end_adds_nothing() -> None:
    choice = {"index": 0, "delta": {}, "message": {"content": "ab"}, "finish_reason": "stop"}
    reply, _ = streamed([chunk({"content": "ab"}), {"choices": [choice]}])
    assert reply.message.text == "ab"


def test_a_whole_reply_may_come_as_one_event() -> None:
    choice = {"index": 0, "message": {"content": "ab"}, "finish_reason": "stop"}
    reply, _ = streamed([{"object": "chat.completion", "choices": [choice]}])
    assert (reply.message.text, reply.finish_reason) == ("ab", "stop")


def test_events_that_say_nothing_are_passed_over() -> None:
    reply, deltas = streamed(
        [{}, {"type": "ping"}, {"choices": []}, chunk({"content": "x"}, "stop")]
    )
    assert (reply.message.text, deltas) == ("x", [TextDelta("x")])

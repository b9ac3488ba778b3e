"""Calls and results stay paired, whatever was handed in."""

from toolcrib.loop.pairing import paired, with_own_ids
from toolcrib.messages import AssistantMessage, Text, ToolCall, ToolResult, UserMessage


def _call(id: str, **more: bool) -> ToolCall:
    return ToolCall(id, "t", "{}", **more)


def _result(id: str) -> ToolResult:
    return ToolResult(id, "t", (Text("ok"),))


def test_a_valid_history_comes_back_as_it_is() -> None:
    messages = [
        UserMessage("hi"),
        AssistantMessage(tool_calls=(_call("a"), _call("b"))),
        _result("a"),
        _result("b"),
        AssistantMessage("done"),
    ]
    assert paired(messages) == messages


def test_an_unanswered_call_is_answered_before_the_next_message() -> None:
    whole = paired(
        [
            AssistantMessage(tool_calls=(_call("a"), _call("b"))),
            _result("b"),
            UserMessage("and now?"),
        ]
    )
    assert [type(m).__name__ for m in whole] == [
        "AssistantMessage",
        "ToolResult",
        "ToolResult",
        "UserMessage",
    ]
    lost = whole[1]
    assert isinstance(lost, ToolResult)
    assert lost.call_id == "a"
    assert lost.is_error


def test_an_unanswered_call_at_the_end_is_answered() -> None:
    assert isinstance(paired([AssistantMessage(tool_calls=(_call("a"),))])[-1], ToolResult)


def test_a_result_without_a_call_is_left_out() -> None:
    assert paired([UserMessage("hi"), _result("x")]) == [UserMessage("hi")]


def test_a_second_result_for_one_call_is_left_out() -> None:
    messages = [AssistantMessage(tool_calls=(_call("a"),)), _result("a")]
    assert paired([*messages, _result("a")]) == messages


def test_a_call_that_the_provider_ran_itself_wants_no_result() -> None:
    messages = [AssistantMessage(tool_calls=(_call("s", server_side=True),)), UserMessage("go on")]
    assert paired(messages) == messages


def test_what_was_handed_in_is_not_changed() -> None:
    messages = [AssistantMessage(tool_calls=(_call("a"),))]
    paired(messages)
    assert messages == [AssistantMessage(tool_calls=(_call("a"),))]


def test_empty_and_repeated_ids_of_one_reply_become_ids_of_their_own() -> None:
    calls = with_own_ids([_call(""), _call("0"), _call("0"), _call("call_7_2")], 7)
    ids = [call.id for call in calls]
    assert len(set(ids)) == 4
    assert ids[1] == "0"
    assert ids[3] == "call_7_2"
    assert all(ids)


def test_ids_that_are_fine_are_kept() -> None:
    calls = (_call("a"), _call("b"))
    assert with_own_ids(calls, 3) == calls


def test_the_same_reply_always_gets_the_same_ids() -> None:
    assert with_own_ids([_call(""), _call("")], 4) == with_own_ids([_call(""), _call("")], 4)


def test_results_are_put_in_the_order_of_their_calls() -> None:
    asked = AssistantMessage(tool_calls=(_call("a"), _call("b")))
    assert paired([asked, _result("b"), _result("a")]) == [asked, _result("a"), _result("b")]


def test_a_result_bears_the_name_of_its_call() -> None:
    asked = AssistantMessage(tool_calls=(_call("a"),))
    misnamed = ToolResult("a", "another", (Text("ok"),))
    assert paired([asked, misnamed]) == [asked, _result("a")]


def test_calls_without_ids_of_their_own_get_them_and_keep_their_results() -> None:
    first, second = (ToolResult("", "t", (Text(text),)) for text in ("one", "two"))
    asked, *results = paired([AssistantMessage(tool_calls=(_call(""), _call(""))), first, second])
    assert isinstance(asked, AssistantMessage)
    ids = [call.id for call in asked.tool_calls]
    assert len(set(ids)) == 2
    assert all(ids)
    assert [(r.call_id, r.text) for r in results if isinstance(r, ToolResult)] == [
        (ids[0], "one"),
        (ids[1], "two"),
    ]

"""A scripted model answers as its script says, streaming or not, and counts what is asked."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import Any

import pytest

from toolcrib.chat import (
    ChatModel,
    ChatReply,
    ChatRequest,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallReady,
    Usage,
)
from toolcrib.errors import ModelError
from toolcrib.messages import AssistantMessage, History, Message, Thinking, ToolCall, UserMessage
from toolcrib.testing import (
    ScriptedModel,
    ScriptExhausted,
    UnusedSteps,
    call,
    fail,
    say,
    think,
    turn,
)


async def items_of(
    model: ChatModel, *, stream: bool = False, messages: Sequence[Message] = (UserMessage("Hi"),)
) -> list[Any]:
    async with aclosing(model.reply(ChatRequest(messages, stream=stream))) as replying:
        return [item async for item in replying]


async def reply_of(model: ChatModel, **kwargs: Any) -> ChatReply:
    last = (await items_of(model, **kwargs))[-1]
    assert isinstance(last, ChatReply)
    return last


def test_it_is_a_chat_model() -> None:
    assert isinstance(ScriptedModel(), ChatModel)


async def test_steps_answer_one_request_each_in_order() -> None:
    with ScriptedModel().call("add", {"a": 1, "b": 2}).say("Three.") as model:
        first, second = await reply_of(model), await reply_of(model)
    assert first.message.tool_calls == (ToolCall("call_0_0", "add", '{"a": 1, "b": 2}'),)
    assert first.finish_reason == "tool_calls"
    assert (second.message.text, second.finish_reason) == ("Three.", "stop")


EVERY_KIND = {
    "a text": say("It rains in Oslo."),
    "a bare text": "It rains.",
    "a text in fragments": say("It ra", "ins"),
    "a call": call("add", {"a": 1}),
    "a call in fragments": call("add", fragments=['{"a"', ": 1", "}"]),
    "a call without arguments": call("now"),
    "broken arguments": call("add", '{"a": '),
    "several calls and a text": turn("Let me see.", call("a", {"x": 1}), call("b", id="mine")),
    "a list of pieces": ["Let me see.", call("a")],
    "a thought": turn(think("Oslo, hm", signature="s"), "It rains."),
    "a cut-off call": call("add", '{"a": 1', cut_off=True),
    "a cut-off text": turn("It ra", finish_reason="length"),
    "a refusal": turn(refusal="I will not."),
    "nothing": turn(),
    "a ready reply": ChatReply(AssistantMessage("Word for word."), id="r1", usage=Usage(1, 2)),
    "a function": lambda request: say(request.messages[-1].text),
}


@pytest.mark.parametrize("step", EVERY_KIND.values(), ids=EVERY_KIND.keys())
async def test_a_step_means_the_same_streamed_or_not(step: Any) -> None:
    (whole,) = await items_of(ScriptedModel([step]))
    *deltas, last = await items_of(ScriptedModel([step]), stream=True)

    assert last == whole
    assert "".join(d.text for d in deltas if isinstance(d, TextDelta)) == whole.message.text
    thoughts = "".join(thought.text for thought in whole.message.thinking)
    assert "".join(d.text for d in deltas if isinstance(d, ThinkingDelta)) == thoughts
    for index, wanted in enumerate(whole.message.tool_calls):
        pieces = [d for d in deltas if isinstance(d, ToolCallDelta) and d.index == index]
        assert (pieces[0].id, pieces[0].name) == (wanted.id, wanted.name)
        assert "".join(piece.arguments for piece in pieces) == wanted.arguments
    ready = [d.call for d in deltas if isinstance(d, ToolCallReady)]
    assert ready == [one for one in whole.message.tool_calls if not one.cut_off]


async def test_chosen_fragments_are_streamed_as_they_are() -> None:
    model = ScriptedModel([turn(say("It ra", "ins."), call("f", fragments=["{", "}"], id="c"))])
    *deltas, _ = await items_of(model, stream=True)
    assert deltas == [
        TextDelta("It ra"),
        TextDelta("ins."),
        ToolCallDelta(0, "c", "f", ""),
        ToolCallDelta(0, None, None, "{"),
        ToolCallDelta(0, None, None, "}"),
        ToolCallReady(0, ToolCall("c", "f", "{}")),
    ]


async def test_deltas_may_be_dictated() -> None:
    dictated = [ToolCallDelta(1, "b", "f", "{}"), ToolCallDelta(0, "a", "f", "{}")]
    model = ScriptedModel([turn(call("f", id="a"), call("f", id="b"), deltas=dictated)])
    assert (await items_of(model, stream=True))[:-1] == dictated


@pytest.mark.parametrize(
    ("step", "finish_reason"),
    [
        (say("x"), "stop"),
        (call("f"), "tool_calls"),
        (turn(call("f"), call("g", "{", cut_off=True)), "length"),
        (turn(refusal="no"), "refusal"),
        (turn(call("f"), finish_reason="stop"), "stop"),
    ],
)
async def test_the_finish_reason_fits_the_reply_unless_it_is_given(
    step: Any, finish_reason: str
) -> None:
    assert (await reply_of(ScriptedModel([step]))).finish_reason == finish_reason


async def test_usage_and_thoughts_arrive_in_the_reply() -> None:
    model = ScriptedModel().turn(think("a", "b", signature="sig"), "x", usage=Usage(10, 3))
    reply = await reply_of(model)
    assert reply.usage == Usage(10, 3)
    assert reply.message.thinking == (Thinking("ab", "sig"),)


async def test_an_error_is_raised_after_what_was_streamed_before_it() -> None:
    model = ScriptedModel().fail(ModelError("gone", status=503), say("One ", "two "), call("f"))
    replying = model.reply(ChatRequest((), stream=True))
    seen = [await anext(replying) for _ in range(5)]
    assert seen[:2] == [TextDelta("One "), TextDelta("two ")]
    assert isinstance(seen[-1], ToolCallDelta)
    assert isinstance(await anext(replying), ToolCallReady)
    with pytest.raises(ModelError, match="gone"):
        await anext(replying)


@pytest.mark.parametrize("step", [fail(KeyError("x"), "a text"), KeyError("x")])
async def test_without_streaming_an_error_is_all_there_is(step: Any) -> None:
    with pytest.raises(KeyError):
        await items_of(ScriptedModel([step]))


async def test_a_function_may_be_async_and_wait_for_the_test() -> None:
    gate = asyncio.Event()

    async def wait(request: ChatRequest) -> Any:
        await gate.wait()
        return say(f"You said {request.messages[0].text}.")  # type: ignore[union-attr]

    asking = asyncio.create_task(reply_of(ScriptedModel([wait])))
    await asyncio.sleep(0)
    assert not asking.done()
    gate.set()
    assert (await asking).message.text == "You said Hi."


async def test_forever_answers_whatever_comes_after_the_script() -> None:
    with ScriptedModel([say("first")], forever=call("again")) as model:
        assert (await reply_of(model)).message.text == "first"
        ids = [(await reply_of(model)).message.tool_calls[0].id for _ in range(3)]
    assert len(set(ids)) == 3


async def test_requests_keep_their_messages_as_they_were() -> None:
    history = History([UserMessage("one")])
    model = ScriptedModel(forever="ok")
    await reply_of(model, messages=history)
    history.append(UserMessage("two"))
    await reply_of(model, messages=history.view())
    assert model.requests[0].messages == (UserMessage("one"),)
    assert model.requests[1].messages == (UserMessage("one"), UserMessage("two"))


async def test_unused_steps_are_complained_about() -> None:
    model = ScriptedModel().say("one").say("never asked")
    await reply_of(model)
    with pytest.raises(UnusedSteps, match=r"2 steps, and 1 were asked for.*never"):
        model.check()
    with pytest.raises(UnusedSteps), model:
        pass


async def test_an_error_in_the_block_is_not_hidden_by_unused_steps() -> None:
    with pytest.raises(ZeroDivisionError), ScriptedModel(["unused"]):
        raise ZeroDivisionError


async def test_running_out_of_steps_names_the_round_and_is_remembered() -> None:
    model = ScriptedModel(["only"])
    await reply_of(model)
    with pytest.raises(ScriptExhausted, match=r"1 steps.*round 1 .*'Hi'"):
        await reply_of(model)
    with pytest.raises(ScriptExhausted):
        model.check()


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: ScriptedModel([42]),  # type: ignore[list-item]
        lambda: ScriptedModel().then(None),  # type: ignore[arg-type]
        lambda: turn(42),  # type: ignore[arg-type]
        lambda: call("f", {}, fragments=["{}"]),
    ],
)
def test_a_script_without_meaning_is_refused_where_it_is_written(wrong: Callable[[], Any]) -> None:
    with pytest.raises(TypeError):
        wrong()


def test_threads_with_their_own_event_loops_share_a_script() -> None:
    model = ScriptedModel([str(number) for number in range(80)])
    said: list[str] = []

    async def ask_ten() -> None:
        said.extend([(await reply_of(model)).message.text for _ in range(10)])

    threads = [threading.Thread(target=lambda: asyncio.run(ask_ten())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    model.check()
    assert sorted(said, key=int) == [str(number) for number in range(80)]


async def test_closing_is_counted() -> None:
    model = ScriptedModel()
    await model.close()
    assert model.closed == 1


async def test_a_scripted_model_shows_how_far_it_is() -> None:
    model = ScriptedModel(["one", "two"])
    await reply_of(model)
    assert repr(model) == "<ScriptedModel 'scripted': asked 1 times, has 2 steps>"


def test_histories_show_how_long_they_are() -> None:
    history = History([UserMessage("a secret"), UserMessage("b")])
    assert repr(history) == "<History of 2 messages>"
    assert repr(history.view(1)) == "<HistoryView of 1 messages>"

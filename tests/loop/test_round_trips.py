"""The loop by itself: which question follows which answer, and that nothing is lost in between."""

from __future__ import annotations

from typing import Any

import pytest

from toolcrib.chat import ChatReply
from toolcrib.loop.ledger import LoopPolicy
from toolcrib.loop.limits import Limits
from toolcrib.loop.outcome import Outcome, RunInterrupted
from toolcrib.loop.questions import AskModel, PrepareRound, RoundPlan, RunCalls
from toolcrib.loop.round_trips import round_trips
from toolcrib.messages import AssistantMessage, History, Text, ToolCall, ToolResult, UserMessage
from toolcrib.testing.complaints import check_pairing
from toolcrib.tools.execution import ToolExecution

USER = UserMessage("go")
CALLS = AssistantMessage(tool_calls=(ToolCall("a", "t", "{}"), ToolCall("b", "t", "{}")))


def _begin(limits: Limits = Limits()) -> tuple[Any, PrepareRound]:
    loop = round_trips(History([USER]), 0, LoopPolicy(limits=limits))
    first = next(loop)
    assert isinstance(first, PrepareRound)
    return loop, first


def _answered(question: RunCalls) -> tuple[ToolExecution, ...]:
    return tuple(
        ToolExecution(one, result=ToolResult(one.id, one.name, (Text("ok"),)), state="committed")
        for one in question.calls
    )


def _end(loop: Any, answer: Any = None, error: Exception | None = None) -> Outcome[str]:
    with pytest.raises(StopIteration) as stopped:
        loop.send(answer) if error is None else loop.throw(error)
    outcome: Outcome[str] = stopped.value.value
    check_pairing(outcome.messages)
    return outcome


def test_a_round_is_prepared_asked_and_run_and_the_last_question_is_the_writing() -> None:
    loop, first = _begin()
    assert first == PrepareRound((USER,))
    asked = loop.send(RoundPlan())
    assert isinstance(asked, AskModel)
    assert list(asked.request.messages) == [USER]
    run = loop.send(ChatReply(CALLS, "tool_calls"))
    assert isinstance(run, RunCalls)
    assert (run.round, run.calls) == (0, CALLS.tool_calls)
    second = loop.send(_answered(run))
    assert isinstance(second, PrepareRound)
    assert [type(m) for m in second.changes] == [AssistantMessage, ToolResult, ToolResult]
    loop.send(RoundPlan())
    last = loop.send(ChatReply(AssistantMessage("done")))
    assert last == PrepareRound((AssistantMessage("done"),), last=True)
    assert _end(loop, RoundPlan()).stop == "answered"


@pytest.mark.parametrize("at", ["prepare", "ask"])
def test_an_interruption_closes_the_round_and_offers_what_is_not_written_yet(at: str) -> None:
    loop, _ = _begin()
    if at == "ask":
        loop.send(RoundPlan())
    last = loop.throw(RunInterrupted("cancelled", "why"))
    assert last == PrepareRound((USER,) if at == "prepare" else (), last=True)
    outcome = _end(loop, RoundPlan())
    assert (outcome.stop, outcome.reason) == ("cancelled", "why")


def test_a_round_that_was_run_is_offered_again_when_its_writing_was_interrupted() -> None:
    loop, _ = _begin()
    loop.send(RoundPlan())
    writing = loop.send(_answered(loop.send(ChatReply(CALLS, "tool_calls"))))
    last = loop.throw(RunInterrupted("failed"))
    assert last.last
    assert last.changes == writing.changes


def test_the_last_writing_may_be_interrupted_too() -> None:
    loop, _ = _begin()
    loop.send(RoundPlan())
    loop.send(ChatReply(AssistantMessage("done")))
    outcome = _end(loop, error=RunInterrupted("failed", "no disk"))
    assert (outcome.stop, outcome.reason) == ("failed", "no disk")
    assert outcome.messages[-1] == AssistantMessage("done")


def test_a_plan_may_stop_the_run_and_what_it_inserts_is_kept() -> None:
    loop, _ = _begin()
    last = loop.send(RoundPlan(insert=(UserMessage("by the way"),), stop="cancelled"))
    assert last == PrepareRound((UserMessage("by the way"),), last=True)
    assert _end(loop, RoundPlan()).stop == "cancelled"


@pytest.mark.parametrize(
    ("bounds", "stop"),
    [
        (Limits(model_calls=1), "limit:model_calls"),
        (Limits(tool_calls=1), "limit:tool_calls"),
    ],
)
def test_calls_beyond_a_limit_are_answered_in_the_same_round(bounds: Limits, stop: str) -> None:
    loop, _ = _begin(bounds)
    loop.send(RoundPlan())
    last = loop.send(ChatReply(CALLS, "tool_calls"))
    assert isinstance(last, PrepareRound)
    assert last.last
    assert [type(m) for m in last.changes] == [AssistantMessage, ToolResult, ToolResult]
    outcome = _end(loop, RoundPlan())
    assert outcome.stop == stop
    assert [e.fault for e in outcome.tool_executions] == ["limit", "limit"]


def test_a_request_is_a_view_that_does_not_grow_with_the_history() -> None:
    loop, _ = _begin()
    asked = loop.send(RoundPlan())
    loop.send(ChatReply(CALLS, "tool_calls"))
    assert list(asked.request.messages) == [USER]


def test_the_same_answers_always_give_the_same_outcome() -> None:
    def once() -> Outcome[str]:
        loop, _ = _begin()
        loop.send(RoundPlan())
        nameless = AssistantMessage(tool_calls=(ToolCall("", "t", "{}"), ToolCall("", "t", "{}")))
        loop.send(_answered(loop.send(ChatReply(nameless, "tool_calls"))))
        loop.send(RoundPlan())
        loop.send(ChatReply(AssistantMessage("done")))
        return _end(loop, RoundPlan())

    assert once() == once()

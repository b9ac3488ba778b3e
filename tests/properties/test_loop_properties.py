"""Whatever a model says: requests are valid, every call is answered once and in order, runs agree."""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.effort import examples
from tests.kinds import _KINDS
from toolcrib.agent import Agent
from toolcrib.chat import ChatRequest, Usage
from toolcrib.dialects.registry import find_dialect
from toolcrib.errors import ToolError
from toolcrib.loop.limits import Limits
from toolcrib.loop.outcome import Outcome, RunAborted
from toolcrib.messages import AssistantMessage, Image, Message, ToolCall, ToolResult, UserMessage
from toolcrib.schema.names import WireNames
from toolcrib.testing import ScriptedModel, call, turn
from toolcrib.testing.complaints import UnusedSteps, check_pairing
from toolcrib.tools.definition import ReturnBehavior
from toolcrib.tools.function import tool
from toolcrib.tools.signals import FatalToolError, RetryCall, ReturnNow


@tool
def add(a: int, b: int = 1) -> int:
    """Add."""
    return a + b


@tool
async def late(a: int = 0) -> int:
    """Be done after a while; in what order calls end, depends on it."""
    for _ in range(abs(a) % 20):
        await asyncio.sleep(0)
    return a


@tool
def big(letter: str = "x") -> str:
    """A large result."""
    return letter * 3_000


@tool(returns=ReturnBehavior.IMMEDIATE)
def final(a: int = 0) -> int:
    """Return at once."""
    return a


@tool
def several() -> list[Any]:
    """Parts."""
    return ["half \ud800", Image(data=b"x"), {"n": float("nan")}]


@tool(exclusive=True)
def odd(how: str = "crash") -> None:
    """Fail in some way."""
    raise {
        "crash": RuntimeError("token=abc123def456"),
        "told": ToolError("told"),
        "retry": RetryCall("again"),
        "exit": SystemExit(1),
        "fatal": FatalToolError("over"),
        "return": ReturnNow([1]),
    }.get(how, OSError(how))


TOOLS = [add, late, big, final, several, odd]

names = st.sampled_from([one.name for one in TOOLS] * 3 + ["nobody", "Add", "read_result", "", "é"])
texts = st.sampled_from(["", "hello", "\u0000", "🙂", "half \ud800"])
arguments = st.one_of(
    st.sampled_from(
        [
            "{}",
            "",
            "null",
            "[]",
            "5",
            '{"a": 1}',
            '{"a": "2", "b": 3.0}',
            '{"a": ',
            '{"a": 1}}',
            "```json\n{}\n```",
            '{"a": NaN}',
            '{"letter": "\\ud83d"}',
            '{"unknown": true}',
            '{"handle": "result_1", "start": 0, "length": 5}',
        ]
    ),
    st.integers(-30, 30).map(lambda n: json.dumps({"a": n})),
    st.sampled_from(["crash", "told", "retry", "exit", "return", "?"]).map(
        lambda how: json.dumps({"how": how})
    ),
    st.just('{"how": "fatal"}'),
    st.text(max_size=8),
)
calls = st.builds(
    call,
    names.filter(bool),
    arguments,
    id=st.sampled_from([None, None, "", "same", "call_1_0"]),
    cut_off=st.sampled_from([False] * 9 + [True]),
    server_side=st.sampled_from([False] * 9 + [True]),
)
reasons = st.sampled_from(
    [None] * 12 + ["stop", "length", "refusal", "content_filter", "pause", "error", "unknown"]
)
usages = st.sampled_from([Usage(), Usage(total_tokens=40), Usage(10, 10)])
replies = st.builds(
    lambda text, asked, reason, usage: turn(text, *asked, finish_reason=reason, usage=usage),
    texts,
    st.lists(calls, max_size=4),
    reasons,
    usages,
)
scripts = st.lists(replies, max_size=5)
limits = st.builds(
    Limits,
    model_calls=st.sampled_from([0, 1, 2, 3, 50, None]),
    tool_calls=st.sampled_from([None, None, 0, 3]),
    tokens=st.sampled_from([None, None, 50]),
    repeat=st.sampled_from([None, 1, 3]),
    result_bytes=st.sampled_from([1_024, None]),
)
modest = settings(
    max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


@dataclass
class Ended:
    """How one run of a script ended."""

    outcome: Outcome[str]
    requests: list[ChatRequest]


def _ended(script: Any, bounds: Limits, kind: str, concurrency: int) -> Ended:
    model = ScriptedModel(script, forever="done")
    agent = Agent(model, tools=TOOLS, limits=bounds, concurrency=concurrency)
    try:
        outcome = asyncio.run(_KINDS[kind](agent, "go"))
    except RunAborted as aborted:
        outcome = aborted.outcome
    with contextlib.suppress(UnusedSteps):  # a run may end early
        model.check()
    return Ended(outcome, model.requests)


def _local_calls(messages: Any) -> list[ToolCall]:
    return [
        one
        for message in messages
        if isinstance(message, AssistantMessage)
        for one in message.tool_calls
        if not one.server_side
    ]


@given(scripts, limits, st.sampled_from([1, 2, 16]))
@modest
def test_every_call_is_answered_once_in_order_and_every_request_can_be_sent(
    script: Any, bounds: Limits, concurrency: int
) -> None:
    ended = _ended(script, bounds, "run", concurrency)
    outcome = ended.outcome
    asked = _local_calls(outcome.messages)
    results = [message for message in outcome.messages if isinstance(message, ToolResult)]
    assert [result.call_id for result in results] == [one.id for one in asked]
    assert [execution.call for execution in outcome.tool_executions] == asked
    assert [execution.result for execution in outcome.tool_executions] == results
    assert all(execution.state != "pending" for execution in outcome.tool_executions)
    check_pairing(outcome.messages)
    if bounds.model_calls is not None:
        assert len(ended.requests) <= bounds.model_calls
    if bounds.tool_calls is not None:
        not_run = ("limit", "denied", "cancelled")
        run = [e for e in outcome.tool_executions if e.fault not in not_run]
        assert len(run) <= bounds.tool_calls
    dialect = find_dialect("openai-chat")
    for request in ended.requests:
        json.loads(json.dumps(dialect.encode(request, "m", WireNames()), allow_nan=False))


@given(scripts, limits)
@modest
def test_a_history_can_be_handed_to_the_next_run_as_it_is(script: Any, bounds: Limits) -> None:
    outcome = _ended(script, bounds, "run", 16).outcome
    with ScriptedModel(["still here"]) as model:
        agent = Agent(model, tools=TOOLS)
        again = asyncio.run(agent.run("and now?", messages=outcome.messages))
    assert again.messages[: len(outcome.messages)] == outcome.messages
    assert again.content == "still here"


@given(scripts, limits, st.sampled_from([1, 2, 16]))
@settings(modest, max_examples=examples(40))
@example([turn(call("late", {"a": 7}), call("late", {"a": 0}), call("big"))], Limits(), 16)
def test_the_same_script_gives_the_same_history_in_every_kind_of_run(
    script: Any, bounds: Limits, concurrency: int
) -> None:
    first, *others = (_ended(script, bounds, kind, concurrency) for kind in _KINDS)
    for other in others:
        assert other.outcome.messages == first.outcome.messages
        assert other.outcome.stop == first.outcome.stop
        assert other.outcome.content == first.outcome.content
        assert other.outcome.usage == first.outcome.usage
        assert _records(other.outcome) == _records(first.outcome)
        assert [r.messages for r in other.requests] == [r.messages for r in first.requests]
        assert [r.tools for r in other.requests] == [r.tools for r in first.requests]


def _records(outcome: Outcome[str]) -> list[Any]:
    return [
        (e.call, e.arguments, e.state, e.fault, e.result, e.repairs, e.attempts)
        for e in outcome.tool_executions
    ]


# --- whatever is handed in ------------------------------------------------------------------------

foreign_calls = st.builds(
    ToolCall,
    st.sampled_from(["", "a", "b", "c"]),
    st.sampled_from(["add", "late"]),
    st.just("{}"),
    server_side=st.sampled_from([False, False, False, True]),
)
foreign: st.SearchStrategy[list[Message]] = st.lists(
    st.one_of(
        st.just(UserMessage("hi")),
        st.builds(AssistantMessage, st.just("x"), st.lists(foreign_calls, max_size=3).map(tuple)),
        st.builds(
            ToolResult,
            st.sampled_from(["", "a", "b", "c"]),
            st.sampled_from(["add", "late"]),
            st.just(()),
        ),
    ),
    max_size=10,
)


@given(foreign)
@settings(modest, max_examples=examples(300))
def test_any_history_that_is_handed_in_is_sent_valid_and_stays_as_it_was(
    messages: list[Message],
) -> None:
    before = list(messages)
    with ScriptedModel(["done"]) as model:
        outcome = asyncio.run(Agent(model, tools=TOOLS).run("go", messages=messages))
    assert messages == before
    check_pairing(model.requests[0].messages)
    assert len(outcome.new_messages) == 2


@given(foreign)
@settings(modest, max_examples=examples(300))
def test_repairing_a_history_twice_changes_nothing_more(messages: list[Message]) -> None:
    from toolcrib.loop.pairing import paired

    once = paired(messages)
    assert paired(once) == once

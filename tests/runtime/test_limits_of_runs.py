"""Limits of a run: what is not allowed is not run, each call is answered, the history is valid."""

import asyncio
import threading
import time
from typing import Any

import pytest

from tests.kinds import Ask, every_kind
from tests.runtime.gates import valid
from toolcrib.agent import Agent
from toolcrib.chat import Usage
from toolcrib.loop.limits import Limits
from toolcrib.messages import ToolResult
from toolcrib.testing import ScriptedModel, call, turn
from toolcrib.tools.function import tool


@tool
def step(n: int = 0) -> int:
    """One step."""
    return n


def _endless(request: Any) -> Any:
    return call("step", {"n": len(request.messages)})


@every_kind
async def test_no_model_call_at_all_asks_nobody(ask: Ask) -> None:
    with ScriptedModel() as model:
        outcome = await ask(Agent(model, limits=Limits(model_calls=0)), "go")
    assert outcome.stop == "limit:model_calls"
    assert outcome.content is None
    assert [type(m).__name__ for m in outcome.messages] == ["UserMessage"]


@every_kind
async def test_one_model_call_is_enough_for_an_answer(ask: Ask) -> None:
    with ScriptedModel(["hello"]) as model:
        outcome = await ask(Agent(model, limits=Limits(model_calls=1)), "go")
    assert (outcome.stop, outcome.content) == ("answered", "hello")


@every_kind
@pytest.mark.parametrize("most", [1, 2, 3])
async def test_the_calls_of_the_last_allowed_reply_are_answered_and_not_run(
    ask: Ask, most: int
) -> None:
    model = ScriptedModel(forever=lambda request: [call("step", {"n": 1}), _endless(request)])
    agent = Agent(model, tools=[step], limits=Limits(model_calls=most))
    outcome = await ask(agent, "go")
    assert outcome.stop == "limit:model_calls"
    assert len(model.requests) == most == outcome.model_calls
    states = [e.state for e in outcome.tool_executions]
    assert states == ["committed"] * 2 * (most - 1) + ["not_run"] * 2
    assert all(e.fault == "limit" and e.is_error for e in outcome.tool_executions[-2:])
    valid(outcome)
    with ScriptedModel(["still here"]) as model:
        again = await ask(Agent(model), "and now?", messages=outcome.messages)
    assert again.content == "still here"


@every_kind
async def test_fifty_model_calls_are_the_default(ask: Ask) -> None:
    model = ScriptedModel(forever=_endless)
    outcome = await ask(Agent(model, tools=[step]), "go")
    assert (outcome.stop, len(model.requests)) == ("limit:model_calls", 50)


async def test_five_calls_in_one_reply_count_once_and_none_switches_the_bound_off() -> None:
    def script(request: Any) -> Any:
        rounds = sum(m.role == "assistant" for m in request.messages)
        return [call("step", {"n": rounds})] * 5 if rounds < 120 else "done"

    model = ScriptedModel(forever=script)
    agent = Agent(model, tools=[step], limits=Limits(model_calls=None))
    outcome = await agent.run("go")
    assert outcome.stop == "answered"
    assert len(outcome.tool_executions) == 600


@every_kind
@pytest.mark.parametrize(("most", "run"), [(0, 0), (2, 0), (3, 3), (5, 3), (6, 6)])
async def test_a_round_with_more_calls_than_are_left_is_not_run_at_all(
    ask: Ask, most: int, run: int
) -> None:
    model = ScriptedModel(
        forever=lambda request: [call("step", {"n": len(request.messages) + n}) for n in range(3)]
    )
    outcome = await ask(Agent(model, tools=[step], limits=Limits(tool_calls=most)), "go")
    assert outcome.stop == "limit:tool_calls"
    assert [e.state for e in outcome.tool_executions] == ["committed"] * run + ["not_run"] * 3
    valid(outcome)


@every_kind
async def test_tokens_are_counted_before_the_model_is_asked_again(ask: Ask) -> None:
    spent = Usage(input_tokens=60, output_tokens=40)
    replies = [turn(call("step", {"n": n}), usage=spent) for n in range(2)]
    with ScriptedModel(replies) as model:
        outcome = await ask(Agent(model, tools=[step], limits=Limits(tokens=150)), "go")
    assert outcome.stop == "limit:tokens"
    assert outcome.usage.tokens == 200
    assert [e.state for e in outcome.tool_executions] == ["committed", "not_run"]
    valid(outcome)


@every_kind
async def test_an_answer_is_kept_even_if_it_took_more_tokens_than_are_allowed(ask: Ask) -> None:
    with ScriptedModel([turn("done", usage=Usage(total_tokens=1_000))]) as model:
        outcome = await ask(Agent(model, limits=Limits(tokens=150)), "go")
    assert (outcome.stop, outcome.content) == ("answered", "done")


@every_kind
@pytest.mark.parametrize("calls", [1, 2])
async def test_time_is_up_while_tools_hang(ask: Ask, calls: int) -> None:
    @tool
    async def hang() -> None:
        """Hang."""
        await asyncio.Event().wait()

    with ScriptedModel([[call("hang")] * calls]) as model:
        agent = Agent(model, tools=[hang], limits=Limits(seconds=0.05))
        outcome = await ask(agent, "go")
    assert outcome.stop == "limit:seconds"
    assert [e.state for e in outcome.tool_executions] == ["unknown"] * calls
    valid(outcome)


@every_kind
async def test_time_is_up_while_a_sync_tool_hangs(ask: Ask) -> None:
    release = threading.Event()

    @tool
    def hang() -> None:
        """Hang."""
        release.wait()

    try:
        with ScriptedModel([call("hang")]) as model:
            outcome = await ask(Agent(model, tools=[hang], limits=Limits(seconds=0.05)), "go")
        assert not release.is_set()
    finally:
        release.set()
    assert outcome.stop == "limit:seconds"
    assert [e.state for e in outcome.tool_executions] == ["unknown"]
    valid(outcome)


@every_kind
async def test_time_is_up_while_the_model_hangs(ask: Ask) -> None:
    async def never(request: Any) -> str:
        await asyncio.Event().wait()
        return "never"

    with ScriptedModel([call("step"), never]) as model:
        outcome = await ask(Agent(model, tools=[step], limits=Limits(seconds=0.05)), "go")
    assert outcome.stop == "limit:seconds"
    assert [e.state for e in outcome.tool_executions] == ["committed"]
    valid(outcome)


@every_kind
async def test_time_is_up_even_if_nothing_ever_waits(ask: Ask) -> None:
    @tool(thread="caller")
    def busy(n: int) -> int:
        """Keep the thread busy."""
        until = time.monotonic() + 0.03
        while time.monotonic() < until:
            pass
        return n

    model = ScriptedModel(forever=lambda request: call("busy", {"n": len(request.messages)}))
    agent = Agent(model, tools=[busy], limits=Limits(seconds=0.1, model_calls=None))
    outcome = await ask(agent, "go")
    assert outcome.stop == "limit:seconds"
    assert len(outcome.tool_executions) < 10
    valid(outcome)


@every_kind
async def test_a_run_that_ends_in_time_leaves_no_timer_behind(ask: Ask) -> None:
    with ScriptedModel([call("step"), "done"]) as model:
        outcome = await ask(Agent(model, tools=[step], limits=Limits(seconds=60)), "go")
    assert outcome.stop == "answered"


@every_kind
async def test_a_deadline_of_the_run_is_not_seen_by_who_awaits_it(ask: Ask) -> None:
    async def never(request: Any) -> str:
        await asyncio.Event().wait()
        return "never"

    outcome = await ask(Agent(ScriptedModel([never]), limits=Limits(seconds=0.02)), "go")
    assert outcome.stop == "limit:seconds"
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0
    await asyncio.sleep(0)


@every_kind
@pytest.mark.parametrize("most", [1, 2, 5])
async def test_the_same_calls_may_be_asked_for_so_often(ask: Ask, most: int) -> None:
    model = ScriptedModel(forever=[call("step", {"n": 1}), call("step", {"n": 2})])
    outcome = await ask(Agent(model, tools=[step], limits=Limits(repeat=most)), "go")
    assert outcome.stop == "limit:repeat"
    assert [e.state for e in outcome.tool_executions] == ["committed"] * 2 * most + ["not_run"] * 2
    results = [m for m in outcome.messages if isinstance(m, ToolResult)]
    assert f"{most + 1} times in a row" in results[-1].text
    valid(outcome)


@every_kind
async def test_without_a_bound_of_repeats_the_next_limit_holds(ask: Ask) -> None:
    model = ScriptedModel(forever=call("step"))
    outcome = await ask(Agent(model, tools=[step], limits=Limits(repeat=None, model_calls=7)), "go")
    assert outcome.stop == "limit:model_calls"


@every_kind
async def test_no_time_at_all_asks_nobody(ask: Ask) -> None:
    with ScriptedModel() as model:
        outcome = await ask(Agent(model, limits=Limits(seconds=0)), "go")
    assert outcome.stop == "limit:seconds"
    assert model.requests == []
    valid(outcome)


@every_kind
async def test_endless_time_is_no_bound(ask: Ask) -> None:
    with ScriptedModel(["done"]) as model:
        outcome = await ask(Agent(model, limits=Limits(seconds=float("inf"))), "go")
    assert outcome.content == "done"

"""Cancelling a run: tools are cancelled and can clean up, history stays valid, others' cancellations go on up."""

import asyncio
import threading
from typing import Any

import anyio
import pytest

from tests.runtime.gates import Gate, valid
from toolcrib.agent import Agent
from toolcrib.chat import ChatRequest
from toolcrib.loop.events import Event, RunFinished, ToolFinished, ToolStarted
from toolcrib.loop.limits import Limits
from toolcrib.loop.outcome import RunAborted
from toolcrib.runtime.hooks import Hooks
from toolcrib.testing import ScriptedModel, call
from toolcrib.tools.function import tool
from toolcrib.tools.signals import FatalToolError


def _hanging(gate: Gate, log: list[str], *, name: str = "hang") -> Any:
    @tool(name=name)
    async def hang() -> str:
        """Hang."""
        gate.open()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            log.append("cleaned up")
        return "never"

    return hang


@pytest.mark.parametrize("calls", [1, 2], ids=["alone", "side by side"])
async def test_a_cancelled_run_ends_quietly_and_its_tools_can_clean_up(calls: int) -> None:
    gate, log = Gate(), []
    model = ScriptedModel([[call("hang")] * calls])
    async with Agent(model, tools=[_hanging(gate, log)]).stream("go") as run:
        await gate.passed()
        run.cancel()
    assert run.outcome.stop == "cancelled"
    assert log == ["cleaned up"] * calls
    assert [e.state for e in run.outcome.tool_executions] == ["unknown"] * calls
    assert [e.fault for e in run.outcome.tool_executions] == ["cancelled"] * calls
    valid(run.outcome)


@pytest.mark.parametrize("calls", [1, 2], ids=["alone", "side by side"])
async def test_leaving_the_stream_block_early_cancels_the_run(calls: int) -> None:
    gate, log = Gate(), []
    model = ScriptedModel([[call("hang")] * calls])
    async with Agent(model, tools=[_hanging(gate, log)]).stream("go") as run:
        async for event in run:
            if isinstance(event, ToolStarted):
                break
    assert run.outcome.stop == "cancelled"
    valid(run.outcome)


@pytest.mark.parametrize("calls", [1, 2], ids=["alone", "side by side"])
async def test_a_cancellation_from_outside_closes_the_round_and_goes_on_up(calls: int) -> None:
    gate, log = Gate(), []
    events: list[Event] = []
    model = ScriptedModel([[call("hang")] * calls])
    agent = Agent(model, tools=[_hanging(gate, log)], observers=[events.append])
    task = asyncio.create_task(agent.run("go"))
    await gate.passed()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    (finished,) = [event for event in events if isinstance(event, RunFinished)]
    assert finished.outcome.stop == "cancelled"
    assert log == ["cleaned up"] * calls
    valid(finished.outcome)


@pytest.mark.parametrize("calls", [1, 2], ids=["alone", "side by side"])
async def test_a_deadline_around_a_run_is_not_swallowed(calls: int) -> None:
    gate, log = Gate(), []
    model = ScriptedModel([[call("hang")] * calls])
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await Agent(model, tools=[_hanging(gate, log)]).run("go")
    assert log == ["cleaned up"] * calls


async def test_a_cancellation_from_outside_goes_on_up_even_when_a_tool_ended_the_run() -> None:
    gate, log = Gate(), []

    @tool
    async def end() -> None:
        """End the run."""
        raise FatalToolError("enough")

    events: list[Event] = []
    model = ScriptedModel([[call("end"), call("hang")]])
    agent = Agent(model, tools=[end, _hanging(gate, log)], observers=[events.append])
    task = asyncio.create_task(agent.run("go"))
    await gate.passed()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    (failed,) = [e for e in events if type(e).__name__ == "RunFailed"]
    valid(failed.outcome)


async def test_a_cancelled_task_group_does_not_wait_for_the_run_to_answer() -> None:
    gate, log = Gate(), []
    model = ScriptedModel([call("hang")])
    with pytest.raises(ExceptionGroup) as group:  # noqa: PT012
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(Agent(model, tools=[_hanging(gate, log)]).run("go"))
            await gate.passed()
            raise KeyError("a sibling failed")
    assert group.group_contains(KeyError)
    assert log == ["cleaned up"]


async def test_a_tool_that_swallows_its_cancellation_does_not_keep_the_run_going() -> None:
    gate = Gate()

    @tool
    async def stubborn() -> str:
        """Hang, and do not want to be cancelled."""
        gate.open()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "so what"
        return "never"

    with ScriptedModel([call("stubborn")]) as model:  # it is not asked again
        async with Agent(model, tools=[stubborn]).stream("go") as run:
            await gate.passed()
            run.cancel()
    assert run.outcome.stop == "cancelled"
    (execution,) = run.outcome.tool_executions
    assert execution.value == "so what"
    valid(run.outcome)
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_an_observer_may_cancel_from_within_the_run_itself() -> None:
    with ScriptedModel([[call("add"), call("add")]]) as model:
        agent = Agent(model, tools=[add])
        run = agent.stream("go")
        async with run:
            async for event in run:
                if type(event).__name__ == "ModelReplied":
                    run.cancel()
    assert run.outcome.stop == "cancelled"
    valid(run.outcome)


async def test_a_cancel_before_the_first_question_is_not_lost() -> None:
    model = ScriptedModel(forever=call("add"))
    run = Agent(model, tools=[add]).stream("go")
    run.cancel()
    async with run:
        pass
    assert run.outcome.stop == "cancelled"
    assert model.requests == []


async def test_leaving_a_sync_stream_at_once_is_not_lost() -> None:
    model = ScriptedModel(forever=call("add"))
    agent = Agent(model, tools=[add], limits=Limits(model_calls=None, repeat=None))

    def leave() -> Any:
        with agent.stream_sync("go") as run:
            pass
        return run.outcome

    outcome = await asyncio.to_thread(leave)
    assert outcome.stop == "cancelled"
    valid(outcome)


async def test_a_sync_stream_is_cancelled_from_another_thread() -> None:
    started = threading.Event()

    @tool
    async def wait() -> None:
        """Wait for ever."""
        started.set()
        await asyncio.Event().wait()

    agent = Agent(ScriptedModel([call("wait")]), tools=[wait])

    def consume() -> Any:
        with agent.stream_sync("go") as run:
            canceller = threading.Thread(target=lambda: (started.wait(), run.cancel()))
            canceller.start()
            names = [type(event).__name__ for event in run]
            canceller.join()
        return names, run.outcome

    names, outcome = await asyncio.to_thread(consume)
    assert names[-1] == "RunFinished"
    assert outcome.stop == "cancelled"
    valid(outcome)


async def test_a_cancelled_model_request_leaves_a_history_to_go_on_with() -> None:
    asked = asyncio.Event()

    async def never(request: ChatRequest) -> str:
        asked.set()
        await asyncio.Event().wait()
        return "never"

    model = ScriptedModel([call("add", {"a": 1}), never])
    async with Agent(model, tools=[add]).stream("go") as run:
        await asked.wait()
        run.cancel()
    assert run.outcome.stop == "cancelled"
    assert [e.value for e in run.outcome.tool_executions] == [2]
    valid(run.outcome)


async def test_a_cancellation_of_the_models_own_is_a_failure_of_the_run() -> None:
    async def broken(request: ChatRequest) -> str:
        raise asyncio.CancelledError("a connection pool was closed")

    with pytest.raises(RunAborted) as aborted:
        await Agent(ScriptedModel([broken])).run("go")
    assert isinstance(aborted.value.__cause__, asyncio.CancelledError)
    assert aborted.value.outcome.stop == "failed"


@pytest.mark.parametrize("where", ["before_tool", "after_tool"])
async def test_a_cancellation_of_a_hooks_own_ends_the_run_with_the_round_whole(where: str) -> None:
    async def cancelled(self: Any, *args: Any) -> None:
        raise asyncio.CancelledError("the hook's own")

    hook = type("Hook", (Hooks,), {where: cancelled})()
    with pytest.raises(RunAborted) as aborted:
        await Agent(ScriptedModel([call("add")]), tools=[add], hooks=[hook]).run("go")
    assert isinstance(aborted.value.__cause__, asyncio.CancelledError)
    valid(aborted.value.outcome)


@pytest.mark.parametrize("calls", [1, 2], ids=["alone", "side by side"])
async def test_a_tool_that_cancels_itself_has_failed_and_the_run_goes_on(calls: int) -> None:
    @tool
    async def give_up() -> None:
        """Give up."""
        raise asyncio.CancelledError

    with ScriptedModel([[call("give_up")] * calls]).say("done") as model:
        outcome = await Agent(model, tools=[give_up]).run("go")
    assert outcome.content == "done"
    assert [e.state for e in outcome.tool_executions] == ["failed"] * calls


async def test_every_call_that_was_started_is_told_as_finished_exactly_once_when_cancelled() -> (
    None
):
    gate, log = Gate(), []
    events: list[Event] = []
    model = ScriptedModel([[call("hang"), call("add"), call("hang")]])
    agent = Agent(model, tools=[_hanging(gate, log), add], observers=[events.append], concurrency=2)
    async with agent.stream("go") as run:
        await gate.passed()
        run.cancel()
    started = sorted(e.position for e in events if isinstance(e, ToolStarted))
    finished = sorted(e.position for e in events if isinstance(e, ToolFinished))
    assert finished == [0, 1, 2]
    assert set(started) <= set(finished)
    valid(run.outcome)


@tool
def add(a: int = 0, b: int = 1) -> int:
    """Add."""
    return a + b


async def test_a_cancel_scope_around_a_run_is_not_swallowed() -> None:
    gate, log = Gate(), []
    model = ScriptedModel([[call("hang"), call("hang")]])
    with anyio.move_on_after(0.02) as scope:
        await Agent(model, tools=[_hanging(gate, log)]).run("go")
    assert scope.cancelled_caught
    assert log == ["cleaned up"] * 2
    await asyncio.sleep(0)


async def test_waiting_for_a_run_for_a_while_is_not_swallowed() -> None:
    gate, log = Gate(), []
    model = ScriptedModel([call("hang")])
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(Agent(model, tools=[_hanging(gate, log)]).run("go"), 0.02)
    assert log == ["cleaned up"]


async def test_a_cancellation_from_outside_wins_over_the_runs_own() -> None:
    gate, log = Gate(), []
    agent = Agent(
        ScriptedModel([call("hang")]), tools=[_hanging(gate, log)], limits=Limits(seconds=0.02)
    )
    task = asyncio.create_task(agent.run("go"))
    await gate.passed()
    loop = asyncio.get_running_loop()
    loop.call_later(0.02, task.cancel)
    blocked_until = loop.time() + 0.05
    while loop.time() < blocked_until:
        pass  # so that both come at once
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_cancelling_twice_or_too_late_changes_nothing() -> None:
    async with Agent(ScriptedModel(["done"])).stream("go") as run:
        async for _ in run:
            pass
        run.cancel()
    assert run.outcome.stop == "answered"
    run.cancel()
    gate, log = Gate(), []
    async with Agent(ScriptedModel([call("hang")]), tools=[_hanging(gate, log)]).stream(
        "go"
    ) as run:
        await gate.passed()
        run.cancel()
        run.cancel()
    assert run.outcome.stop == "cancelled"
    assert log == ["cleaned up"]
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_an_inner_deadline_and_an_outer_cancellation_keep_apart() -> None:
    gate, log = Gate(), []
    inner = Agent(
        ScriptedModel(forever=call("hang")),
        tools=[_hanging(gate, log)],
        limits=Limits(seconds=0.02),
        name="inner",
    )
    with ScriptedModel(
        [call("inner", {"task": "x"}), call("inner", {"task": "y"}), "done"]
    ) as model:
        outcome = await Agent(model, tools=[inner.as_tool()]).run("go")
    assert outcome.content == "done"
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_a_tool_cannot_swallow_a_cancellation_from_outside() -> None:
    gate = Gate()

    @tool
    async def stubborn() -> str:
        """Do not want to be cancelled."""
        gate.open()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "so what"
        return "never"

    with ScriptedModel([call("stubborn")]) as model:  # it is not asked again
        task = asyncio.create_task(Agent(model, tools=[stubborn]).run("go"))
        await gate.passed()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

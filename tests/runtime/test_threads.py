"""Sync tools, threads and the sync face: nothing can starve, hang or leak."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any

import pytest

from tests.kinds import Ask, every_kind
from tests.runtime.gates import valid
from toolcrib.agent import Agent
from toolcrib.loop.limits import Limits
from toolcrib.loop.outcome import RunAborted
from toolcrib.testing import ScriptedModel, call
from toolcrib.tools.function import tool

user: ContextVar[str] = ContextVar("user", default="nobody")


def _nested(depth: int, executor: Any, colour: str = "sync") -> Agent:
    """An agent whose tool runs such an agent, `depth` deep, each in two calls at once."""
    if depth == 0:

        @tool
        def go() -> str:
            """The innermost."""
            return "bottom"

        return Agent(ScriptedModel(forever=_calls_then_says), tools=[go], executor=executor)
    inner = _nested(depth - 1, executor, colour)

    @tool(name="go")
    def go_sync() -> str | None:
        """One deeper."""
        return inner.run_sync("go").tool_executions[0].value

    @tool(name="go")
    async def go_async() -> str | None:
        """One deeper, and hold the event loop up."""
        return inner.run_sync("go").tool_executions[0].value

    @tool(name="go")
    def go_own_loop() -> str | None:
        """One deeper, with an event loop of its own."""
        return asyncio.run(inner.run("go")).tool_executions[0].value

    deeper = {"sync": go_sync, "async": go_async, "own loop": go_own_loop}[colour]
    return Agent(ScriptedModel(forever=_calls_then_says), tools=[deeper], executor=executor)


def _calls_then_says(request: Any) -> Any:
    return "done" if request.messages[-1].role == "tool" else call("go")


@pytest.mark.parametrize("colour", ["sync", "async", "own loop"])
@pytest.mark.parametrize("threads", [1, 2, 4])
async def test_runs_inside_tools_of_runs_do_not_starve_however_small_the_pool_is(
    threads: int, colour: str
) -> None:
    with ThreadPoolExecutor(threads) as executor:
        agent = _nested(6, executor, colour)
        outcome = await asyncio.wait_for(asyncio.to_thread(agent.run_sync, "go"), 20)
    assert outcome.tool_executions[0].value == "bottom"


@every_kind
async def test_sync_tools_run_in_the_pool_that_the_agent_was_given(ask: Ask) -> None:
    @tool
    def where() -> str:
        """In which thread?"""
        return threading.current_thread().name

    with ThreadPoolExecutor(2, thread_name_prefix="mine") as executor:
        model = ScriptedModel([[call("where")] * 4]).say("done")
        outcome = await ask(Agent(model, tools=[where], executor=executor), "go")
    assert all(e.value.startswith("mine") for e in outcome.tool_executions)


@pytest.mark.parametrize("where", ["timeout", "limit"])
async def test_a_sync_tool_that_hangs_does_not_hang_run_sync(where: str) -> None:
    release = threading.Event()

    @tool(timeout=0.02 if where == "timeout" else None)
    def hang() -> None:
        """Hang for ever."""
        release.wait()

    limits = Limits(seconds=0.1 if where == "limit" else None)
    model = ScriptedModel([call("hang"), "done"])
    agent = Agent(model, tools=[hang], limits=limits)
    try:
        outcome = await asyncio.wait_for(asyncio.to_thread(agent.run_sync, "go"), 10)
        assert not release.is_set()
    finally:
        release.set()
    (execution,) = outcome.tool_executions
    assert execution.state == "unknown"
    assert outcome.stop == ("answered" if where == "timeout" else "limit:seconds")
    valid(outcome)


@every_kind
async def test_context_variables_reach_every_colour_of_tool_and_stay_inside(ask: Ask) -> None:
    @tool
    def in_a_thread() -> str:
        """Who?"""
        seen = user.get()
        user.set("changed by a thread")
        return seen

    @tool
    async def on_the_loop() -> str:
        """Who?"""
        seen = user.get()
        user.set("changed on the loop")
        return seen

    @tool(thread="caller")
    def by_the_caller() -> str:
        """Who?"""
        seen = user.get()
        user.set("changed by the caller")
        return seen

    tools = [in_a_thread, on_the_loop, by_the_caller]
    calls = [call(one.name) for one in tools]
    model = ScriptedModel([calls, *[[one] for one in calls], "done"])
    user.set("ada")
    outcome = await ask(Agent(model, tools=tools), "go")
    assert [e.value for e in outcome.tool_executions] == ["ada"] * 6
    assert user.get() == "ada"


async def test_a_tool_bound_to_its_caller_runs_in_the_thread_that_waits() -> None:
    @tool(thread="caller")
    def where() -> int:
        """In which thread?"""
        return threading.get_ident()

    def run() -> tuple[int, list[Any]]:
        model = ScriptedModel([[call("where"), call("where")], "done"])
        outcome = Agent(model, tools=[where]).run_sync("go")
        return threading.get_ident(), [e.value for e in outcome.tool_executions]

    here, seen = await asyncio.to_thread(run)
    assert seen == [here, here]


async def test_two_runs_that_block_each_others_event_loops_both_end() -> None:
    agent = Agent(ScriptedModel(forever="inner"))
    both = threading.Barrier(2)

    @tool
    async def block() -> str | None:
        """Hold the event loop up."""
        await asyncio.to_thread(lambda: None)
        return agent.run_sync("go").content

    outer = Agent(ScriptedModel(forever=_blocks_then_says), tools=[block])

    def run() -> Any:
        both.wait(10)
        return outer.run_sync("go").tool_executions[0].value

    runs = [asyncio.to_thread(run), asyncio.to_thread(run)]
    assert await asyncio.wait_for(asyncio.gather(*runs), 10) == ["inner", "inner"]


def _blocks_then_says(request: Any) -> Any:
    return "done" if request.messages[-1].role == "tool" else call("block")


async def test_one_agent_serves_many_threads_and_event_loops_at_once() -> None:
    @tool
    def double(n: int) -> int:
        """Double."""
        return n * 2

    def script(request: Any) -> Any:
        last = request.messages[-1]
        return last.text if last.role == "tool" else call("double", {"n": int(last.text)})

    agent = Agent(ScriptedModel(forever=script), tools=[double])

    def by_sync(n: int) -> str | None:
        return agent.run_sync(str(n)).content

    def by_loop(n: int) -> str | None:
        return asyncio.run(agent.run(str(n))).content

    def by_stream(n: int) -> str | None:
        with agent.stream_sync(str(n)) as run:
            assert [type(event).__name__ for event in run][-1] == "RunFinished"
        return run.outcome.content

    with ThreadPoolExecutor(12) as pool:
        ways = [by_sync, by_loop, by_stream]
        futures = [pool.submit(ways[n % 3], n) for n in range(60)]
        here = await asyncio.gather(*(agent.run(str(n)) for n in range(60)))
        assert [f.result(20) for f in futures] == [str(2 * n) for n in range(60)]
    assert [outcome.content for outcome in here] == [str(2 * n) for n in range(60)]


@pytest.mark.parametrize("colour", ["sync", "async", "caller"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, type("Odd", (BaseException,), {})])
@every_kind
async def test_what_is_no_exception_ends_the_run_with_the_round_whole(
    ask: Ask, error: type[BaseException], colour: str
) -> None:
    if error is KeyboardInterrupt and colour == "caller":
        pytest.skip("Ctrl-C itself: see test_processes.py")

    @tool(thread="caller" if colour == "caller" else "pool", name="odd")
    def odd_sync() -> None:
        """Raise something odd."""
        raise error("odd")

    @tool(name="odd")
    async def odd_async() -> None:
        """Raise something odd."""
        raise error("odd")

    odd = odd_async if colour == "async" else odd_sync
    model = ScriptedModel([[call("odd"), call("fine")]])
    with pytest.raises(RunAborted) as aborted:
        await ask(Agent(model, tools=[odd, fine]), "go")
    assert type(aborted.value.__cause__) is error
    valid(aborted.value.outcome)
    assert [e.state for e in aborted.value.outcome.tool_executions] == ["unknown", "committed"]
    # and the event loop that it ran on still lives
    assert (await ask(Agent(ScriptedModel(["still here"])), "go")).content == "still here"


@pytest.mark.parametrize("colour", ["pool", "caller", "async"])
@pytest.mark.parametrize("error", [SystemExit(3), StopIteration("no"), StopAsyncIteration("no")])
@every_kind
async def test_a_tool_that_wants_to_end_the_program_or_an_iteration_has_only_failed(
    ask: Ask, error: BaseException, colour: Any
) -> None:
    @tool(thread="caller" if colour == "caller" else "pool", name="leave")
    def leave_sync() -> None:
        """Leave."""
        raise error

    @tool(name="leave")
    async def leave_async() -> None:
        """Leave."""
        raise error

    leave = leave_async if colour == "async" else leave_sync
    with ScriptedModel([[call("leave"), call("fine")], "done"]) as model:
        outcome = await ask(Agent(model, tools=[leave, fine]), "go")
    assert outcome.content == "done"
    assert [e.state for e in outcome.tool_executions] == ["failed", "committed"]


@every_kind
async def test_a_sync_tool_may_hand_back_something_to_await(ask: Ask) -> None:
    async def later(n: int) -> int:
        await asyncio.sleep(0)
        return n + 1

    @tool
    def start(n: int):  # type: ignore[no-untyped-def]
        """Start."""
        return later(n)

    with ScriptedModel([call("start", {"n": 1}), "done"]) as model:
        outcome = await ask(Agent(model, tools=[start]), "go")
    assert outcome.tool_executions[0].value == 2


async def test_what_a_sync_tool_hands_back_to_await_has_the_tools_timeout() -> None:
    @tool(timeout=0.02)
    def start():  # type: ignore[no-untyped-def]
        """Start."""
        return asyncio.Event().wait()

    with ScriptedModel([call("start"), "done"]) as model:
        outcome = await asyncio.wait_for(Agent(model, tools=[start]).run("go"), 10)
    assert outcome.tool_executions[0].fault == "timeout"


async def test_a_tool_may_hand_back_a_future() -> None:
    from collections.abc import Awaitable

    @tool
    def start() -> Awaitable[int]:
        """Start."""
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        future.set_result(7)
        return future

    with ScriptedModel([call("start"), "done"]) as model:
        outcome = await Agent(model, tools=[start]).run("go")
    assert outcome.tool_executions[0].value == 7


@tool
def fine() -> str:
    """Be fine."""
    return "fine"


async def _failed_in(executor: Any) -> str:
    @tool(timeout=5)
    def work() -> None:
        """Work."""

    with ScriptedModel([call("work"), "done"]) as model:
        agent = Agent(model, tools=[work], executor=executor)
        outcome = await asyncio.wait_for(agent.run("go"), 10)
    (execution,) = outcome.tool_executions
    assert execution.state == "failed"
    assert execution.result is not None
    return execution.result.text


async def test_a_pool_that_was_shut_down_fails_the_call() -> None:
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    assert "RuntimeError" in await _failed_in(executor)


async def test_a_pool_that_is_shut_down_while_a_call_waits_fails_the_call() -> None:
    release, busy = threading.Event(), threading.Event()
    executor = ThreadPoolExecutor(1)
    executor.submit(lambda: (busy.set(), release.wait(10)))
    busy.wait(10)
    loop = asyncio.get_running_loop()
    loop.call_later(0.02, lambda: executor.shutdown(wait=False, cancel_futures=True))
    try:
        assert "did not run it" in await _failed_in(executor)
    finally:
        release.set()

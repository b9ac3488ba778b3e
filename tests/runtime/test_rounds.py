"""Rounds of several calls: side by side within bounds, answered in their order."""

import asyncio
import itertools
import threading
from typing import Any

import pytest
import stamina

from tests.kinds import Ask, every_kind
from tests.runtime.gates import valid
from toolcrib.agent import Agent
from toolcrib.errors import ConfigurationError
from toolcrib.loop.error_policy import ErrorPolicy
from toolcrib.loop.outcome import RunAborted
from toolcrib.messages import AssistantMessage, ToolResult
from toolcrib.testing import ScriptedModel, call
from toolcrib.tools.function import tool
from toolcrib.tools.signals import FatalToolError


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
async def test_results_come_in_the_order_of_the_calls_in_whatever_order_they_end(
    order: tuple[int, ...],
) -> None:
    gates = [asyncio.Event() for _ in range(3)]
    ended: list[int] = []

    @tool
    async def wait(n: int) -> int:
        """Wait for the gate; then open that of the next."""
        await gates[n].wait()
        ended.append(n)
        after = order.index(n) + 1
        if after < len(order):
            gates[order[after]].set()
        return n * 10

    gates[order[0]].set()
    with ScriptedModel([[call("wait", {"n": n}) for n in range(3)], "done"]) as model:
        outcome = await Agent(model, tools=[wait]).run("go")
    assert ended == list(order)
    assert [e.value for e in outcome.tool_executions] == [0, 10, 20]
    results = [m for m in outcome.messages if isinstance(m, ToolResult)]
    assert [m.text for m in results] == ["0", "10", "20"]


@every_kind
async def test_identical_calls_without_ids_are_each_run_once_with_a_result_of_their_own(
    ask: Ask,
) -> None:
    numbers = itertools.count(1)
    lock = threading.Lock()

    @tool
    def draw() -> int:
        """Draw a number."""
        with lock:
            return next(numbers)

    same = [call("draw", id="") for _ in range(3)]
    with ScriptedModel([same, "done"]) as model:
        outcome = await ask(Agent(model, tools=[draw]), "go")
    assert sorted(e.value for e in outcome.tool_executions) == [1, 2, 3]
    results = [m for m in outcome.messages if isinstance(m, ToolResult)]
    assert [m.text for m in results] == [str(e.value) for e in outcome.tool_executions]
    assert len({m.call_id for m in results}) == 3


async def _most_at_once(calls: int, concurrency: int, tool_of: Any) -> int:
    with ScriptedModel([[call("busy")] * calls, "done"]) as model:
        outcome = await Agent(model, tools=[tool_of], concurrency=concurrency).run("go")
    assert all(e.state == "committed" for e in outcome.tool_executions)
    return max(e.value for e in outcome.tool_executions)


@pytest.mark.parametrize(
    ("calls", "concurrency", "at_once"), [(5, 1, 1), (5, 2, 2), (40, 16, 16), (64, 64, 64)]
)
async def test_as_many_calls_run_at_once_as_the_bound_allows(
    calls: int, concurrency: int, at_once: int
) -> None:
    running = 0
    full = asyncio.Event()

    @tool
    async def busy() -> int:
        """Be busy until as many are as may be."""
        nonlocal running
        running += 1
        seen = running
        if running == at_once:
            full.set()
        await full.wait()
        await asyncio.sleep(0)
        seen = max(seen, running)
        running -= 1
        return seen

    assert await asyncio.wait_for(_most_at_once(calls, concurrency, busy), 10) == at_once


async def test_sixty_four_sync_tools_run_at_once() -> None:
    together = threading.Barrier(64)

    @tool
    def busy() -> int:
        """Wait for all others."""
        together.wait(20)
        return 64

    assert await _most_at_once(64, 64, busy) == 64


def test_a_bound_of_no_calls_at_once_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="concurrency"):
        Agent(ScriptedModel(), concurrency=0)


async def test_one_after_another_means_in_the_order_of_the_calls() -> None:
    seen: list[str] = []

    @tool
    async def note(n: str) -> None:
        """Note."""
        seen.append(f"{n} begins")
        await asyncio.sleep(0)
        seen.append(f"{n} ends")

    with ScriptedModel([[call("note", {"n": n}) for n in "abc"], "done"]) as model:
        await Agent(model, tools=[note], concurrency=1).run("go")
    assert seen == [f"{n} {what}" for n in "abc" for what in ("begins", "ends")]


async def test_an_exclusive_call_runs_alone_and_in_its_place() -> None:
    running: set[str] = set()
    seen: list[tuple[str, frozenset[str]]] = []

    async def work(name: str) -> None:
        running.add(name)
        await asyncio.sleep(0)
        seen.append((name, frozenset(running)))
        await asyncio.sleep(0)
        running.discard(name)

    @tool
    async def shared(name: str) -> None:
        """Run beside others."""
        await work(name)

    @tool(exclusive=True)
    async def alone(name: str) -> None:
        """Run alone."""
        await work(name)

    plan = [("shared", "a"), ("shared", "b"), ("alone", "X"), ("shared", "c"), ("alone", "Y")]
    calls = [call(which, {"name": name}) for which, name in plan]
    with ScriptedModel([calls, "done"]) as model:
        await Agent(model, tools=[shared, alone]).run("go")
    assert ("X", frozenset("X")) in seen
    assert ("Y", frozenset("Y")) in seen
    assert ("a", frozenset("ab")) in seen
    order = [name for name, _ in seen]
    assert order.index("X") > max(order.index("a"), order.index("b"))
    assert order.index("Y") > order.index("c") > order.index("X")


def _failing_and_waiting(go_on: asyncio.Event, log: list[str]) -> list[Any]:
    @tool
    async def fail() -> None:
        """Fail."""
        raise ValueError("broken")

    @tool
    async def wait() -> str:
        """Wait."""
        try:
            await go_on.wait()
        except asyncio.CancelledError:
            log.append("cancelled")
            raise
        return "waited"

    return [fail, wait]


async def test_a_failing_call_cancels_nobody() -> None:
    go_on, log = asyncio.Event(), []

    @tool
    async def release() -> None:
        """Let the waiting one go on, after the failing one has failed."""
        for _ in range(5):
            await asyncio.sleep(0)
        go_on.set()

    tools = [*_failing_and_waiting(go_on, log), release]
    with ScriptedModel([[call("wait"), call("fail"), call("release")], "done"]) as model:
        outcome = await Agent(model, tools=tools).run("go")
    assert [e.state for e in outcome.tool_executions] == ["committed", "failed", "committed"]
    assert log == []


@pytest.mark.parametrize("concurrency", [1, 2, 16])
async def test_a_failing_call_cancels_the_others_of_its_round_if_that_is_asked_for(
    concurrency: int,
) -> None:
    go_on, log = asyncio.Event(), []
    tools = _failing_and_waiting(go_on, log)
    calls = [call("fail"), call("wait"), call("wait"), call("wait")]
    with ScriptedModel([calls, "done"]) as model:
        agent = Agent(
            model,
            tools=tools,
            concurrency=concurrency,
            errors=ErrorPolicy(cancel_siblings=True),
        )
        outcome = await asyncio.wait_for(agent.run("go"), 10)
    assert outcome.content == "done"
    assert [e.fault for e in outcome.tool_executions] == ["execution", *["sibling"] * 3]
    assert {e.state for e in outcome.tool_executions[1:]} <= {"unknown", "not_run"}
    assert not go_on.is_set()
    valid(outcome)


async def test_cancelling_siblings_leaves_exclusive_calls_that_come_later_unrun() -> None:
    ran: list[str] = []

    @tool
    async def fail() -> None:
        """Fail."""
        raise ValueError("broken")

    @tool(exclusive=True)
    async def alone() -> None:
        """Run alone."""
        ran.append("alone")

    with ScriptedModel([[call("fail"), call("alone")], "done"]) as model:
        agent = Agent(model, tools=[fail, alone], errors=ErrorPolicy(cancel_siblings=True))
        outcome = await agent.run("go")
    assert ran == []
    assert [e.state for e in outcome.tool_executions] == ["failed", "not_run"]
    valid(outcome)


@every_kind
async def test_two_tools_side_by_side_run_in_threads_of_their_own(ask: Ask) -> None:
    together = threading.Barrier(2)

    @tool
    def meet() -> int:
        """Wait for the other one."""
        together.wait(10)
        return threading.get_ident()

    with ScriptedModel([[call("meet"), call("meet")], "done"]) as model:
        outcome = await ask(Agent(model, tools=[meet]), "go")
    first, second = outcome.tool_executions
    assert first.value != second.value


async def test_a_tool_that_was_given_up_cannot_change_what_was_told() -> None:
    started, release = asyncio.Event(), asyncio.Event()
    finished: list[Any] = []

    @tool
    async def stubborn() -> str:
        """Do not want to be cancelled."""
        started.set()
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        return "too late"

    def watch(event: Any) -> None:
        if type(event).__name__ == "ToolFinished":
            finished.append(event.position)
        if type(event).__name__ == "RunFinished":
            finished.append(event.outcome)

    model = ScriptedModel([[call("stubborn"), call("stubborn")]])
    task = asyncio.create_task(Agent(model, tools=[stubborn], observers=[watch]).run("go"))
    await started.wait()
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()  # whoever waits has no more patience
    with pytest.raises(asyncio.CancelledError):
        await task
    *positions, outcome = finished
    assert positions == [0, 1]
    valid(outcome)
    release.set()
    for _ in range(5):
        await asyncio.sleep(0)
    assert [e.state for e in outcome.tool_executions] == ["unknown", "unknown"]
    assert len(finished) == 3
    valid(outcome)


@every_kind
async def test_a_fatal_error_ends_the_run_with_every_other_result_of_its_round(ask: Ask) -> None:
    fatal = FatalToolError("the account is locked")

    @tool
    def end() -> None:
        """End the run."""
        raise fatal

    @tool
    def fine() -> str:
        """Be fine."""
        return "fine"

    with (
        ScriptedModel([[call("fine"), call("end"), call("fine")]]) as model,
        pytest.raises(RunAborted) as aborted,
    ):
        await ask(Agent(model, tools=[end, fine]), "go")
    outcome = aborted.value.outcome
    assert aborted.value.__cause__ is fatal
    assert outcome.stop == "failed"
    assert [e.state for e in outcome.tool_executions] == ["committed", "failed", "committed"]
    assert [m.text for m in outcome.messages if isinstance(m, ToolResult)] == [
        "fine",
        "the account is locked",
        "fine",
    ]
    valid(outcome)


@every_kind
async def test_calls_that_the_provider_ran_itself_are_kept_and_not_run_here(ask: Ask) -> None:
    with ScriptedModel(
        [[call("web_search", {"q": "x"}, server_side=True), call("fine")], "done"]
    ) as model:
        outcome = await ask(Agent(model, tools=[fine_tool]), "go")
    assert [e.name for e in outcome.tool_executions] == ["fine"]
    said = [m for m in outcome.messages if isinstance(m, AssistantMessage)]
    assert [one.name for one in said[0].tool_calls] == ["web_search", "fine"]


@tool(name="fine")
def fine_tool() -> str:
    """Be fine."""
    return "fine"


@every_kind
async def test_every_attempt_gets_the_arguments_as_they_were_validated(ask: Ask) -> None:
    stamina.set_testing(True, attempts=3)
    tries: list[int] = []

    @tool(idempotent=True, retries=2)
    def total(numbers: list[int]) -> int:
        """Add up, after one failure."""
        numbers.append(100)
        tries.append(len(numbers))
        if len(tries) == 1:
            raise OSError("flaky")
        return sum(numbers)

    try:
        with ScriptedModel([call("total", {"numbers": [1, 2]}), "done"]) as model:
            outcome = await ask(Agent(model, tools=[total]), "go")
    finally:
        stamina.set_testing(False)
    (execution,) = outcome.tool_executions
    assert (execution.value, execution.attempts, tries) == (103, 2, [3, 3])
    assert execution.arguments == {"numbers": [1, 2]}

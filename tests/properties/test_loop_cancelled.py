"""Whenever a run is cancelled, and by whomever: the round is closed, and told once."""

from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import examples
from tests.runtime.gates import valid
from toolcrib.agent import Agent
from toolcrib.errors import ToolError
from toolcrib.loop.error_policy import ErrorPolicy
from toolcrib.loop.events import Event, RunFailed, RunFinished, ToolFinished, ToolStarted
from toolcrib.loop.outcome import RunAborted
from toolcrib.testing import ScriptedModel, call
from toolcrib.tools.function import tool
from toolcrib.tools.signals import FatalToolError


@tool
async def ticks(n: int) -> int:
    """Be done after so many turns of the event loop."""
    for _ in range(n):
        await asyncio.sleep(0)
    return n


@tool
async def tidy(n: int) -> int:
    """The same, and clean up for as long."""
    try:
        for _ in range(n):
            await asyncio.sleep(0)
    finally:
        for _ in range(n):
            await asyncio.sleep(0)
    return n


@tool
async def stubborn(n: int) -> int:
    """The same, and do not want to be cancelled."""
    for _ in range(n):
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            continue
    return n


@tool(exclusive=True)
async def fails(n: int) -> None:
    """Fail after so many turns."""
    for _ in range(n):
        await asyncio.sleep(0)
    raise ToolError("failed")


@tool
async def fatal(n: int) -> None:
    """End the run after so many turns."""
    for _ in range(n):
        await asyncio.sleep(0)
    raise FatalToolError


@tool
def plain(n: int) -> int:
    """In a thread."""
    return n


TOOLS = [ticks, tidy, stubborn, fails, fatal, plain]
names = st.sampled_from([one.name for one in TOOLS])
calls = st.builds(call, names, st.integers(0, 6).map(lambda n: {"n": n}))
scripts = st.lists(st.lists(calls, min_size=1, max_size=4), min_size=1, max_size=3)


async def _slow(step: Any) -> Any:
    for _ in range(3):
        await asyncio.sleep(0)
    return step


async def _cancelled(agent: Agent, after: int, by: str) -> str:
    """Run, cancel after so many turns of the event loop, and say what the caller saw."""
    if by == "task":
        task = asyncio.create_task(agent.run("go"))
        for _ in range(after):
            await asyncio.sleep(0)
        was_done = task.done()
        task.cancel()
        done, _ = await asyncio.wait([task], timeout=20)
        assert done
        assert task.cancelled() != was_done
        if not was_done:
            return "outside"
        return "failed" if task.exception() is not None else "ended"
    try:
        async with agent.stream("go") as run:
            for _ in range(after):
                await asyncio.sleep(0)
            run.cancel()
    except RunAborted:
        return "failed"
    return "ended"


@given(
    scripts,
    st.integers(0, 40),
    st.sampled_from(["task", "run"]),
    st.sampled_from([1, 2, 16]),
    st.booleans(),
)
@settings(max_examples=examples(200), deadline=None)
def test_a_cancelled_run_is_whole_and_told_once(
    script: Any, after: int, by: str, concurrency: int, siblings: bool
) -> None:
    events: list[Event] = []
    agent = Agent(
        ScriptedModel([lambda _, step=step: _slow(step) for step in script], forever="done"),
        tools=TOOLS,
        concurrency=concurrency,
        errors=ErrorPolicy(cancel_siblings=siblings),
        observers=[events.append],
    )
    saw = asyncio.run(_cancelled(agent, after, by))
    ends = [event for event in events if isinstance(event, RunFinished | RunFailed)]
    if not events:
        assert by == "task"  # it had not even begun
        return
    (end,) = ends
    assert events[-1] is end
    valid(end.outcome)
    assert end.outcome.stop in {"cancelled", "answered", "failed"}
    if saw == "ended":
        assert isinstance(end, RunFinished)
    started = [(e.round, e.position) for e in events if isinstance(e, ToolStarted)]
    finished = [(e.round, e.position) for e in events if isinstance(e, ToolFinished)]
    assert len(set(started)) == len(started)
    assert len(set(finished)) == len(finished)
    assert set(started) <= set(finished)
    assert len(finished) == len(end.outcome.tool_executions)

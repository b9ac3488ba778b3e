"""What only a process of its own can show: Ctrl-C, fork, leaving, and nothing said on the way out."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

from tests.processes import without_slow_steps

PRELUDE = """
import asyncio, os, signal, sys, threading, time
from toolcrib.agent import Agent
from toolcrib.loop.limits import Limits
from toolcrib.testing import ScriptedModel, call
from toolcrib.tools.function import tool

@tool
def add(a: int = 1) -> int:
    "Add one."
    return a + 1

def calls_then_says(request):
    return "done" if request.messages[-1].role == "tool" else call("add", {"a": 1})

agent = Agent(ScriptedModel(forever=calls_then_says), tools=[add])
"""


def _python(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", PRELUDE + textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def _quiet(program: str) -> str:
    done = _python(program)
    assert (done.returncode, without_slow_steps(done.stderr)) == (0, "")
    return done.stdout.strip()


def test_only_the_words_about_a_slow_machine_are_overlooked() -> None:
    slow = "Executing <Task finished name='Task-1' coro=<main() done>> took 0.127 seconds\n"
    assert without_slow_steps(slow + "Task exception was never retrieved\n" + slow) == (
        "Task exception was never retrieved\n"
    )


def test_five_event_loops_in_a_row_leave_nothing_behind() -> None:
    program = """
    for _ in range(5):
        assert asyncio.run(agent.run("go")).content == "done"
    print("fine")
    """
    assert _quiet(program) == "fine"


def test_every_kind_of_run_leaves_a_process_without_a_word() -> None:
    program = """
    async def all_kinds():
        await agent.run("go")
        async with agent.stream("go") as run:
            async for event in run:
                pass
        async for step in agent.steps("go"):
            pass
        async for event in agent.stream("go"):
            break
        agent.run_sync("go")
    asyncio.run(all_kinds())
    agent.run_sync("go")
    with agent.stream_sync("go") as run:
        for event in run:
            break
    for event in agent.stream_sync("go"):
        pass
    agent.close_sync()
    print("fine")
    """
    assert _quiet(program) == "fine"


def test_a_child_of_a_fork_makes_its_own_threads() -> None:
    program = """
    assert agent.run_sync("go").content == "done"
    import warnings
    warnings.simplefilter("ignore", DeprecationWarning)  # 3.12 warns of any fork with threads
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        ok = agent.run_sync("go").content == "done"
        os._exit(0 if ok else 1)
    signal.alarm(20)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert agent.run_sync("go").content == "done"
    print("fine")
    """
    assert _quiet(program) == "fine"


INTERRUPTED = """
seen = []

@tool(thread={thread!r})
{kind} wait() -> str:
    "Wait for ever."
    print("waiting", flush=True)
    {waits}
    return "never"

agent = Agent(
    ScriptedModel([call("wait")]), tools=[wait],
    observers=[lambda event: seen.append(getattr(event, "outcome", None))],
)
try:
    {run}
except KeyboardInterrupt:
    (outcome,) = [one for one in seen if one is not None]
    print(outcome.stop, outcome.tool_executions[0].state, type(outcome.messages[-1]).__name__)
    assert Agent(ScriptedModel(["again"])).run_sync("go").content == "again"
    sys.exit(7)
"""


@pytest.mark.parametrize("run", ["agent.run_sync('go')", "list(agent.stream_sync('go'))"])
@pytest.mark.parametrize(
    ("kind", "thread", "waits"),
    [
        ("async def", "pool", "await asyncio.Event().wait()"),
        ("def", "pool", "threading.Event().wait()"),
        ("def", "caller", "threading.Event().wait()"),
    ],
    ids=["async", "in the pool", "by the caller"],
)
def test_ctrl_c_cancels_the_run_puts_it_in_order_and_is_raised_on(
    kind: str, thread: str, waits: str, run: str
) -> None:
    program = PRELUDE + INTERRUPTED.format(kind=kind, thread=thread, waits=waits, run=run)
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (out.strip(), without_slow_steps(err)) == ("cancelled unknown ToolResult", "")
    assert process.returncode == 7


def test_ctrl_c_in_an_event_loop_of_the_programs_cancels_the_run_too() -> None:
    program = """
    seen = []
    @tool
    async def wait() -> str:
        "Wait for ever."
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.Event().wait()
    agent = Agent(ScriptedModel([call("wait")]), tools=[wait],
        observers=[lambda event: seen.append(getattr(event, "outcome", None))])
    try:
        asyncio.run(agent.run("go"))
    except KeyboardInterrupt:
        (outcome,) = [one for one in seen if one is not None]
        print(outcome.stop, outcome.tool_executions[0].state)
    """
    assert _quiet(program) == "cancelled unknown"


def test_an_event_loop_that_ends_in_the_middle_of_a_stream_ends_the_run_quietly() -> None:
    program = """
    @tool
    async def wait() -> str:
        "Wait for ever."
        await asyncio.Event().wait()
    async def main():
        run = Agent(ScriptedModel([call("wait")]), tools=[wait]).stream("go")
        async for event in run:
            if type(event).__name__ == "ToolStarted":
                return
    asyncio.run(main())
    print("fine")
    """
    assert _quiet(program) == "fine"


def test_a_sync_tool_that_hangs_for_ever_does_not_keep_the_process_from_ending() -> None:
    program = """
    @tool(timeout=0.05)
    def hang() -> None:
        "Hang."
        threading.Event().wait()
    outcome = Agent(ScriptedModel([call("hang"), "done"]), tools=[hang]).run_sync("go")
    print(outcome.tool_executions[0].fault)
    """
    assert _quiet(program) == "timeout"


def test_a_sync_tool_that_was_left_alone_may_still_fail_without_a_word() -> None:
    program = """
    release = threading.Event()
    @tool(timeout=0.05)
    def late() -> None:
        "Fail, too late."
        release.wait()
        raise ValueError("too late")
    outcome = Agent(ScriptedModel([call("late"), "done"]), tools=[late]).run_sync("go")
    release.set()
    print(outcome.tool_executions[0].fault)
    """
    assert _quiet(program) == "timeout"


def test_a_stream_that_nobody_finished_does_not_keep_the_process_from_ending() -> None:
    program = """
    @tool
    async def wait() -> str:
        "Wait for ever."
        await asyncio.Event().wait()
    run = Agent(ScriptedModel([call("wait")]), tools=[wait]).stream_sync("go")
    events = iter(run)
    print(type(next(events)).__name__)
    other = Agent(ScriptedModel([call("wait")]), tools=[wait]).stream_sync("go")
    other.__enter__()
    """
    assert _quiet(program) == "RunStarted"

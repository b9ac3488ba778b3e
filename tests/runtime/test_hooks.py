"""Hooks may look, change, answer, deny or raise; observers only look."""

import logging
from dataclasses import replace
from typing import Any

import pytest

from tests.kinds import Ask, every_kind
from tests.runtime.gates import valid
from toolcrib.agent import Agent
from toolcrib.errors import ConfigurationError
from toolcrib.loop.decisions import Answer, Approve, Deny, Edit
from toolcrib.loop.outcome import RunAborted
from toolcrib.messages import SystemMessage, Text, ToolResult, UserMessage
from toolcrib.runtime.hooks import Hooks
from toolcrib.testing import ScriptedModel, call
from toolcrib.tools.function import tool


def _hook(colour: str, **methods: Any) -> Hooks:
    """A hook of these functions, each as `def` or as `async def`."""

    def method(function: Any) -> Any:
        def sync(self: Any, *args: Any) -> Any:
            return function(*args)

        async def later(self: Any, *args: Any) -> Any:
            return function(*args)

        return sync if colour == "sync" else later

    made: Hooks = type("Hook", (Hooks,), {k: method(f) for k, f in methods.items()})()
    return made


both_colours = pytest.mark.parametrize("colour", ["sync", "async"])


@every_kind
@both_colours
async def test_a_request_can_be_rewritten_and_the_history_stays_as_it_is(
    ask: Ask, colour: str
) -> None:
    def shorter(request: Any, context: Any) -> Any:
        return replace(request, messages=(SystemMessage("Be brief."), *request.messages))

    with ScriptedModel([call("double", {"n": 1}), "done"]) as model:
        agent = Agent(model, tools=[double], hooks=[_hook(colour, before_model=shorter)])
        outcome = await ask(agent, "go")
    assert [type(r.messages[0]) for r in model.requests] == [SystemMessage, SystemMessage]
    assert [len(r.messages) for r in model.requests] == [2, 4]
    assert isinstance(outcome.messages[0], UserMessage)


@every_kind
@both_colours
async def test_arguments_can_be_edited_and_are_validated_again(ask: Ask, colour: str) -> None:
    hook = _hook(colour, before_tool=lambda execution, context: Edit({"n": "20"}))
    with ScriptedModel([call("double", {"n": 1}), "done"]) as model:
        outcome = await ask(Agent(model, tools=[double], hooks=[hook]), "go")
    (execution,) = outcome.tool_executions
    assert execution.value == 40
    assert execution.arguments == {"n": 20}
    assert execution.call.arguments == '{"n":1}' or "1" in execution.call.arguments


@every_kind
@both_colours
async def test_a_hook_can_answer_in_place_of_the_tool(ask: Ask, colour: str) -> None:
    hook = _hook(colour, before_tool=lambda execution, context: Answer({"cached": True}))
    with ScriptedModel([call("explode"), "done"]) as model:
        outcome = await ask(Agent(model, tools=[explode], hooks=[hook]), "go")
    (execution,) = outcome.tool_executions
    assert execution.value == {"cached": True}
    assert execution.result is not None
    assert execution.result.text == '{"cached":true}'
    assert execution.attempts == 0


@every_kind
@both_colours
async def test_a_denied_call_is_not_run_and_the_model_is_told(ask: Ask, colour: str) -> None:
    hook = _hook(colour, before_tool=lambda execution, context: Deny("Not on Sundays."))
    with ScriptedModel([[call("explode"), call("explode")], "done"]) as model:
        outcome = await ask(Agent(model, tools=[explode], hooks=[hook]), "go")
    for execution in outcome.tool_executions:
        assert (execution.state, execution.fault) == ("not_run", "denied")
        assert execution.result is not None
        assert execution.result.text == "Not on Sundays."
        assert execution.is_error


@every_kind
async def test_hooks_run_in_order_and_the_first_that_decides_decides(ask: Ask) -> None:
    seen: list[Any] = []

    def edit(execution: Any, context: Any) -> Any:
        seen.append(execution.arguments["n"])
        return Edit({"n": 2})

    def look(execution: Any, context: Any) -> Any:
        seen.append(execution.arguments["n"])
        return Approve()

    def never(execution: Any, context: Any) -> Any:
        raise AssertionError("decided already")

    hooks = [
        _hook("sync", before_tool=edit),
        _hook("async", before_tool=look),
        _hook("sync", before_tool=lambda e, c: Answer("enough")),
        _hook("sync", before_tool=never),
    ]
    with ScriptedModel([call("double", {"n": 1}), "done"]) as model:
        outcome = await ask(Agent(model, tools=[double], hooks=hooks), "go")
    assert seen == [1, 2]
    assert outcome.tool_executions[0].value == "enough"


@every_kind
@both_colours
@pytest.mark.parametrize("where", ["before_model", "before_tool", "after_tool"])
async def test_what_a_hook_raises_ends_the_run_as_the_same_instance(
    ask: Ask, where: str, colour: str
) -> None:
    mine = PermissionError("not you")

    def raising(*args: Any) -> None:
        raise mine

    steps = [] if where == "before_model" else [[call("double", {"n": 1}), call("double")]]
    with ScriptedModel(steps) as model:
        agent = Agent(model, tools=[double], hooks=[_hook(colour, **{where: raising})])
        with pytest.raises(RunAborted) as aborted:
            await ask(agent, "go")
    assert aborted.value.__cause__ is mine
    valid(aborted.value.outcome)
    if where == "before_tool":
        first, second = aborted.value.outcome.tool_executions
        assert first.state == "not_run"
        assert second.fault == "arguments"  # it did not get as far as the hook
    if where == "after_tool":
        # what was done is not hidden by a hook that fails afterwards
        assert aborted.value.outcome.tool_executions[0].value == 2
        assert aborted.value.outcome.tool_executions[0].state == "committed"


@every_kind
@both_colours
async def test_a_result_can_be_replaced_after_the_call(ask: Ask, colour: str) -> None:
    def hide(execution: Any, context: Any) -> Any:
        return replace(execution.result, content=(Text("[hidden]"),))

    with ScriptedModel([call("double", {"n": 4}), "done"]) as model:
        agent = Agent(model, tools=[double], hooks=[_hook(colour, after_tool=hide)])
        outcome = await ask(agent, "go")
    assert outcome.tool_executions[0].value == 8
    assert "[hidden]" in [m.text for m in outcome.messages]
    valid(outcome)


@every_kind
async def test_a_result_of_a_hooks_own_making_still_answers_its_call_within_the_budget(
    ask: Ask,
) -> None:
    def make(execution: Any, context: Any) -> Any:
        return ToolResult("somebody else's", "another", (Text("x" * 100_000),))

    with ScriptedModel([call("double", {"n": 4}), "done"]) as model:
        hook = _hook("sync", after_tool=make)
        outcome = await ask(Agent(model, tools=[double], hooks=[hook]), "go")
    valid(outcome)
    (execution,) = outcome.tool_executions
    assert execution.result is not None
    assert len(execution.result.text.encode()) <= 32_768


@every_kind
@pytest.mark.parametrize(("where", "wrong"), [("before_tool", True), ("after_tool", "text")])
async def test_a_hook_that_gives_something_else_is_a_fault_of_the_program(
    ask: Ask, where: str, wrong: Any
) -> None:
    hook = _hook("sync", **{where: lambda *args: wrong})
    with ScriptedModel([call("double", {"n": 1})]) as model, pytest.raises(RunAborted) as aborted:
        await ask(Agent(model, tools=[double], hooks=[hook]), "go")
    assert isinstance(aborted.value.__cause__, ConfigurationError)
    valid(aborted.value.outcome)


@every_kind
async def test_after_tool_sees_failures_and_unknown_tools_too(ask: Ask) -> None:
    seen: list[Any] = []
    hook = _hook("sync", after_tool=lambda e, c: seen.append((e.name, e.fault)))
    calls = [call("explode"), call("nobody"), call("double", {"n": 1})]
    with ScriptedModel([calls, "done"]) as model:
        await ask(Agent(model, tools=[explode, double], hooks=[hook]), "go")
    assert sorted(seen, key=str) == sorted(
        [("explode", "execution"), ("nobody", "unknown_tool"), ("double", None)], key=str
    )


# --- observers and events -------------------------------------------------------------------------

SCRIPT = [[call("double", {"n": 1}), call("nobody"), call("explode")], call("double"), "well done"]


async def _events(ask: Ask) -> list[Any]:
    events: list[Any] = []
    with ScriptedModel(SCRIPT) as model:
        agent = Agent(
            model, tools=[double, explode], observers=[events.append], concurrency=1, name="ada"
        )
        await ask(agent, "go")
    return events


@every_kind
async def test_observers_see_the_same_events_in_every_kind_of_run(ask: Ask) -> None:
    names = [type(event).__name__ for event in await _events(ask)]
    deltas = ("TextDelta", "ToolCallDelta", "ToolCallReady")
    assert [name for name in names if name not in deltas] == [
        "RunStarted",
        "ModelRequested",
        "ModelReplied",
        "ToolStarted",
        "ToolFinished",
        "ToolFinished",
        "ToolStarted",
        "ToolFinished",
        "RoundFinished",
        "ModelRequested",
        "ModelReplied",
        "ToolFinished",
        "RoundFinished",
        "ModelRequested",
        "ModelReplied",
        "RunFinished",
    ]


@every_kind
async def test_events_name_their_round_and_call(ask: Ask) -> None:
    events = await _events(ask)
    finished = [e for e in events if type(e).__name__ == "ToolFinished"]
    assert [(e.round, e.position) for e in finished] == [(0, 0), (0, 1), (0, 2), (1, 0)]
    assert [e.execution.fault for e in finished] == [None, "unknown_tool", "execution", "arguments"]
    assert events[0].name == "ada"
    assert events[-1].outcome.run_id == events[0].run_id != ""


async def test_a_stream_shows_what_observers_see() -> None:
    seen: list[Any] = []
    with ScriptedModel(SCRIPT) as model:
        agent = Agent(model, tools=[double, explode], observers=[seen.append])
        async with agent.stream("go") as run:
            shown = [event async for event in run]
    assert shown == seen
    assert "".join(e.text for e in shown if type(e).__name__ == "TextDelta") == "well done"


@every_kind
async def test_an_observer_that_fails_disturbs_nobody(
    ask: Ask, caplog: pytest.LogCaptureFixture
) -> None:
    events: list[Any] = []

    def broken(event: Any) -> None:
        raise RuntimeError("broken observer")

    with ScriptedModel([call("double", {"n": 1}), "done"]) as model:
        agent = Agent(model, tools=[double], observers=[broken, events.append])
        with caplog.at_level(logging.ERROR, "toolcrib.observers"):
            assert (await ask(agent, "go")).content == "done"
    assert type(events[-1]).__name__ == "RunFinished"
    assert "an observer failed at RunStarted" in caplog.text


@every_kind
async def test_calls_that_are_not_run_at_a_limit_are_told_as_answered_too(ask: Ask) -> None:
    from toolcrib.loop.limits import Limits

    events: list[Any] = []
    script = [call("double", {"n": 1}), [call("double", {"n": 2}), call("double", {"n": 3})]]
    with ScriptedModel(script) as model:
        limits = Limits(model_calls=2)
        outcome = await ask(
            Agent(model, tools=[double], limits=limits, observers=[events.append]), "go"
        )
    told = [e for e in events if type(e).__name__ == "ToolFinished"]
    assert [(e.round, e.position) for e in told] == [(0, 0), (1, 0), (1, 1)]
    assert [e.execution for e in told] == list(outcome.tool_executions)
    assert [type(e).__name__ for e in events[-2:]] == ["RoundFinished", "RunFinished"]


@every_kind
async def test_a_run_that_failed_says_so_with_its_outcome(ask: Ask) -> None:
    events: list[Any] = []
    broken = RuntimeError("no model")
    agent = Agent(ScriptedModel([broken]), observers=[events.append])
    with pytest.raises(RunAborted):
        await ask(agent, "go")
    assert type(events[-1]).__name__ == "RunFailed"
    assert events[-1].error is broken
    assert events[-1].outcome.stop == "failed"


@every_kind
@pytest.mark.parametrize("colour", ["sync", "async", "generator"])
async def test_progress_is_told_between_start_and_end(ask: Ask, colour: str) -> None:
    from toolcrib.tools.context import ToolContext

    @tool(name="work")
    def work_sync(context: ToolContext) -> str:
        """Work."""
        context.report(1)
        context.report(2)
        return "worked"

    @tool(name="work")
    async def work_async(context: ToolContext) -> str:
        """Work."""
        context.report(1)
        context.report(2)
        return "worked"

    @tool(name="work")
    async def work_generator() -> Any:
        """Work."""
        yield 1
        yield 2
        yield "worked"

    work = {"sync": work_sync, "async": work_async, "generator": work_generator}[colour]
    events: list[Any] = []
    with ScriptedModel([call("work"), "done"]) as model:
        outcome = await ask(Agent(model, tools=[work], observers=[events.append]), "go")
    assert outcome.tool_executions[0].value == "worked"
    names = [type(event).__name__ for event in events]
    at = names.index("ToolStarted")
    assert names[at : at + 4] == ["ToolStarted", "ToolProgress", "ToolProgress", "ToolFinished"]
    assert [e.progress for e in events if type(e).__name__ == "ToolProgress"] == [1, 2]


async def test_a_thread_that_was_left_alone_tells_no_more_progress() -> None:
    import asyncio
    import threading

    from toolcrib.tools.context import ToolContext

    release, told = threading.Event(), threading.Event()

    @tool(timeout=0.02)
    def slow(context: ToolContext) -> None:
        """Report too late."""
        release.wait(10)
        context.report("too late")
        told.set()

    events: list[Any] = []
    with ScriptedModel([call("slow"), "done"]) as model:
        await Agent(model, tools=[slow], observers=[events.append]).run("go")
    count = len(events)
    release.set()
    await asyncio.to_thread(told.wait, 10)
    await asyncio.sleep(0)
    assert len(events) == count


@tool
def double(n: int) -> int:
    """Double."""
    return n * 2


@tool
def explode() -> None:
    """Explode."""
    raise RuntimeError("boom")

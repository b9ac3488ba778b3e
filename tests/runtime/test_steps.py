"""Between rounds a person may look, say more, add or take tools, force a tool, or stop."""

from typing import Any

import pytest

from tests.runtime.gates import valid
from toolcrib.agent import Agent
from toolcrib.chat import NamedTool
from toolcrib.errors import ConfigurationError
from toolcrib.loop.outcome import RunAborted
from toolcrib.messages import AssistantMessage, SystemMessage, UserMessage
from toolcrib.testing import ScriptedModel, call
from toolcrib.tools.function import tool
from toolcrib.tools.wrappers import dynamic_toolset


@tool
def add(a: int, b: int) -> int:
    """Add."""
    return a + b


@tool
def extra() -> str:
    """More."""
    return "more"


async def test_each_step_shows_where_the_run_stands() -> None:
    seen: list[Any] = []
    with ScriptedModel([call("add", {"a": 1, "b": 2}), "three"]) as model:
        async for step in Agent(model, tools=[add]).steps("go"):
            said = None if step.reply is None else step.reply.message.text
            seen.append((step.number, step.last, len(step.messages), said, len(step.executions)))
    assert seen == [
        (0, False, 1, None, 0),
        (1, False, 3, "", 1),
        (2, True, 4, "three", 0),
    ]


async def test_nothing_is_asked_before_the_step_is_let_go() -> None:
    model = ScriptedModel(["hello"])
    async with Agent(model).steps("go") as run:
        await anext(run)
        assert model.requests == []
        await anext(run)
        assert len(model.requests) == 1
    assert run.outcome.content == "hello"


async def test_what_is_inserted_is_said_and_stays() -> None:
    with ScriptedModel([call("add", {"a": 1, "b": 2}), "done"]) as model:
        async with Agent(model, tools=[add]).steps("go") as run:
            async for step in run:
                if step.number == 1:
                    step.insert(SystemMessage("Hurry."), UserMessage("Please."))
    assert [m.text for m in model.requests[1].messages[-2:]] == ["Hurry.", "Please."]
    assert UserMessage("Please.") in run.outcome.new_messages
    valid(run.outcome)


async def test_calls_and_results_cannot_be_inserted() -> None:
    async with Agent(ScriptedModel(["x"])).steps("go") as run:
        step = await anext(run)
        with pytest.raises(ConfigurationError, match="paired"):
            step.insert(AssistantMessage("I said so"))  # type: ignore[arg-type]


async def test_a_tool_can_be_added_and_taken_away_for_the_rest_of_the_run() -> None:
    script = [call("extra"), call("extra"), call("extra"), "done"]
    with ScriptedModel(script) as model:
        async with Agent(model, tools=[add]).steps("go") as run:
            async for step in run:
                if step.number == 0:
                    step.add_tool(extra)
                if step.number == 2:
                    step.remove_tool("extra")
    listed = [[one.name for one in r.tools] for r in model.requests]
    assert listed == [["add", "extra"], ["add", "extra"], ["add"], ["add"]]
    faults = [e.fault for e in run.outcome.tool_executions]
    assert faults == [None, None, "unknown_tool"]


async def test_a_tool_of_a_dynamic_toolset_stays_away_once_it_is_taken_and_can_come_back() -> None:
    with ScriptedModel([call("add", {"a": n, "b": 1}) for n in range(4)] + ["done"]) as model:
        toolset = dynamic_toolset(lambda context: [add, extra])
        async with Agent(model, tools=[toolset]).steps("go") as run:
            async for step in run:
                if step.number == 1:
                    step.remove_tool("extra")
                if step.number == 3:
                    step.add_tool(extra)
    listed = [[one.name for one in r.tools] for r in model.requests]
    assert listed[:3] == [["add", "extra"], ["add"], ["add"]]
    assert listed[3] == ["add", "extra"]


async def test_a_name_that_is_taken_cannot_be_added() -> None:
    @tool(name="add")
    def another() -> None:
        """Another one."""

    async with Agent(ScriptedModel(["x"]), tools=[add]).steps("go") as run:
        step = await anext(run)
        with pytest.raises(ConfigurationError, match="add"):
            step.add_tool(another)


async def test_a_forced_tool_is_forced_once() -> None:
    def obedient(request: Any) -> Any:
        forced = isinstance(request.tool_choice, NamedTool) or request.tool_choice == "required"
        return call("add", {"a": 1, "b": 1}) if forced else "done"

    model = ScriptedModel(forever=obedient)
    async with Agent(model, tools=[add]).steps("go") as run:
        async for step in run:
            if step.number == 0:
                step.tool_choice = NamedTool("add")
    assert run.outcome.stop == "answered"
    assert [r.tool_choice for r in model.requests] == [NamedTool("add"), "auto"]


async def test_a_step_can_stop_the_run() -> None:
    with ScriptedModel([call("add", {"a": 1, "b": 2})]) as model:
        async with Agent(model, tools=[add]).steps("go") as run:
            async for step in run:
                if step.number == 1:
                    step.stop("cancelled")
    assert run.outcome.stop == "cancelled"
    assert [e.value for e in run.outcome.tool_executions] == [3]
    valid(run.outcome)


@pytest.mark.parametrize("leave_at", [0, 1, 2])
async def test_leaving_between_steps_ends_the_run_in_order(leave_at: int) -> None:
    model = ScriptedModel([call("add", {"a": 1, "b": 2}), "three"])
    async with Agent(model, tools=[add]).steps("go") as run:
        async for step in run:
            if step.number == leave_at:
                break
    assert run.outcome.stop == ("answered" if leave_at == 2 else "cancelled")
    assert len(model.requests) == leave_at
    valid(run.outcome)


async def test_steps_show_visible_and_available_tools_with_origin_and_reason() -> None:
    async with Agent(ScriptedModel(["x"]), tools=[add]).steps("go") as run:
        step = await anext(run)
        assert step.visible == step.available
        (listed,) = step.visible
        assert listed.name == "add"
        assert "test_steps.add" in listed.origin
        assert listed.reason


async def test_a_run_that_fails_raises_where_its_steps_are_iterated() -> None:
    with pytest.raises(RunAborted):
        await _numbers(Agent(ScriptedModel([RuntimeError("no model")])))


async def _numbers(agent: Agent) -> list[int]:
    return [step.number async for step in agent.steps("go")]


async def test_a_failure_is_raised_on_leaving_if_nobody_saw_it() -> None:
    with pytest.raises(RunAborted):
        await _until_it_failed(Agent(ScriptedModel([RuntimeError("no model")])))


async def _until_it_failed(agent: Agent) -> None:
    async with agent.stream("go") as run:
        async for event in run:
            if type(event).__name__ == "RunFailed":
                break


def test_a_failure_is_raised_on_leaving_a_sync_stream_if_nobody_saw_it() -> None:
    run = Agent(ScriptedModel([RuntimeError("no model")])).stream_sync("go")
    with pytest.raises(RunAborted), run:
        next(event for event in run if type(event).__name__ == "RunFailed")


async def test_a_run_can_be_entered_once_only_and_has_no_outcome_before_its_end() -> None:
    run = Agent(ScriptedModel(["x"])).stream("go")
    with pytest.raises(RuntimeError, match="not ended"):
        _ = run.outcome
    async with run:
        async for _ in run:
            pass
    with pytest.raises(RuntimeError, match="once"):
        async with run:
            pass
    sync = Agent(ScriptedModel(["x"])).stream_sync("go")
    with sync:
        list(sync)
    with pytest.raises(RuntimeError, match="once"), sync:
        pass


async def test_a_plain_function_can_be_added() -> None:
    def more() -> str:
        """More."""
        return "more"

    with ScriptedModel([call("more"), "done"]) as model:
        async with Agent(model).steps("go") as run:
            async for step in run:
                if step.number == 0:
                    step.add_tool(more)
    assert run.outcome.tool_executions[0].value == "more"


async def test_a_change_that_makes_no_sense_is_refused_where_it_is_made() -> None:
    async with Agent(ScriptedModel(["hi"]), tools=[add]).steps("go") as run:
        async for step in run:
            with pytest.raises(ConfigurationError, match=r"'nope'.*add"):
                step.remove_tool("nope")
            with pytest.raises(ConfigurationError, match="no tool"):
                step.add_tool("add")
    assert run.outcome.content == "hi"


@pytest.mark.parametrize("choice", ["zork", NamedTool("nope")])
async def test_a_tool_choice_that_cannot_be_had_is_refused(choice: Any) -> None:
    async def force() -> None:
        async for step in Agent(ScriptedModel(), tools=[add]).steps("go"):
            step.tool_choice = choice

    with pytest.raises(ConfigurationError, match="tool_choice"):
        await force()

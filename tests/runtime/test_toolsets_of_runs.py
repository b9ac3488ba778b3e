"""Which tools a run lists: asked in time, only growing, each name from one origin."""

from typing import Any

import pytest

from tests.kinds import Ask, every_kind
from tests.runtime.gates import valid
from toolcrib.agent import Agent
from toolcrib.errors import ConfigurationError
from toolcrib.loop.outcome import RunAborted
from toolcrib.testing import ScriptedModel, call
from toolcrib.toolbox import Toolbox
from toolcrib.tools.context import RunContext, RunParameters, ToolContext
from toolcrib.tools.function import tool
from toolcrib.tools.tool import Tool
from toolcrib.tools.toolset import Toolset


def _tool(tool_name: str, says: str = "") -> Any:
    @tool(name=tool_name)
    def run() -> str:
        """Run."""
        return says or tool_name

    return run


A, B, C = map(_tool, "abc")


class Scripted(Toolset):
    """Gives one list after the other, then the last one for ever."""

    def __init__(self, *lists: list[Tool], dynamic: bool = True) -> None:
        self.lists = list(lists)
        self.dynamic = dynamic
        self.asked: list[int] = []

    async def tools(self, context: RunContext) -> list[Tool]:
        self.asked.append(len(context.messages))
        return self.lists[min(len(self.asked), len(self.lists)) - 1]


def _names(model: ScriptedModel) -> list[list[str]]:
    return [[one.name for one in request.tools] for request in model.requests]


@every_kind
async def test_static_toolsets_are_asked_once_and_dynamic_ones_before_every_request(
    ask: Ask,
) -> None:
    static, dynamic = Scripted([A], dynamic=False), Scripted([B])
    with ScriptedModel([call("a"), call("b"), "done"]) as model:
        await ask(Agent(model, tools=[static, dynamic]), "go")
    assert static.asked == [1]
    assert dynamic.asked == [1, 3, 5]
    assert _names(model) == [["a", "b"]] * 3


@every_kind
async def test_a_tool_that_comes_later_is_in_the_next_request(ask: Ask) -> None:
    with ScriptedModel([call("a"), call("b"), "done"]) as model:
        outcome = await ask(Agent(model, tools=[Scripted([A], [B, A])]), "go")
    assert _names(model) == [["a"], ["a", "b"], ["a", "b"]]
    assert [e.value for e in outcome.tool_executions] == ["a", "b"]


@every_kind
async def test_a_tool_that_vanishes_stays_listed_and_is_answered_as_gone(ask: Ask) -> None:
    with ScriptedModel([call("b"), call("b"), call("b"), "done"]) as model:
        outcome = await ask(Agent(model, tools=[Scripted([A, B], [A], [A, B])]), "go")
    assert _names(model) == [["a", "b"]] * 4
    assert [e.fault for e in outcome.tool_executions] == [None, "unknown_tool", None]
    told = outcome.tool_executions[1].result
    assert told is not None
    assert "no longer available" in told.text
    assert told.is_error
    valid(outcome)


@every_kind
async def test_the_newest_definition_of_a_tool_wins_in_its_old_place(ask: Ask) -> None:
    newer = _tool("a", "newer")
    with ScriptedModel([call("a"), call("a"), "done"]) as model:
        outcome = await ask(Agent(model, tools=[Scripted([A, B], [B, newer])]), "go")
    assert [e.value for e in outcome.tool_executions] == ["a", "newer"]
    assert _names(model)[-1] == ["a", "b"]


@every_kind
async def test_definitions_are_the_same_object_while_nothing_is_new(ask: Ask) -> None:
    with ScriptedModel([call("a"), call("a", id="x"), "done"]) as model:
        await ask(Agent(model, tools=[Scripted([A]), B]), "go")
    first = model.requests[0].tools
    assert all(request.tools is first for request in model.requests)


@every_kind
async def test_one_name_from_two_origins_is_refused_with_both(ask: Ask) -> None:
    model = ScriptedModel()
    agent = Agent(model, tools=[Scripted([A]), _tool("a")])
    with pytest.raises(ConfigurationError, match="Two tools are named 'a'"):
        await ask(agent, "go")
    assert model.requests == []


@every_kind
async def test_a_name_that_clashes_later_ends_the_run_with_all_that_was_done(ask: Ask) -> None:
    with ScriptedModel([call("a")]) as model, pytest.raises(RunAborted) as aborted:
        await ask(Agent(model, tools=[A, Scripted([B], [B, _tool("a")])]), "go")
    assert isinstance(aborted.value.__cause__, ConfigurationError)
    assert [e.value for e in aborted.value.outcome.tool_executions] == ["a"]
    valid(aborted.value.outcome)


@every_kind
async def test_a_toolset_that_fails_ends_the_run_with_all_that_was_done(ask: Ask) -> None:
    class Broken(Toolset):
        dynamic = True

        async def tools(self, context: RunContext) -> list[Tool]:
            if len(context.messages) > 1:
                raise ConnectionError("no registry")
            return [A]

    with ScriptedModel([call("a")]) as model, pytest.raises(RunAborted) as aborted:
        await ask(Agent(model, tools=[Broken()]), "go")
    assert isinstance(aborted.value.__cause__, ConnectionError)
    valid(aborted.value.outcome)


@every_kind
async def test_a_tool_sees_which_tools_are_visible_and_available(ask: Ask) -> None:
    @tool
    def look(context: ToolContext) -> list[str]:
        """Look around."""
        assert context.tools.visible == context.tools.available
        return [f"{one.name} from {one.origin}" for one in context.tools.visible]

    with ScriptedModel([call("look"), "done"]) as model:
        outcome = await ask(Agent(model, tools=[A, look]), "go")
    first, second = outcome.tool_executions[0].value
    assert first.startswith("a from function")
    assert second.startswith("look from function")


@every_kind
async def test_parameters_of_the_run_are_shared_by_its_tools_and_toolsets(ask: Ask) -> None:
    seen: list[Any] = []

    class Watching(Toolset):
        dynamic = True

        async def tools(self, context: RunContext) -> list[Tool]:
            seen.append(context.parameters.get("by"))
            return []

    @tool
    def write(parameters: RunParameters, context: ToolContext) -> None:
        """Write."""
        parameters["by"] = context.memory_id

    @tool
    def read(parameters: RunParameters) -> Any:
        """Read."""
        return parameters["by"]

    with ScriptedModel([call("write"), call("read"), "done"]) as model:
        agent = Agent(model, tools=[Watching(), write, read])
        outcome = await ask(agent, "go", memory_id="ada", parameters=RunParameters(by="nobody"))
    assert outcome.tool_executions[1].value == "ada"
    assert seen == ["nobody", "ada", "ada"]


@every_kind
async def test_an_unknown_name_is_answered_with_the_nearest_and_no_more_than_fifty_names(
    ask: Ask,
) -> None:
    many = [_tool(f"tool_{n}") for n in range(200)]
    with ScriptedModel([call("toool_7"), call("x" * 100_000), "done"]) as model:
        outcome = await ask(Agent(model, tools=many), "go")
    near, far = (e.result.text for e in outcome.tool_executions if e.result)
    assert "'tool_7'" in near
    assert len(near) < 1_000
    assert len(far) < 2_000


class _NotAsync(Toolset):
    def tools(self, context: RunContext) -> list[Tool]:  # type: ignore[override]
        return []


class _ListsFunctions(Toolset):
    async def tools(self, context: RunContext) -> list[Any]:
        return [print]


@pytest.mark.parametrize(
    ("toolset", "told"), [(_NotAsync(), "async def"), (_ListsFunctions(), "no Tool")]
)
async def test_a_toolset_that_lists_no_tools_is_refused_with_what_to_write(
    toolset: Toolset, told: str
) -> None:
    with pytest.raises(ConfigurationError, match=told):
        await Agent(ScriptedModel(), tools=[toolset]).run("go")
    with pytest.raises(ConfigurationError, match=told):
        await Toolbox([toolset]).refresh()

"""Immediate return: the table of the loop, through every kind of run."""

from typing import Any

import pytest

from tests.kinds import Ask, every_kind
from tests.loop.test_returning import WITH_ERRORS, WITHOUT_ERRORS
from tests.runtime.gates import valid
from toolcrib.agent import Agent
from toolcrib.messages import ToolResult, UserMessage
from toolcrib.testing import ScriptedModel, call
from toolcrib.tools.definition import ReturnBehavior
from toolcrib.tools.function import tool
from toolcrib.tools.signals import ReturnNow

BEHAVIORS = {
    "L": ReturnBehavior.TO_MODEL,
    "I": ReturnBehavior.IMMEDIATE,
    "F": ReturnBehavior.IMMEDIATE_IF_LAST,
}
ROWS = [*WITHOUT_ERRORS, *((row, False) for row in WITH_ERRORS)]


def _tool(letter: str) -> Any:
    @tool(name=letter, returns=BEHAVIORS[letter])
    def run(fail: bool = False) -> str:
        """Run."""
        if fail:
            raise ValueError("failed")
        return letter

    return run


TOOLS = [_tool(letter) for letter in BEHAVIORS]


@every_kind
@pytest.mark.parametrize(("row", "returns"), ROWS, ids=[row for row, _ in ROWS])
async def test_a_round_returns_by_the_table(ask: Ask, row: str, returns: bool) -> None:
    calls = [call(cell[0], {"fail": cell.endswith("e")}) for cell in row.split()]
    script: list[Any] = [calls] if returns else [calls, "done"]
    with ScriptedModel(script) as model:
        outcome = await ask(Agent(model, tools=TOOLS), "go")
    assert outcome.stop == ("returned" if returns else "answered")
    assert outcome.content == (None if returns else "done")
    values = [None if cell.endswith("e") else cell[0] for cell in row.split()]
    assert [e.value for e in outcome.tool_executions] == values
    valid(outcome)
    if returns:
        assert outcome.finish_reason == "tool_calls"
        assert isinstance(outcome.messages[-1], ToolResult)


@every_kind
async def test_the_next_turn_works_after_an_immediate_return(ask: Ask) -> None:
    with ScriptedModel([call("I")]) as model:
        first = await ask(Agent(model, tools=TOOLS), "go")
    assert len(first.messages) == 3
    with ScriptedModel(["and this"]) as model:
        second = await ask(Agent(model, tools=TOOLS), "what else?", messages=first.messages)
    assert second.content == "and this"
    assert len(second.messages) == 5
    assert second.new_messages[0] == UserMessage("what else?")
    assert len(second.new_messages) == 2


@every_kind
async def test_an_immediate_call_in_a_later_round_returns_too(ask: Ask) -> None:
    with ScriptedModel([call("L"), call("I")]) as model:
        outcome = await ask(Agent(model, tools=TOOLS), "go")
    assert outcome.stop == "returned"
    assert [e.value for e in outcome.tool_executions] == ["L", "I"]


@every_kind
async def test_an_unknown_name_beside_an_immediate_call_goes_back_to_the_model(ask: Ask) -> None:
    with ScriptedModel([[call("nobody"), call("F")], "done"]) as model:
        outcome = await ask(Agent(model, tools=TOOLS), "go")
    assert outcome.stop == "answered"


@every_kind
async def test_a_call_that_is_not_run_at_a_limit_does_not_return(ask: Ask) -> None:
    from toolcrib.loop.limits import Limits

    with ScriptedModel([call("I")]) as model:
        outcome = await ask(Agent(model, tools=TOOLS, limits=Limits(tool_calls=0)), "go")
    assert outcome.stop == "limit:tool_calls"


def _now(colour: str) -> Any:
    @tool(name="finish")
    def finish_sync() -> None:
        """Finish."""
        raise ReturnNow({"total": 5})

    @tool(name="finish")
    async def finish_async() -> None:
        """Finish."""
        raise ReturnNow({"total": 5})

    return finish_sync if colour == "sync" else finish_async


@every_kind
@pytest.mark.parametrize("colour", ["sync", "async"])
async def test_a_tool_may_end_the_run_with_its_value(ask: Ask, colour: str) -> None:
    with ScriptedModel([[call("L"), call("finish")]]) as model:
        outcome = await ask(Agent(model, tools=[*TOOLS, _now(colour)]), "go")
    assert outcome.stop == "returned"
    assert outcome.tool_executions[1].value == {"total": 5}
    assert outcome.tool_executions[1].state == "committed"
    assert outcome.messages[-1].text == '{"total":5}'
    valid(outcome)


@every_kind
async def test_a_run_goes_on_if_a_sibling_of_the_call_that_wants_to_return_failed(ask: Ask) -> None:
    with ScriptedModel([[call("L", {"fail": True}), call("finish")], "done"]) as model:
        outcome = await ask(Agent(model, tools=[*TOOLS, _now("sync")]), "go")
    assert outcome.stop == "answered"

"""The mistake table of the README: every wrong turn has one behaviour, in every kind of run."""

import asyncio
import json
import threading
from typing import Any

import pytest

from tests.kinds import Ask, every_kind
from toolcrib.agent import Agent
from toolcrib.loop.limits import Limits
from toolcrib.loop.outcome import Outcome
from toolcrib.testing import ScriptedModel, call, turn
from toolcrib.tools.execution import ToolExecution
from toolcrib.tools.function import tool


@tool
def get_weather(city: str, days: int = 1) -> str:
    """The forecast for a city."""
    return f"{city}: {days} sunny days"


@tool(effect="read")
def look_up(key: str) -> str:
    """Look up a key."""
    return key.upper()


@tool
def add_tags(tags: list[str]) -> int:
    """Add tags."""
    return len(tags)


@tool
def charge(cents: int) -> str:
    """Charge a card."""
    raise RuntimeError("could not reach https://pay:hunter2@bank.example/v1")


TOOLS = (get_weather, look_up, add_tags, charge)


async def _after(ask: Ask, name: str, arguments: Any, tools: Any = TOOLS) -> ToolExecution:
    """The one call of a run in which the model calls, is told, and answers."""
    with ScriptedModel().call(name, arguments).say("done") as model:
        outcome = await ask(Agent(model, tools=tools), "go")
    assert outcome.stop == "answered"
    assert outcome.content == "done"
    (execution,) = outcome.tool_executions
    return execution


def _told(execution: ToolExecution) -> str:
    assert execution.result is not None
    return execution.result.text


@every_kind
async def test_an_unknown_tool_is_answered_with_the_nearest_names(ask: Ask) -> None:
    execution = await _after(ask, "getWeather", {"city": "Oslo"})
    assert execution.fault == "unknown_tool"
    assert execution.state == "not_run"
    assert execution.is_error
    assert "'get_weather'" in _told(execution)


@every_kind
async def test_a_word_for_a_number_is_explained(ask: Ask) -> None:
    execution = await _after(ask, "get_weather", {"city": "Oslo", "days": "many"})
    assert execution.fault == "arguments"
    assert execution.state == "not_run"
    assert "days" in _told(execution)
    assert '"many"' in _told(execution)
    assert "integer" in _told(execution)


@every_kind
async def test_a_number_in_quotes_is_accepted_and_noted(ask: Ask) -> None:
    execution = await _after(ask, "get_weather", {"city": "Oslo", "days": "2"})
    assert _told(execution) == "Oslo: 2 sunny days"
    assert execution.state == "committed"
    assert execution.arguments == {"city": "Oslo", "days": 2}
    assert [repair.path for repair in execution.repairs] == ["days"]


@every_kind
async def test_malformed_json_is_explained(ask: Ask) -> None:
    execution = await _after(ask, "get_weather", "{'city': 'Oslo'}")
    assert execution.fault == "arguments"
    assert "JSON" in _told(execution)


@every_kind
async def test_cut_off_json_is_explained_and_never_run(ask: Ask) -> None:
    execution = await _after(ask, "get_weather", '{"city": "Os')
    assert execution.fault == "arguments"
    assert execution.state == "not_run"
    assert "cut off" in _told(execution)


@every_kind
async def test_a_call_that_the_wire_says_was_cut_off_is_never_run(ask: Ask) -> None:
    cut = call("get_weather", '{"city": "Oslo"}', cut_off=True)
    with ScriptedModel([turn(cut, finish_reason="tool_calls")]).say("done") as model:
        outcome = await ask(Agent(model, tools=TOOLS), "go")
    (execution,) = outcome.tool_executions
    assert execution.state == "not_run"
    assert "cut off" in _told(execution)


@every_kind
async def test_a_missing_argument_is_explained(ask: Ask) -> None:
    execution = await _after(ask, "get_weather", {"days": 2})
    assert execution.fault == "arguments"
    assert "city: missing" in _told(execution)


@every_kind
async def test_an_unknown_argument_is_refused_with_the_allowed_names(ask: Ask) -> None:
    execution = await _after(ask, "get_weather", {"city": "Oslo", "dry_run": True})
    assert execution.fault == "arguments"
    assert execution.state == "not_run"
    assert "dry_run" in _told(execution)
    assert "city" in _told(execution)
    assert "days" in _told(execution)


@every_kind
async def test_an_unknown_argument_of_a_tool_that_only_reads_is_dropped_and_noted(ask: Ask) -> None:
    execution = await _after(ask, "look_up", {"key": "a", "verbose": True})
    assert _told(execution) == "A"
    assert [repair.path for repair in execution.repairs] == ["verbose"]


@every_kind
async def test_what_a_tool_raises_is_told_without_its_secrets(ask: Ask) -> None:
    execution = await _after(ask, "charge", {"cents": 5})
    assert execution.fault == "execution"
    assert execution.state == "failed"
    assert "RuntimeError" in _told(execution)
    assert "bank.example" in _told(execution)
    assert "hunter2" not in _told(execution)
    assert isinstance(execution.error, RuntimeError)


@every_kind
async def test_a_list_as_json_text_is_accepted_and_noted(ask: Ask) -> None:
    execution = await _after(ask, "add_tags", {"tags": '["a", "b"]'})
    assert execution.value == 2
    assert [repair.path for repair in execution.repairs] == ["tags"]


@every_kind
@pytest.mark.parametrize("colour", ["async", "sync"])
async def test_a_tool_that_hangs_is_told_as_timed_out(ask: Ask, colour: str) -> None:
    release = threading.Event()

    @tool(name="hang", timeout=0.02)
    async def hang_async() -> None:
        """Hang."""
        await asyncio.Event().wait()

    @tool(name="hang", timeout=0.02)
    def hang_sync() -> None:
        """Hang."""
        # run_sync's own thread helps with sync tools: there the tool has to end some time.
        release.wait(0.5)

    try:
        hanging = hang_async if colour == "async" else hang_sync
        execution = await _after(ask, "hang", {}, tools=[hanging])
    finally:
        release.set()
    assert execution.fault == "timeout"
    assert execution.state == "unknown"
    assert "0.02 seconds" in _told(execution)


@every_kind
async def test_of_five_calls_at_once_one_failing_leaves_four_results_and_one_error(
    ask: Ask,
) -> None:
    calls = [call("get_weather", {"city": city}) for city in "ABCD"]
    calls.insert(2, call("charge", {"cents": 1}))
    with ScriptedModel([calls]).say("done") as model:
        outcome = await ask(Agent(model, tools=TOOLS), "go")
    assert [e.is_error for e in outcome.tool_executions] == [False, False, True, False, False]
    cities = [e.arguments.get("city") for e in outcome.tool_executions]
    assert cities == ["A", "B", None, "C", "D"]


@every_kind
async def test_the_same_call_without_end_meets_a_limit_and_leaves_a_valid_history(ask: Ask) -> None:
    model = ScriptedModel(forever=call("get_weather", {"city": "Oslo"}))
    outcome = await ask(Agent(model, tools=TOOLS), "go")
    assert outcome.stop == "limit:repeat"
    assert [e.state for e in outcome.tool_executions] == ["committed"] * 3 + ["not_run"]
    await _goes_on(ask, outcome)


@every_kind
async def test_an_enormous_result_is_cut_and_can_be_read_by_its_handle(ask: Ask) -> None:
    text = "".join(chr(ord("a") + n % 26) for n in range(100_000))

    @tool
    def dump() -> str:
        """Dump everything."""
        return text

    piece = {"handle": "result_1", "start": 50_000, "length": 26}
    with ScriptedModel().call("dump").call("read_result", piece).say("done") as model:
        outcome = await ask(Agent(model, tools=[dump]), "go")
    dumped, read = outcome.tool_executions
    assert len(_told(dumped).encode()) <= 32_768
    assert _told(dumped).startswith(text[:1000])
    assert _told(dumped).endswith(text[-1000:])
    assert 'handle "result_1"' in _told(dumped)
    assert dumped.value == text
    assert _told(read) == text[50_000:50_026]
    assert [d.name for d in model.requests[0].tools] == ["dump"]
    assert [d.name for d in model.requests[1].tools] == ["dump", "read_result"]


@every_kind
async def test_a_model_that_says_nothing_has_answered_with_an_empty_text(ask: Ask) -> None:
    with ScriptedModel([""]) as model:
        outcome = await ask(Agent(model), "go")
    assert outcome.stop == "answered"
    assert outcome.content == ""


@every_kind
async def test_sync_and_async_tools_mix(ask: Ask) -> None:
    @tool
    async def slowly(n: int) -> int:
        """Double, slowly."""
        await asyncio.sleep(0)
        return n * 2

    calls = [call("slowly", {"n": 4}), call("get_weather", {"city": "Oslo"})]
    with ScriptedModel([calls]).say("done") as model:
        outcome = await ask(Agent(model, tools=[slowly, get_weather]), "go")
    assert [e.value for e in outcome.tool_executions] == [8, "Oslo: 1 sunny days"]


async def _goes_on(ask: Ask, outcome: Outcome[str]) -> None:
    """The history can be handed to the next run, and holds arguments that are JSON."""
    with ScriptedModel().say("still here") as model:
        agent = Agent(model, limits=Limits())
        assert (await ask(agent, "and now?", messages=outcome.messages)).content == "still here"
    for execution in outcome.tool_executions:
        json.loads(execution.call.arguments)

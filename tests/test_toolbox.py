"""Toolbox: tools and policies without a model, next to somebody's own client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from toolcrib import (
    Answer,
    ConfigurationError,
    ErrorPolicy,
    Hooks,
    Injected,
    ModelError,
    RunAborted,
    RunContext,
    Tool,
    Toolbox,
    ToolContext,
    ToolExecution,
    dynamic_toolset,
    tool,
    tool_from_schema,
)

DIALECT = "openai-chat"


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool
def fail() -> None:
    """Fail."""
    raise ValueError("no")


def reply(*calls: tuple[str, str, str]) -> dict[str, Any]:
    """A Chat Completions reply with calls of (id, name, argument text)."""
    asked = [
        {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
        for id, name, arguments in calls
    ]
    message = {"role": "assistant", "content": None, "tool_calls": asked}
    return {"choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]}


async def _async(box: Toolbox, *args: Any, **kwargs: Any) -> tuple[ToolExecution, ...]:
    return await box.execute(*args, **kwargs)


async def _sync(box: Toolbox, *args: Any, **kwargs: Any) -> tuple[ToolExecution, ...]:
    return await asyncio.to_thread(box.execute_sync, *args, **kwargs)


both = pytest.mark.parametrize("execute", [_async, _sync], ids=["async", "sync"])


@both
async def test_calls_of_a_reply_become_messages_for_the_next_request(execute: Callable) -> None:
    box = Toolbox([add])
    said = reply(("c1", "add", '{"a": 1, "b": "2"}'), ("c2", "add", '{"a": 3, "b": 4}'))
    executions = await execute(box, box.calls(said, DIALECT))
    messages = box.messages(said, executions, DIALECT)
    assert [m["role"] for m in messages] == ["assistant", "tool", "tool"]
    assert messages[0]["tool_calls"] == said["choices"][0]["message"]["tool_calls"]
    assert messages[1:] == [
        {"role": "tool", "tool_call_id": "c1", "content": "3"},
        {"role": "tool", "tool_call_id": "c2", "content": "7"},
    ]
    assert [repair.path for repair in executions[0].repairs] == ["b"]


@both
async def test_what_the_model_did_wrong_is_told_and_never_raised(execute: Callable) -> None:
    box = Toolbox([add, fail])
    calls = box.calls(reply(("1", "ad", "{}"), ("2", "add", "{"), ("3", "fail", "")), DIALECT)
    executions = await execute(box, calls)
    assert [e.fault for e in executions] == ["unknown_tool", "arguments", "execution"]
    assert all(e.is_error for e in executions)


@both
async def test_an_error_policy_that_aborts_raises_with_every_execution(execute: Callable) -> None:
    box = Toolbox([add, fail], errors=ErrorPolicy.abort())
    calls = box.calls(reply(("1", "add", '{"a": 1, "b": 2}'), ("2", "fail", "")), DIALECT)
    with pytest.raises(RunAborted) as aborted:
        await execute(box, calls)
    assert isinstance(aborted.value.__cause__, ValueError)
    assert [e.state for e in aborted.value.outcome.tool_executions] == ["committed", "failed"]
    assert len(aborted.value.outcome.messages) == 2


def test_definitions_come_as_data_and_as_the_dialect_spells_them() -> None:
    box = Toolbox([add])
    (definition,) = box.definitions()
    (wire,) = box.definitions(DIALECT)
    assert definition.name == "add"
    assert wire["type"] == "function"
    assert wire["function"]["name"] == "add"
    assert wire["function"]["parameters"]["required"] == ["a", "b"]


def test_an_unknown_dialect_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigurationError, match="openai-chat"):
        Toolbox([add]).definitions("esperanto")


def test_a_name_that_the_provider_cannot_take_goes_out_and_comes_back() -> None:
    def ping() -> str:
        return "pong"

    box = Toolbox([tool_from_schema(None, ping, name="net.ping")])
    (wire,) = box.definitions(DIALECT)
    legal = wire["function"]["name"]
    assert legal != "net.ping"
    said = reply(("1", legal, "{}"))
    (execution,) = box.execute_sync(box.calls(said, DIALECT))
    assert execution.call.name == "net.ping"
    assert execution.value == "pong"
    assert box.messages(said, [execution], DIALECT)[0]["tool_calls"][0]["function"]["name"] == legal


def test_a_reply_may_be_text_or_an_object_of_an_sdk() -> None:
    class Completion:
        def model_dump(self, *, mode: str) -> dict[str, Any]:
            return reply(("1", "add", '{"a": 1, "b": 2}'))

    box = Toolbox([add])
    text = json.dumps(Completion().model_dump(mode="json"))
    for form in (text, text.encode(), Completion()):
        assert [call.name for call in box.calls(form, DIALECT)] == ["add"]


@pytest.mark.parametrize("wrong", [None, 7, "[]", ["x"]])
def test_what_is_no_reply_is_refused(wrong: Any) -> None:
    with pytest.raises(ConfigurationError, match="reply"):
        Toolbox([add]).calls(wrong, DIALECT)


def test_text_that_is_no_json_is_refused() -> None:
    with pytest.raises(ModelError, match="no JSON"):
        Toolbox([add]).calls("not json", DIALECT)


def test_a_provider_error_is_a_model_error() -> None:
    with pytest.raises(ModelError, match="overloaded"):
        Toolbox([add]).calls({"error": {"message": "overloaded"}}, DIALECT)


def test_calls_without_ids_get_ids_that_pair_with_their_results() -> None:
    box = Toolbox([add])
    said = reply(("", "add", '{"a": 1, "b": 2}'), ("", "add", '{"a": 3, "b": 4}'))
    executions = box.execute_sync(box.calls(said, DIALECT))
    asked, first, second = box.messages(said, executions, DIALECT)
    ids = [call["id"] for call in asked["tool_calls"]]
    assert len(set(ids)) == 2
    assert [first["tool_call_id"], second["tool_call_id"]] == ids


def test_a_text_reply_has_no_calls_and_is_still_a_message() -> None:
    box = Toolbox([add])
    said = {
        "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": "hi"}}]
    }
    assert box.calls(said, DIALECT) == ()
    assert box.execute_sync(()) == ()
    assert box.messages(said, (), DIALECT) == [{"role": "assistant", "content": "hi"}]


async def test_tools_that_have_to_be_asked_for_are_asked_by_refresh() -> None:
    listed: list[Tool] = [add]
    box = Toolbox([dynamic_toolset(lambda context: list(listed))])
    with pytest.raises(ConfigurationError, match="refresh"):
        box.definitions()
    await box.refresh()
    assert [d.name for d in box.definitions()] == ["add"]
    listed.append(fail)
    await box.refresh()
    assert [d.name for d in box.definitions()] == ["add", "fail"]


def test_a_large_result_can_be_read_with_a_tool_that_is_listed_from_then_on() -> None:
    @tool
    def dump() -> str:
        """Dump."""
        return "x" * 5_000 + "y" * 5_000

    box = Toolbox([dump], result_bytes=2_000)
    assert [d.name for d in box.definitions()] == ["dump"]
    (dumped,) = box.execute_sync(box.calls(reply(("1", "dump", "")), DIALECT))
    assert dumped.result is not None
    assert len(dumped.result.text.encode()) <= 2_000
    assert [d.name for d in box.definitions()] == ["dump", "read_result"]
    handle = dumped.result.text.split('handle "')[1].split('"')[0]
    arguments = json.dumps({"handle": handle, "start": 4_999, "length": 2})
    (read,) = box.execute_sync(box.calls(reply(("2", "read_result", arguments)), DIALECT))
    assert read.value == "xy"


class Database:
    name = "orders"


@tool
def which(db: Injected[Database], context: ToolContext) -> str:
    """Which database."""
    return f"{db.name} {context.memory_id}"


def test_injected_parameters_are_filled_from_the_deps_of_the_box_or_of_the_call() -> None:
    calls = Toolbox([which]).calls(reply(("1", "which", "")), DIALECT)
    (own,) = Toolbox([which], deps=Database()).execute_sync(calls)
    (given,) = Toolbox([which]).execute_sync(calls, deps=Database(), memory_id="anna")
    assert (own.value, given.value) == ("orders default", "orders anna")


def test_missing_deps_are_the_programs_mistake_and_not_told_to_the_model() -> None:
    box = Toolbox([which])
    with pytest.raises(ConfigurationError, match=r"which.*db"):
        box.execute_sync(box.calls(reply(("1", "which", "")), DIALECT))
    with pytest.raises(ConfigurationError, match=r"which.*db"):
        Toolbox([which], deps=object())


def test_two_tools_of_one_name_are_refused_with_both_origins() -> None:
    with pytest.raises(ConfigurationError, match="add"):
        Toolbox([add, tool(lambda: None, name="add")])


@both
async def test_hooks_and_observers_work_as_in_a_run(execute: Callable) -> None:
    seen: list[str] = []

    class Cached(Hooks):
        def before_tool(self, execution: ToolExecution, context: ToolContext) -> Answer | None:
            return Answer(42) if execution.arguments["a"] == 1 else None

    box = Toolbox([add], hooks=[Cached()], observers=[lambda e: seen.append(type(e).__name__)])
    calls = box.calls(
        reply(("1", "add", '{"a": 1, "b": 1}'), ("2", "add", '{"a": 2, "b": 2}')), DIALECT
    )
    executions = await execute(box, calls)
    assert [e.value for e in executions] == [42, 4]
    assert sorted(seen) == ["ToolFinished", "ToolFinished", "ToolStarted"]


async def test_results_come_in_call_order_whatever_order_they_end_in() -> None:
    second_done = asyncio.Event()

    @tool
    async def first(context: ToolContext) -> str:
        """End last."""
        await asyncio.wait_for(second_done.wait(), 5)
        return "first"

    @tool
    async def second() -> str:
        """End first."""
        second_done.set()
        return "second"

    box = Toolbox([first, second])
    executions = await box.execute(
        box.calls(reply(("1", "first", ""), ("2", "second", "")), DIALECT)
    )
    assert [e.value for e in executions] == ["first", "second"]


def test_toolsets_see_a_context_of_the_box() -> None:
    seen: list[RunContext] = []

    def listed(context: RunContext) -> list[Tool]:
        seen.append(context)
        return [add]

    box = Toolbox([dynamic_toolset(listed)], deps="deps")
    asyncio.run(box.refresh())
    assert seen[0].deps == "deps"

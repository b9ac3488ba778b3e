"""What the model is told of a value, in a run; large results; attributes."""

import dataclasses
import datetime
import decimal
import enum
from typing import Any

import pytest
from pydantic import BaseModel

from tests.kinds import Ask, every_kind
from tests.runtime.gates import valid
from toolcrib.agent import Agent
from toolcrib.loop.limits import Limits
from toolcrib.messages import Image, Text, ToolResult
from toolcrib.testing import ScriptedModel, call
from toolcrib.tools.function import tool
from toolcrib.tools.results import ToolOutput


class Colour(enum.StrEnum):
    RED = "red"


class Point(BaseModel):
    x: int


@dataclasses.dataclass
class Pair:
    a: int
    b: str


async def _outcome(ask: Ask, value: Any, **options: Any) -> Any:
    @tool
    def give():  # type: ignore[no-untyped-def]
        """Give."""
        return value

    with ScriptedModel([call("give"), "done"]) as model:
        outcome = await ask(Agent(model, tools=[give], **options), "go")
    assert outcome.content == "done"
    valid(outcome)
    return outcome


PICTURE = Image(data=b"\x89PNG")

TOLD = [
    (None, [Text("Success")]),
    ("text", [Text("text")]),
    ("", [Text("")]),
    ("  ", [Text("  ")]),
    (Colour.RED, [Text("red")]),
    (5, [Text("5")]),
    (True, [Text("true")]),
    (float("nan"), [Text('"NaN"')]),
    (decimal.Decimal("1.10"), [Text('"1.10"')]),
    (datetime.date(2026, 12, 1), [Text('"2026-12-01"')]),
    (b"\x00\xff", [Text('"AP8="')]),
    ([], [Text("[]")]),
    ([1, "a"], [Text('[1,"a"]')]),
    ({"ключ": "ж"}, [Text('{"ключ":"ж"}')]),
    (Point(x=1), [Text('{"x":1}')]),
    (Pair(1, "b"), [Text('{"a":1,"b":"b"}')]),
    (PICTURE, [PICTURE]),
    ([Text("a"), Text("b")], [Text("a"), Text("b")]),
    (["see:", PICTURE, {"n": 1}], [Text("see:"), PICTURE, Text('{"n":1}')]),
]


@pytest.mark.parametrize(("value", "content"), TOLD, ids=[repr(v)[:30] for v, _ in TOLD])
async def test_a_value_is_told_by_what_it_is(value: Any, content: list[Any]) -> None:
    from tests.kinds import _run

    outcome = await _outcome(_run, value)
    (result,) = [m for m in outcome.messages if isinstance(m, ToolResult)]
    assert list(result.content) == content
    assert not result.is_error


@every_kind
async def test_none_of_a_tool_that_is_declared_to_return_something_is_null(ask: Ask) -> None:
    @tool
    def find() -> int | None:
        """Find."""
        return None

    with ScriptedModel([call("find"), "done"]) as model:
        outcome = await ask(Agent(model, tools=[find]), "go")
    assert outcome.tool_executions[0].result.text == "null"


def _cycle() -> Any:
    ring: list[Any] = []
    ring.append(ring)
    return ring


@every_kind
@pytest.mark.parametrize(
    "value", [_cycle(), object(), {(1, 2): object()}], ids=["cycle", "o", "key"]
)
async def test_a_value_that_cannot_be_written_fails_its_call_only(ask: Ask, value: Any) -> None:
    outcome = await _outcome(ask, value)
    (execution,) = outcome.tool_executions
    assert execution.is_error
    assert execution.state == "committed"  # it has run: only its value cannot be told
    assert "cannot be written as JSON" in execution.result.text
    assert execution.value is value


@every_kind
@pytest.mark.parametrize("text", ["half \ud83d of a pair", "\udcff"])
async def test_half_a_character_is_told_so_that_it_can_be_sent(ask: Ask, text: str) -> None:
    outcome = await _outcome(ask, text)
    outcome.tool_executions[0].result.text.encode()


@every_kind
async def test_attributes_ride_along_without_the_keys_that_are_ours_alone(ask: Ask) -> None:
    given = {"rows": 3, "found_tools": ["secret_tool"], "activated_skill": "root"}
    outcome = await _outcome(ask, ToolOutput("fine", attributes=given))
    (result,) = [m for m in outcome.messages if isinstance(m, ToolResult)]
    assert result.text == "fine"
    assert result.attributes == {"rows": 3}
    assert outcome.tool_executions[0].value == "fine"


@every_kind
async def test_attributes_that_are_none_fail_the_call_only(ask: Ask) -> None:
    outcome = await _outcome(ask, ToolOutput("fine", attributes=None))  # type: ignore[arg-type]
    assert outcome.tool_executions[0].state == "committed"


@every_kind
async def test_a_tool_may_hand_back_an_error_with_content(ask: Ask) -> None:
    outcome = await _outcome(ask, ToolOutput({"code": 7}, is_error=True))
    (execution,) = outcome.tool_executions
    assert execution.is_error
    assert (execution.state, execution.fault) == ("failed", "execution")
    assert execution.result.text == '{"code":7}'


# --- the budget -----------------------------------------------------------------------------------


@every_kind
@pytest.mark.parametrize("letter", ["a", "ж", "字", "🙂"])
async def test_head_and_tail_stay_within_the_budget_whatever_a_letter_weighs(
    ask: Ask, letter: str
) -> None:
    outcome = await _outcome(ask, letter * 50_000, limits=Limits(result_bytes=2_000))
    text = outcome.tool_executions[0].result.text
    assert len(text.encode()) <= 2_000
    assert text.startswith(letter)
    assert text.endswith(letter)
    assert "50000 characters" in text
    assert "\ufffd" not in text


@every_kind
async def test_many_small_texts_are_one_result_with_one_budget(ask: Ask) -> None:
    parts = [PICTURE, *(Text("x" * 500) for _ in range(100))]
    outcome = await _outcome(ask, parts, limits=Limits(result_bytes=2_000))
    content = outcome.tool_executions[0].result.content
    assert sum(len(p.text.encode()) for p in content if isinstance(p, Text)) <= 2_000
    assert PICTURE in content


@every_kind
async def test_no_budget_tells_everything(ask: Ask) -> None:
    outcome = await _outcome(ask, "x" * 100_000, limits=Limits(result_bytes=None))
    assert len(outcome.tool_executions[0].result.text) == 100_000


def _dump(tool_name: str) -> Any:
    @tool(name=tool_name)
    def dump(letter: str) -> str:
        """Dump."""
        return letter * 40_000

    return dump


@every_kind
async def test_several_large_results_are_read_by_their_own_handles(ask: Ask) -> None:
    script = [
        [call("dump", {"letter": "a"}), call("dump", {"letter": "b"})],
        [
            call("read_result", {"handle": "result_1", "start": 20_000, "length": 3}),
            call("read_result", {"handle": "result_2", "start": 20_000, "length": 3}),
            call("read_result", {"handle": "result_3", "start": 0, "length": 3}),
            call("read_result", {"handle": "result_1", "start": 40_000, "length": 3}),
            call("read_result", {"handle": "result_1", "start": 0, "length": 40_000}),
        ],
        "done",
    ]
    with ScriptedModel(script) as model:
        outcome = await ask(Agent(model, tools=[_dump("dump")], concurrency=1), "go")
    one, two, unknown, beyond, whole = (e.result for e in outcome.tool_executions[2:])
    assert (one.text, two.text) == ("aaa", "bbb")
    assert unknown.is_error
    assert "result_1, result_2" in unknown.text
    assert beyond.is_error
    assert len(whole.text.encode()) <= 32_768
    assert not whole.is_error


@every_kind
async def test_a_tool_of_the_users_named_read_result_keeps_its_name(ask: Ask) -> None:
    script = [call("read_result", {"letter": "a"})]
    piece = {"handle": "result_1", "start": 0, "length": 2}
    with ScriptedModel([*script, call("read_result_2", piece), "done"]) as model:
        outcome = await ask(Agent(model, tools=[_dump("read_result")]), "go")
    cut, read = (e.result for e in outcome.tool_executions)
    assert "read_result_2" in cut.text
    assert read.text == "aa"
    assert [d.name for d in model.requests[1].tools] == ["read_result", "read_result_2"]


@every_kind
async def test_a_large_error_is_cut_too(ask: Ask) -> None:
    from toolcrib.errors import ToolError

    @tool
    def work() -> None:
        """Fail at length."""
        raise ToolError("no " * 50_000)

    with ScriptedModel([call("work"), "done"]) as model:
        outcome = await ask(Agent(model, tools=[work]), "go")
    assert len(outcome.tool_executions[0].result.text.encode()) <= 32_768
    assert outcome.tool_executions[0].is_error


async def test_handles_count_the_calls_of_the_run_in_whatever_order_they_end() -> None:
    import asyncio

    second_is_done = asyncio.Event()

    @tool
    async def dump(letter: str) -> str:
        """Dump."""
        if letter == "a":
            await second_is_done.wait()
        second_is_done.set()
        return letter * 40_000

    calls = [call("dump", {"letter": "a"}), call("dump", {"letter": "b"})]
    with ScriptedModel([calls, call("dump", {"letter": "c"}), "done"]) as model:
        outcome = await Agent(model, tools=[dump]).run("go")
    for number, execution in enumerate(outcome.tool_executions, start=1):
        assert execution.result is not None
        assert f'"result_{number}"' in execution.result.text

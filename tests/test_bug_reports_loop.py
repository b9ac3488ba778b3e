"""Faults that others reported of loops, parallel calls and security: none of them is one here."""

import json
from typing import Any

import pytest

from tests.kinds import Ask, every_kind
from tests.runtime.gates import valid
from toolcrib.agent import Agent
from toolcrib.chat import ChatReply, NamedTool
from toolcrib.dialects.openai_chat import DIALECT
from toolcrib.loop.limits import Limits
from toolcrib.messages import AssistantMessage, ToolCall, ToolResult
from toolcrib.runtime.hooks import Hooks
from toolcrib.schema.names import WireNames
from toolcrib.testing import ScriptedModel, call
from toolcrib.tools.definition import ReturnBehavior
from toolcrib.tools.function import tool
from toolcrib.tools.wrappers import dynamic_toolset


@tool
def search(q: str) -> str:
    """Search."""
    return f"found {q}"


@tool
def get_date() -> str:
    """Today."""
    return "2026-12-01"


def _told(outcome: Any) -> list[str]:
    return [m.text for m in outcome.messages if isinstance(m, ToolResult)]


# openai/openai-agents-python#263, agno-agi/agno#3291, prism-php/prism#822
@pytest.mark.parametrize("choice", ["required", NamedTool("get_date")])
async def test_a_forced_tool_is_called_once_and_then_the_model_is_free(choice: Any) -> None:
    def obedient(request: Any) -> Any:
        return "done" if request.tool_choice == "auto" else call("get_date")

    model = ScriptedModel(forever=obedient)
    async with Agent(model, tools=[get_date]).steps("go") as run:
        async for step in run:
            if step.number == 0:
                step.tool_choice = choice
    assert run.outcome.content == "done"
    assert len(run.outcome.tool_executions) == 1


# openai/openai-agents-python#325
@every_kind
async def test_an_unknown_name_after_long_work_loses_nothing(ask: Ask) -> None:
    with ScriptedModel(
        [call("search", {"q": "x"}), call("get_dat"), call("get_date"), "done"]
    ) as m:
        outcome = await ask(Agent(m, tools=[search, get_date]), "go")
    assert outcome.content == "done"
    found, unknown, date = _told(outcome)
    assert (found, date) == ("found x", "2026-12-01")
    assert "'get_date'" in unknown
    assert "search" in unknown


# openai/openai-agents-python#3459
@every_kind
async def test_a_tool_of_an_earlier_turn_that_is_gone_is_an_error_that_the_model_can_read(
    ask: Ask,
) -> None:
    with ScriptedModel([call("search", {"q": "x"}), "found"]) as model:
        first = await ask(Agent(model, tools=[search, get_date]), "go")
    with ScriptedModel([call("search", {"q": "y"}), "sorry"]) as model:
        agent = Agent(model, tools=[dynamic_toolset(lambda context: [get_date])])
        second = await ask(agent, "again", messages=first.messages)
    assert second.content == "sorry"
    assert second.tool_executions[0].fault == "unknown_tool"
    valid(second)


# pydantic/pydantic-ai#4767
@every_kind
async def test_a_final_result_waits_while_a_sibling_failed(ask: Ask) -> None:
    @tool
    def edit() -> None:
        """Edit."""
        raise OSError("read only")

    @tool(returns=ReturnBehavior.IMMEDIATE_IF_LAST)
    def final_result(value: int) -> int:
        """The result."""
        return value

    with ScriptedModel([[call("edit"), call("final_result", {"value": 1})], "could not"]) as model:
        outcome = await ask(Agent(model, tools=[edit, final_result]), "go")
    assert outcome.stop == "answered"
    assert "read only" in _told(outcome)[0]


# lsdefine/GenericAgent#746
@every_kind
@pytest.mark.parametrize(
    "text",
    ["[1]", "5", '"text"', "true", "{" * 1_000_000, '{"q": "' + "x" * 1_000_000],
    ids=["list", "number", "text", "bool", "a megabyte of braces", "a megabyte cut off"],
)
async def test_arguments_that_are_no_object_are_explained_shortly(ask: Ask, text: str) -> None:
    with ScriptedModel([call("search", text), "done"]) as model:
        outcome = await ask(Agent(model, tools=[search]), "go")
    (execution,) = outcome.tool_executions
    assert (execution.state, execution.fault) == ("not_run", "arguments")
    assert len(_told(outcome)[0]) < 1_000


# lsdefine/GenericAgent#746
@every_kind
@pytest.mark.parametrize("text", ["null", "", "  ", "{}"])
async def test_no_arguments_at_all_may_be_said_in_every_way(ask: Ask, text: str) -> None:
    with ScriptedModel([call("get_date", text), "done"]) as model:
        outcome = await ask(Agent(model, tools=[get_date]), "go")
    assert _told(outcome) == ["2026-12-01"]


# langchain-ai/langgraph#5099, anomalyco/opencode#28596
@every_kind
@pytest.mark.parametrize("arguments", ["{}", '{"q": "x"}', '{"q": '], ids=["wrong", "right", "cut"])
async def test_the_same_call_for_ever_meets_a_limit(ask: Ask, arguments: str) -> None:
    model = ScriptedModel(forever=call("search", arguments))
    outcome = await ask(Agent(model, tools=[search], limits=Limits(model_calls=None)), "go")
    assert outcome.stop == "limit:repeat"
    assert len(model.requests) == 4
    valid(outcome)


# UiPath/uipath-langchain-python#452, microsoft/autogen#5413
@every_kind
@pytest.mark.parametrize("ids", [("a", "b", "c", "d"), ("", "", "", ""), ("0", "0", "0", "0")])
async def test_each_of_several_calls_runs_once_with_its_own_arguments_and_result(
    ask: Ask, ids: tuple[str, ...]
) -> None:
    ran: list[str] = []

    @tool
    def note(q: str) -> str:
        """Note."""
        ran.append(q)
        return q.upper()

    calls = [call("note", {"q": q}, id=id) for q, id in zip("wxyz", ids, strict=True)]
    with ScriptedModel([calls, "done"]) as model:
        outcome = await ask(Agent(model, tools=[note]), "go")
    assert sorted(ran) == ["w", "x", "y", "z"]
    assert _told(outcome) == ["W", "X", "Y", "Z"]
    asked = next(m for m in outcome.messages if isinstance(m, AssistantMessage))
    results = [m for m in outcome.messages if isinstance(m, ToolResult)]
    assert [r.call_id for r in results] == [one.id for one in asked.tool_calls]


# microsoft/autogen#2722
@every_kind
async def test_one_message_with_two_calls_is_followed_by_both_results(ask: Ask) -> None:
    with ScriptedModel([[call("search", {"q": "a"}), call("search", {"q": "b"})], "done"]) as model:
        await ask(Agent(model, tools=[search]), "go")
    sent = DIALECT.encode(model.requests[1], "m", WireNames())["messages"]
    assert [m["role"] for m in sent] == ["user", "assistant", "tool", "tool"]
    ids = [one["id"] for one in sent[1]["tool_calls"]]
    assert [m["tool_call_id"] for m in sent[2:]] == ids


# run-llama/llama_index#19247
@every_kind
async def test_one_bad_call_among_three_leaves_three_outcomes(ask: Ask) -> None:
    calls = [call("search", {"q": "a"}), call("search", {"z": 1}), call("search", {"q": "c"})]
    with ScriptedModel([calls, "done"]) as model:
        outcome = await ask(Agent(model, tools=[search]), "go")
    assert [e.fault for e in outcome.tool_executions] == [None, "arguments", None]
    assert [e.value for e in outcome.tool_executions] == ["found a", None, "found c"]


def _streamed(*fragments: dict[str, Any]) -> tuple[ToolCall, ...]:
    decoder = DIALECT.stream(WireNames())
    for fragment in fragments:
        decoder.feed({"choices": [{"index": 0, "delta": {"tool_calls": [fragment]}}]})
    decoder.feed({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    reply: ChatReply = decoder.finish()
    return reply.message.tool_calls


# langchain-ai/langchain#34807, huggingface/smolagents#1569, NousResearch/hermes-agent#62937
@pytest.mark.parametrize("index", [{"index": 0}, {}], ids=["all at index 0", "no index at all"])
def test_streamed_calls_that_share_an_index_stay_apart(index: dict[str, int]) -> None:
    calls = _streamed(
        {**index, "id": "a", "function": {"name": "search", "arguments": '{"q":"A"}'}},
        {**index, "id": "b", "function": {"name": "search", "arguments": '{"q":"B"}'}},
    )
    assert [(one.id, json.loads(one.arguments)["q"]) for one in calls] == [("a", "A"), ("b", "B")]


# pydantic/pydantic-ai#6759
def test_streamed_fragments_of_two_calls_stay_with_their_names() -> None:
    calls = _streamed(
        {"index": 0, "id": "a", "function": {"name": "search", "arguments": '{"q":'}},
        {"index": 1, "id": "b", "function": {"name": "get_date", "arguments": "{"}},
        {"index": 0, "function": {"arguments": '"A"}'}},
        {"index": 1, "function": {"arguments": "}"}},
    )
    assert [(one.name, one.arguments) for one in calls] == [
        ("search", '{"q":"A"}'),
        ("get_date", "{}"),
    ]


# google/adk-python#4987, instavm/open-skills#11, lucianfialho/effect-gates#23: what a tool opens is
# its author's to confine; here, what a program may do about it
@every_kind
async def test_a_program_can_refuse_paths_for_all_tools_in_one_place(ask: Ask) -> None:
    from pathlib import PurePosixPath

    from toolcrib.loop.decisions import Deny

    class Confined(Hooks):
        def before_tool(self, execution: Any, context: Any) -> Deny | None:
            path = PurePosixPath(execution.arguments.get("path", ""))
            outside = path.is_absolute() or ".." in path.parts or path.parts[:1] == ("~",)
            return Deny("Only paths inside the project.") if outside else None

    opened: list[str] = []

    @tool
    def read_file(path: str) -> str:
        """Read a file."""
        opened.append(path)
        return "text"

    paths = ["~/.ssh/id_rsa", "/etc/passwd", "../../etc", "notes.txt"]
    with ScriptedModel([[call("read_file", {"path": p}) for p in paths], "done"]) as model:
        outcome = await ask(Agent(model, tools=[read_file], hooks=[Confined()]), "go")
    assert opened == ["notes.txt"]
    assert [e.fault for e in outcome.tool_executions] == ["denied"] * 3 + [None]

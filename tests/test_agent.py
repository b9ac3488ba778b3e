"""Agents: what is handed in and out, agents as tools of others, and that nothing of a run is kept."""

import asyncio
import gc
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.kinds import Ask, every_kind
from tests.runtime.gates import valid
from toolcrib.agent import Agent
from toolcrib.chat import ChatReply, Usage
from toolcrib.errors import ConfigurationError
from toolcrib.loop.error_policy import ErrorPolicy
from toolcrib.loop.limits import Limits
from toolcrib.loop.outcome import RunAborted
from toolcrib.messages import (
    AssistantMessage,
    Image,
    SystemMessage,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from toolcrib.runtime.hooks import Hooks
from toolcrib.testing import ScriptedModel, call, turn
from toolcrib.testing.complaints import check_pairing
from toolcrib.tools.context import RunParameters
from toolcrib.tools.definition import ReturnBehavior
from toolcrib.tools.function import tool


@tool
def double(n: int) -> int:
    """Double."""
    return n * 2


@every_kind
async def test_one_tool_then_an_answer(ask: Ask) -> None:
    replies = [
        turn(call("double", {"n": 4}, id="c"), usage=Usage(10, 5)),
        turn("It is 8.", usage=Usage(20, 7)),
    ]
    with ScriptedModel(replies) as model:
        agent = Agent(model, tools=[double], instructions="Use the tool.")
        outcome = await ask(agent, "Double 4!")
    asked = AssistantMessage(tool_calls=(ToolCall("c", "double", '{"n": 4}'),))
    assert outcome.messages[0] == UserMessage("Double 4!")
    assert outcome.messages[1].tool_calls[0].id == asked.tool_calls[0].id
    assert outcome.messages[2] == ToolResult("c", "double", (Text("8"),))
    assert outcome.messages[3] == AssistantMessage("It is 8.")
    assert outcome.messages == outcome.new_messages
    assert outcome.content == "It is 8."
    assert outcome.finish_reason == "stop"
    assert outcome.usage == Usage(30, 12)
    assert outcome.model_calls == 2
    assert outcome.final_reply is outcome.replies[-1]
    assert [r.instructions for r in model.requests] == ["Use the tool."] * 2
    assert [[t.name for t in r.tools] for r in model.requests] == [["double"]] * 2
    (execution,) = outcome.tool_executions
    assert (execution.arguments, execution.value, execution.state) == ({"n": 4}, 8, "committed")
    assert execution.duration is not None
    assert execution.duration >= 0


@every_kind
async def test_messages_that_are_handed_in_are_never_changed(ask: Ask) -> None:
    dangling = AssistantMessage(tool_calls=(ToolCall("x", "double", "{}"),))
    orphan = ToolResult("nobody", "double", (Text("?"),))
    messages = [SystemMessage("s"), UserMessage("hi"), dangling, orphan]
    before = list(messages)
    with ScriptedModel([call("double", {"n": 1}), "done"]) as model:
        outcome = await ask(Agent(model, tools=[double]), "go on", messages=messages)
    assert messages == before
    check_pairing(model.requests[0].messages)
    assert outcome.new_messages[0] == UserMessage("go on")
    assert len(outcome.new_messages) == 4
    valid(outcome)


@every_kind
async def test_the_input_may_stand_in_the_messages_already(ask: Ask) -> None:
    with ScriptedModel(["hello"]) as model:
        outcome = await ask(Agent(model), messages=[UserMessage("hi")])
    assert [m.text for m in model.requests[0].messages] == ["hi"]
    assert [m.text for m in outcome.new_messages] == ["hello"]


@every_kind
async def test_the_input_may_be_parts_or_a_message(ask: Ask) -> None:
    picture = Image(data=b"x")
    with ScriptedModel(["a cat", "a cat"]) as model:
        await ask(Agent(model), ["what is this?", picture][1:])
        await ask(Agent(model), UserMessage((Text("what?"), picture)))
    assert model.requests[0].messages == (UserMessage((picture,)),)
    assert model.requests[1].messages == (UserMessage((Text("what?"), picture)),)


@every_kind
async def test_an_input_that_is_none_of_these_is_refused(ask: Ask) -> None:
    with pytest.raises(ConfigurationError, match="messages="):
        await ask(Agent(ScriptedModel()), [UserMessage("hi")])


@every_kind
async def test_values_of_a_run_do_not_leak_into_the_next(ask: Ask) -> None:
    @tool
    def note(parameters: RunParameters) -> int:
        """Note."""
        parameters["n"] = parameters.get("n", 0) + 1
        return parameters["n"]

    model = ScriptedModel(
        forever=lambda r: "done" if r.messages[-1].role == "tool" else call("note")
    )
    agent = Agent(model, tools=[note])
    first, second = await ask(agent, "go"), await ask(agent, "go")
    assert [o.tool_executions[0].value for o in (first, second)] == [1, 1]
    assert first.run_id != second.run_id


# --- agents as tools ------------------------------------------------------------------------------


def _sub(*script: Any, **options: Any) -> Agent:
    return Agent(ScriptedModel(list(script)), name="helper", **options)


@every_kind
async def test_an_agent_is_a_tool_of_another(ask: Ask) -> None:
    helper = _sub(call("double", {"n": 4}), "eight", tools=[double])
    with ScriptedModel([call("helper", {"task": "double 4"}), "It is eight."]) as model:
        outcome = await ask(Agent(model, tools=[helper.as_tool()]), "go")
    assert outcome.content == "It is eight."
    assert outcome.tool_executions[0].value == "eight"


@every_kind
async def test_an_agent_that_returns_results_tells_them_to_the_other(ask: Ask) -> None:
    @tool(returns=ReturnBehavior.IMMEDIATE)
    def treble(n: int) -> int:
        """Treble."""
        return n * 3

    helper = _sub([call("treble", {"n": 4}), call("treble", {"n": 5})], tools=[treble])
    with ScriptedModel([call("helper", {"task": "x"}), "done"]) as model:
        outcome = await ask(Agent(model, tools=[helper.as_tool()]), "go")
    told = outcome.tool_executions[0].result
    assert told is not None
    assert told.text == "12\n15"


@every_kind
async def test_an_agent_that_fails_is_an_error_that_the_other_can_read(ask: Ask) -> None:
    helper = _sub(RuntimeError("password=hunter2"))
    with ScriptedModel([call("helper", {"task": "x"}), "sorry"]) as model:
        outcome = await ask(Agent(model, tools=[helper.as_tool()]), "go")
    (execution,) = outcome.tool_executions
    assert execution.is_error
    assert execution.result is not None
    assert "hunter2" not in execution.result.text


@every_kind
async def test_an_agent_that_stops_early_says_why_and_how_far_it_got(ask: Ask) -> None:
    helper = _sub(turn("half of", finish_reason="length"))
    with ScriptedModel([call("helper", {"task": "x"}), "sorry"]) as model:
        outcome = await ask(Agent(model, tools=[helper.as_tool()]), "go")
    told = outcome.tool_executions[0].result
    assert told is not None
    assert told.is_error
    assert "limit:length" in told.text
    assert "half of" in told.text


async def test_cancelling_a_run_cancels_the_agents_inside() -> None:
    started, cleaned = asyncio.Event(), []

    @tool
    async def hang() -> None:
        """Hang."""
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.append(True)

    helper = _sub(call("hang"), tools=[hang])
    model = ScriptedModel([call("helper", {"task": "x"})])
    async with Agent(model, tools=[helper.as_tool()]).stream("go") as run:
        await started.wait()
        run.cancel()
    assert run.outcome.stop == "cancelled"
    assert cleaned == [True]
    assert run.outcome.tool_executions[0].state == "unknown"


async def test_a_deadline_of_an_inner_agent_ends_that_agent_only() -> None:
    @tool
    async def hang() -> None:
        """Hang."""
        await asyncio.Event().wait()

    helper = _sub(call("hang"), tools=[hang], limits=Limits(seconds=0.02))
    with ScriptedModel([call("helper", {"task": "x"}), "done"]) as model:
        outcome = await Agent(model, tools=[helper.as_tool()]).run("go")
    assert outcome.content == "done"
    told = outcome.tool_executions[0].result
    assert told is not None
    assert "limit:seconds" in told.text


def test_an_agent_without_a_name_cannot_be_a_tool_until_it_is_given_one() -> None:
    agent = Agent(ScriptedModel())
    with pytest.raises(ConfigurationError, match="name"):
        agent.as_tool()
    assert agent.as_tool(name="helper").name == "helper"


async def test_three_agents_that_are_tools_of_each_other() -> None:
    with ThreadPoolExecutor(1) as pool:
        third = Agent(ScriptedModel(["3"]), name="third", executor=pool)
        second = Agent(
            ScriptedModel([call("third", {"task": "x"}), "23"]),
            name="second",
            tools=[third.as_tool()],
            executor=pool,
        )
        first = Agent(
            ScriptedModel([call("second", {"task": "x"}), "123"]), tools=[second.as_tool()]
        )
        assert (await first.run("go")).content == "123"


# --- nothing is kept ------------------------------------------------------------------------------


class Thing:
    """Something that can be watched for being let go."""


@every_kind
async def test_nothing_of_a_finished_run_is_kept(ask: Ask) -> None:
    watched: list[weakref.ref[Any]] = []

    @tool
    def make() -> Thing:
        """Make."""
        thing = Thing()
        watched.append(weakref.ref(thing))
        return thing

    @tool
    async def make_async() -> Thing:
        """Make."""
        thing = Thing()
        watched.append(weakref.ref(thing))
        return thing

    def script(request: Any) -> Any:
        if request.messages[-1].role == "tool":
            return "done"
        return [call("make"), call("make_async")]

    agent = Agent(ScriptedModel(forever=script), tools=[make, make_async])
    for _ in range(3):
        outcome = await ask(agent, "go")
        del outcome
    # a thread may be about to let go of its last job
    for _ in range(200):
        gc.collect()
        if not any(ref() for ref in watched):
            break
        await asyncio.sleep(0.005)
    assert len(watched) == 6
    assert [ref() for ref in watched] == [None] * 6


@every_kind
async def test_nothing_of_a_cancelled_run_is_kept(ask: Ask) -> None:
    watched: list[weakref.ref[Any]] = []

    @tool
    async def hang() -> None:
        """Hang, with something in hand."""
        thing = Thing()
        watched.append(weakref.ref(thing))
        await asyncio.Event().wait()

    model = ScriptedModel(forever=[call("hang"), call("hang")])
    agent = Agent(model, tools=[hang], limits=Limits(seconds=0.01))
    stop = (await ask(agent, "go")).stop
    assert stop == "limit:seconds"
    gc.collect()
    assert len(watched) == 2
    assert [ref() for ref in watched] == [None, None]


def test_twenty_retried_calls_leave_one_handler_behind() -> None:
    import logging

    import stamina

    tries = iter(range(1_000))

    @tool(idempotent=True, retries=2)
    def flaky() -> str:
        """Fail the first time."""
        if next(tries) % 2 == 0:
            raise OSError("not yet")
        return "now"

    def script(request: Any) -> Any:
        rounds = len(request.messages) // 2
        return call("flaky", {}) if rounds < 20 else "done"

    with stamina.set_testing(True, attempts=3):
        agent = Agent(ScriptedModel(forever=script), tools=[flaky], limits=Limits(repeat=None))
        outcome = agent.run_sync("go")
    assert [e.attempts for e in outcome.tool_executions] == [2] * 20
    assert len(logging.getLogger("stamina").handlers) <= 1


@every_kind
async def test_only_idempotent_tools_are_tried_again_and_signals_never_are(ask: Ask) -> None:
    import stamina

    from toolcrib.tools.signals import RetryCall

    attempts: list[str] = []

    @tool(idempotent=True, retries=3)
    def signals() -> None:
        """Want other arguments."""
        attempts.append("signals")
        raise RetryCall("differently")

    @tool(idempotent=True, retries=3)
    def fails() -> None:
        """Fail."""
        attempts.append("fails")
        raise OSError("always")

    @tool
    def once() -> None:
        """Fail."""
        attempts.append("once")
        raise OSError("always")

    with stamina.set_testing(True, attempts=4):
        model = ScriptedModel([[call("signals"), call("fails"), call("once")], "done"])
        agent = Agent(model, tools=[signals, fails, once])
        outcome = await ask(agent, "go")
    assert [attempts.count(name) for name in ("signals", "fails", "once")] == [1, 4, 1]
    assert [e.attempts for e in outcome.tool_executions] == [1, 4, 1]


@pytest.mark.parametrize("model", [None, 5, ScriptedModel, "gpt-5"])
def test_what_is_no_model_is_refused_while_building(model: Any) -> None:
    with pytest.raises(ConfigurationError, match="model"):
        Agent(model)


class _NotAHook:
    def before_tool(self, execution: Any, context: Any) -> None:
        return None


async def _async_observer(event: Any) -> None:
    return None


@pytest.mark.parametrize(
    ("option", "wrong"),
    [
        ("limits", {"model_calls": 1}),
        ("errors", "abort"),
        ("errors", ErrorPolicy.strict),
        ("hooks", Hooks()),
        ("hooks", [_NotAHook()]),
        ("hooks", [Hooks]),
        ("observers", print),
        ("observers", ["print"]),
        ("observers", [_async_observer]),
        ("concurrency", 0),
        ("concurrency", True),
    ],
)
def test_a_wrong_option_is_refused_while_building(option: str, wrong: Any) -> None:
    with pytest.raises(ConfigurationError, match=option.rstrip("s")):
        Agent(ScriptedModel(), **{option: wrong})


@every_kind
@pytest.mark.parametrize("messages", [[{"role": "user", "content": "hi"}], ["hi"], "hi", 7])
async def test_what_are_no_messages_are_refused(ask: Ask, messages: Any) -> None:
    with pytest.raises(ConfigurationError, match="messages"):
        await ask(Agent(ScriptedModel()), "x", messages=messages)


@every_kind
@pytest.mark.parametrize("input", [3, Text, [3], {"role": "user"}])
async def test_what_is_no_input_is_refused(ask: Ask, input: Any) -> None:
    with pytest.raises(ConfigurationError, match="input"):
        await ask(Agent(ScriptedModel()), input)


@every_kind
@pytest.mark.parametrize("input", [None, []])
async def test_a_run_without_anything_to_ask_is_refused(ask: Ask, input: Any) -> None:
    with pytest.raises(ConfigurationError, match="nothing to ask"):
        await ask(Agent(ScriptedModel()), input)


@every_kind
async def test_a_part_alone_is_an_input(ask: Ask) -> None:
    with ScriptedModel(["seen"]) as model:
        assert (await ask(Agent(model), Text("look"))).content == "seen"


@every_kind
async def test_a_test_complaint_of_an_inner_agent_reaches_the_test(ask: Ask) -> None:
    helper = _sub(tools=[double])
    model = ScriptedModel([call("helper", {"task": "x"}), "done"])
    with pytest.raises(RunAborted, match="script"):
        await ask(Agent(model, tools=[helper.as_tool()]), "go")


@every_kind
async def test_what_the_provider_says_of_a_broken_reply_is_told_to_the_caller(ask: Ask) -> None:
    broken = ChatReply(
        AssistantMessage("he"), "error", metadata={"error": {"message": "overloaded"}}
    )
    with pytest.raises(RunAborted, match="overloaded"):
        await ask(Agent(ScriptedModel([broken])), "go")


async def test_what_people_print_is_short_and_says_what_it_is() -> None:
    with ScriptedModel([call("double", {"n": 2}), "four"], name="tiny") as model:
        agent = Agent(model, tools=[double], name="calc")
        steps = [repr(step) async for step in agent.steps("go")]
    assert repr(agent) == "<Agent 'calc' on 'tiny' with <StaticToolset 'tools'>>"
    assert steps[-1] == "<Step 2, the last: 4 messages, 0 calls>"
    outcome = await Agent(ScriptedModel(["x" * 200])).run("go")
    assert repr(outcome).startswith("<Outcome answered 'xxx")
    assert len(repr(outcome)) < 150

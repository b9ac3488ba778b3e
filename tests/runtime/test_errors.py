"""By whose fault a call failed decides what is told, and what ends the run."""

from typing import Any

import pytest

from tests.kinds import Ask, every_kind
from tests.runtime.gates import valid
from toolcrib.agent import Agent
from toolcrib.errors import (
    ModelError,
    ToolArgumentsError,
    ToolCrashedError,
    ToolError,
    ToolTimeoutError,
    UnknownToolError,
)
from toolcrib.loop.error_policy import ErrorPolicy
from toolcrib.loop.outcome import RunAborted
from toolcrib.messages import ToolResult
from toolcrib.testing import ScriptedModel, call, fail, turn
from toolcrib.tools.execution import ToolExecution
from toolcrib.tools.function import tool
from toolcrib.tools.signals import RetryCall


class Unspeakable(Exception):
    """Cannot say what it is."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


def _raising(error: BaseException, **options: Any) -> Any:
    @tool(**options)
    def work(n: int = 0) -> None:
        """Work."""
        raise error

    return work


def _told(execution: ToolExecution) -> str:
    assert execution.result is not None
    return execution.result.text


async def _one(ask: Ask, error: BaseException, **policies: Any) -> ToolExecution:
    with ScriptedModel([call("work"), "done"]) as model:
        outcome = await ask(Agent(model, tools=[_raising(error)], **policies), "go")
    assert outcome.content == "done"
    valid(outcome)
    (execution,) = outcome.tool_executions
    return execution


@every_kind
async def test_what_a_tool_raises_for_the_model_is_told_as_it_is(ask: Ask) -> None:
    error = ToolError("Use /home/alice/in.csv instead.")
    execution = await _one(ask, error)
    assert _told(execution) == "Use /home/alice/in.csv instead."
    assert execution.error is error
    assert (execution.state, execution.fault) == ("failed", "execution")


@every_kind
async def test_an_exception_without_words_is_told_by_its_kind(ask: Ask) -> None:
    execution = await _one(ask, RuntimeError())
    assert _told(execution) == "Tool 'work' failed: RuntimeError"


@every_kind
async def test_an_exception_that_cannot_say_what_it_is_has_failed_like_any_other(ask: Ask) -> None:
    execution = await _one(ask, Unspeakable())
    assert _told(execution) == "Tool 'work' failed: Unspeakable"
    assert execution.state == "failed"


@every_kind
async def test_a_retry_call_tells_the_model_how_to_call_again(ask: Ask) -> None:
    signal = RetryCall("Give the year too.")
    execution = await _one(ask, signal)
    assert _told(execution) == "Give the year too."
    assert execution.is_error
    assert execution.fault == "arguments"
    assert execution.error is signal


def test_the_log_of_a_failed_tool_holds_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    error = RuntimeError("https://pay:hunter2@bank.example/v1 refused")
    model = ScriptedModel([call("work"), "done"])
    Agent(model, tools=[_raising(error)]).run_sync("go")
    assert "RuntimeError" in caplog.text
    assert "hunter2" not in caplog.text


async def test_a_very_long_error_is_told_short() -> None:
    with ScriptedModel([call("work"), "done"]) as model:
        outcome = await Agent(model, tools=[_raising(RuntimeError("x" * 100_000))]).run("go")
    assert len(_told(outcome.tool_executions[0])) < 3_000


@every_kind
async def test_a_redaction_of_the_programs_own_is_applied(ask: Ask) -> None:
    policy = ErrorPolicy(redact=lambda text: text.replace("ada", "[a person]"))
    execution = await _one(ask, RuntimeError("no such user: ada"), errors=policy)
    assert "[a person]" in _told(execution)


# --- handlers -------------------------------------------------------------------------------------

WRONG = {
    "unknown_tool": (call("wrok"), UnknownToolError),
    "arguments": (call("work", {"n": "many"}), ToolArgumentsError),
    "execution": (call("work"), ToolCrashedError),
}


@every_kind
@pytest.mark.parametrize("which", WRONG)
async def test_a_handler_says_what_the_model_is_told_and_it_is_an_error(
    ask: Ask, which: str
) -> None:
    asked, kind = WRONG[which]
    seen: list[tuple[ToolError, str]] = []

    def handler(error: ToolError, execution: ToolExecution) -> str:
        seen.append((error, execution.call.arguments))
        return "Try something else."

    with ScriptedModel([asked, "done"]) as model:
        policy = ErrorPolicy(**{which: handler})
        outcome = await ask(Agent(model, tools=[_raising(OSError("x"))], errors=policy), "go")
    (execution,) = outcome.tool_executions
    assert _told(execution) == "Try something else."
    assert execution.is_error
    ((error, arguments),) = seen
    assert isinstance(error, kind)
    assert arguments == execution.call.arguments
    valid(outcome)


@every_kind
@pytest.mark.parametrize("which", WRONG)
async def test_what_a_handler_raises_reaches_the_caller_as_the_same_instance(
    ask: Ask, which: str
) -> None:
    asked, _ = WRONG[which]
    mine = LookupError("no more of this")

    def handler(error: ToolError, execution: ToolExecution) -> str:
        raise mine

    with ScriptedModel([[call("fine"), asked, call("fine")]]) as model:
        agent = Agent(
            model, tools=[_raising(OSError("x")), fine], errors=ErrorPolicy(**{which: handler})
        )
        with pytest.raises(RunAborted) as aborted:
            await ask(agent, "go")
    assert aborted.value.__cause__ is mine
    outcome = aborted.value.outcome
    assert [e.is_error for e in outcome.tool_executions] == [False, True, False]
    assert [e.value for e in outcome.tool_executions if not e.is_error] == ["fine", "fine"]
    valid(outcome)
    await _goes_on(outcome.messages)


@every_kind
@pytest.mark.parametrize("given", [None, 5])
async def test_a_handler_that_says_nothing_leaves_what_would_be_told(ask: Ask, given: Any) -> None:
    policy = ErrorPolicy(execution=lambda error, execution: given)
    execution = await _one(ask, RuntimeError("broken"), errors=policy)
    assert _told(execution) == "Tool 'work' failed: RuntimeError: broken"


@every_kind
@pytest.mark.parametrize("which", ["unknown_tool", "arguments"])
async def test_a_strict_policy_ends_the_run_at_what_the_model_got_wrong(
    ask: Ask, which: str
) -> None:
    asked, kind = WRONG[which]
    with ScriptedModel([asked]) as model:
        agent = Agent(model, tools=[_raising(OSError("x"))], errors=ErrorPolicy.strict())
        with pytest.raises(RunAborted) as aborted:
            await ask(agent, "go")
    assert isinstance(aborted.value.__cause__, kind)
    valid(aborted.value.outcome)
    await _goes_on(aborted.value.outcome.messages)


@every_kind
async def test_a_strict_policy_tells_what_a_tool_raises(ask: Ask) -> None:
    execution = await _one(ask, RuntimeError("broken"), errors=ErrorPolicy.strict())
    assert "broken" in _told(execution)


CAUSED = ToolError("the table is locked")
CAUSED.__cause__ = OSError("inner")


@every_kind
@pytest.mark.parametrize(
    "error",
    [OSError("x"), ToolError("for the model"), CAUSED, RetryCall("again")],
    ids=["crash", "tool error", "tool error with a cause", "signal"],
)
async def test_an_abort_policy_raises_exactly_what_the_tool_raised(
    ask: Ask, error: Exception
) -> None:
    with ScriptedModel([call("work")]) as model:
        agent = Agent(model, tools=[_raising(error)], errors=ErrorPolicy.abort())
        with pytest.raises(RunAborted) as aborted:
            await ask(agent, "go")
    assert aborted.value.__cause__ is error
    assert aborted.value.outcome.tool_executions[0].error is error


async def test_an_abort_policy_raises_a_timeout_as_one() -> None:
    import asyncio

    @tool(timeout=0.01)
    async def work() -> None:
        """Hang."""
        await asyncio.Event().wait()

    with ScriptedModel([call("work")]) as model, pytest.raises(RunAborted) as aborted:
        await Agent(model, tools=[work], errors=ErrorPolicy.abort()).run("go")
    assert isinstance(aborted.value.__cause__, ToolTimeoutError)


async def test_a_timeout_error_of_the_tools_own_is_not_taken_for_its_timeout() -> None:
    @tool(timeout=60)
    async def work() -> None:
        """Fail in time."""
        raise TimeoutError("the database took too long")

    with ScriptedModel([call("work"), "done"]) as model:
        outcome = await Agent(model, tools=[work]).run("go")
    assert outcome.tool_executions[0].fault == "execution"


@every_kind
async def test_of_two_calls_that_end_the_run_the_first_in_order_is_the_cause(ask: Ask) -> None:
    with ScriptedModel([[call("nobody"), call("nowhere")]]) as model:
        agent = Agent(model, errors=ErrorPolicy.strict())
        with pytest.raises(RunAborted) as aborted:
            await ask(agent, "go")
    assert isinstance(aborted.value.__cause__, UnknownToolError)
    assert aborted.value.__cause__.tool == "nobody"


# --- the model's and the program's faults ---------------------------------------------------------


@every_kind
async def test_a_model_that_fails_ends_the_run_and_everything_done_is_kept(ask: Ask) -> None:
    broken = ModelError("the server is down", status=503)
    with ScriptedModel([call("fine"), fail(broken)]) as model, pytest.raises(RunAborted) as aborted:
        await ask(Agent(model, tools=[fine]), "go")
    assert aborted.value.__cause__ is broken
    outcome = aborted.value.outcome
    assert [e.value for e in outcome.tool_executions] == ["fine"]
    assert outcome.stop == "failed"
    valid(outcome)
    await _goes_on(outcome.messages)


@every_kind
async def test_a_reply_that_broke_off_runs_nothing(ask: Ask) -> None:
    with (
        ScriptedModel([turn(call("fine"), finish_reason="error")]) as model,
        pytest.raises(RunAborted) as aborted,
    ):
        await ask(Agent(model, tools=[fine]), "go")
    assert [e.state for e in aborted.value.outcome.tool_executions] == ["not_run"]
    valid(aborted.value.outcome)


@every_kind
@pytest.mark.parametrize(
    ("reason", "stop", "fault"),
    [
        ("refusal", "refused", "denied"),
        ("content_filter", "refused", "denied"),
        ("length", "limit:length", "limit"),
    ],
)
async def test_why_a_reply_ended_comes_before_its_calls(
    ask: Ask, reason: Any, stop: str, fault: str
) -> None:
    with ScriptedModel([turn("well", call("fine"), finish_reason=reason)]) as model:
        outcome = await ask(Agent(model, tools=[fine]), "go")
    assert outcome.stop == stop
    assert [(e.state, e.fault) for e in outcome.tool_executions] == [("not_run", fault)]
    valid(outcome)
    await _goes_on(outcome.messages)


@every_kind
async def test_a_pause_asks_the_model_to_go_on(ask: Ask) -> None:
    paused = turn("looking", call("web_search", server_side=True), finish_reason="pause")
    with ScriptedModel([paused, "found it"]) as model:
        outcome = await ask(Agent(model), "go")
    assert outcome.content == "found it"
    assert len(model.requests[1].messages) == len(model.requests[0].messages) + 1


@every_kind
async def test_reasons_that_say_nothing_leave_it_to_the_calls(ask: Ask) -> None:
    replies = [
        turn(call("fine"), finish_reason="stop"),
        turn(call("fine", id="b"), finish_reason="unknown"),
        turn("done", finish_reason="tool_calls"),
    ]
    with ScriptedModel(replies) as model:
        outcome = await ask(Agent(model, tools=[fine]), "go")
    assert outcome.content == "done"
    assert [e.value for e in outcome.tool_executions] == ["fine", "fine"]


async def _goes_on(messages: Any) -> None:
    with ScriptedModel(["still here"]) as model:
        assert (await Agent(model).run("and now?", messages=messages)).content == "still here"
        assert not any(isinstance(m, ToolResult) and not m.text for m in model.requests[0].messages)


@tool
def fine() -> str:
    """Be fine."""
    return "fine"


@every_kind
async def test_an_assertion_that_fails_in_a_tool_ends_the_run_like_any_other_exception(
    ask: Ask,
) -> None:
    @tool
    def check() -> None:
        """Check."""
        raise AssertionError("not so")

    with ScriptedModel([call("check")]) as model:
        agent = Agent(model, tools=[check], errors=ErrorPolicy.abort())
        with pytest.raises(RunAborted, match="not so") as aborted:
            await ask(agent, "go")
    assert aborted.value.outcome.tool_executions[0].state == "failed"

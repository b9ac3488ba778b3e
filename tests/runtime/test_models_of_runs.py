"""What a runner does with models that keep their promises, and with those that do not."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest

from tests.kinds import Ask, every_kind
from tests.runtime.gates import valid
from toolcrib.agent import Agent
from toolcrib.chat import ChatReply, ChatRequest, Delta, TextDelta
from toolcrib.errors import ModelError
from toolcrib.loop.outcome import RunAborted
from toolcrib.messages import AssistantMessage
from toolcrib.testing import ScriptedModel, call, fail, say
from toolcrib.tools.function import tool


class Plain:
    """A model that gives these items, and notes that it was closed in the task that asked it."""

    name = "plain"

    def __init__(self, *items: Any) -> None:
        self.items = items
        self.ended = 0

    async def reply(self, request: ChatRequest) -> AsyncGenerator[Delta | ChatReply, None]:
        try:
            for item in self.items:
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            self.ended += 1

    async def close(self) -> None:
        pass


DONE = ChatReply(AssistantMessage("done"))


@every_kind
async def test_a_model_without_a_reply_is_a_failure(ask: Ask) -> None:
    model = Plain(TextDelta("well"))
    with pytest.raises(RunAborted) as aborted:
        await ask(Agent(model), "go")
    assert isinstance(aborted.value.__cause__, ModelError)
    assert "plain" in str(aborted.value.__cause__)
    assert model.ended == 1
    valid(aborted.value.outcome)


@every_kind
async def test_what_a_model_gives_is_closed_however_it_ends(ask: Ask) -> None:
    model = Plain(DONE)
    assert (await ask(Agent(model), "go")).content == "done"
    assert model.ended == 1
    broken = Plain(TextDelta("we"), OSError("gone"))
    with pytest.raises(RunAborted):
        await ask(Agent(broken), "go")
    assert broken.ended == 1


async def test_what_was_streamed_before_a_failure_is_seen_and_nothing_is_run() -> None:
    ran: list[bool] = []

    @tool
    def work() -> None:
        """Work."""
        ran.append(True)

    script = [fail(ModelError("cut"), say("It ra", "ins"), call("work"))]
    run = Agent(ScriptedModel(script), tools=[work]).stream("go")
    seen: list[str] = []
    with pytest.raises(RunAborted):
        await _names_into(seen, run)
    assert seen.count("TextDelta") == 2
    assert seen[-1] == "RunFailed"
    assert ran == []
    assert run.outcome.stop == "failed"


async def _names_into(seen: list[str], run: Any) -> None:
    async with run:
        async for event in run:
            seen.append(type(event).__name__)  # noqa: PERF401


@every_kind
async def test_only_streams_ask_for_deltas(ask: Ask) -> None:
    with ScriptedModel(["done"]) as model:
        await ask(Agent(model), "go")
    streamed = "stream" in ask.__name__
    assert model.requests[0].stream is streamed


@every_kind
async def test_an_agent_can_be_closed_and_used_again(ask: Ask) -> None:
    model = ScriptedModel(forever="done")
    agent = Agent(model)
    async with agent:
        assert (await ask(agent, "go")).content == "done"
    assert model.closed == 1
    assert (await ask(agent, "go")).content == "done"
    agent.close_sync()
    assert model.closed == 2

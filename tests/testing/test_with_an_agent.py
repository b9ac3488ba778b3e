"""Scripts and recordings in their place: behind an agent, in every kind of run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolcrib import Agent, Limits, RunAborted
from toolcrib.errors import ModelError
from toolcrib.loop.outcome import Outcome
from toolcrib.testing import Recorder, Replay, ScriptedModel, ScriptExhausted, call, turn
from toolcrib.tools.function import tool


@tool
def double(n: int) -> int:
    """Doubles a number."""
    return 2 * n


@tool
def login(password: str) -> str:
    """Logs in."""
    return f"welcome, token=abc123{len(password)}"


def script() -> ScriptedModel:
    return ScriptedModel(
        [turn("Let me see.", call("double", {"n": 2}), call("double", {"n": "3"})), "4 and 6."]
    )


async def run(agent: Agent) -> Outcome[str]:
    return await agent.run("Two and three, doubled?")


async def stream(agent: Agent) -> Outcome[str]:
    async with agent.stream("Two and three, doubled?") as running:
        async for _ in running:
            pass
    return running.outcome


async def steps(agent: Agent) -> Outcome[str]:
    async with agent.steps("Two and three, doubled?") as running:
        async for _ in running:
            pass
    return running.outcome


async def run_sync(agent: Agent) -> Outcome[str]:
    return agent.run_sync("Two and three, doubled?")


WAYS = pytest.mark.parametrize("way", [run, stream, steps, run_sync])


@WAYS
async def test_one_script_serves_every_kind_of_run(way: Callable[[Agent], Any]) -> None:
    with script() as model:
        outcome = await way(Agent(model, tools=[double]))
    assert outcome.content == "4 and 6."
    assert [one.text for one in model.requests[1].messages[-2:]] == ["4", "6"]  # type: ignore[union-attr]


@WAYS
async def test_a_recording_of_one_run_serves_every_kind(
    way: Callable[[Agent], Any], tmp_path: Path
) -> None:
    recorded = await run(Agent(Recorder(script(), tmp_path / "it.json"), tools=[double]))
    with Replay(tmp_path / "it.json") as model:
        replayed = await way(Agent(model, tools=[double]))
    assert replayed.messages == recorded.messages


async def test_a_run_with_secrets_replays_without_them(tmp_path: Path) -> None:
    model = ScriptedModel([call("login", {"password": "hunter2"}), "You are in."])
    await Agent(Recorder(model, tmp_path / "it.json"), tools=[login]).run("Log in.")
    text = (tmp_path / "it.json").read_text()
    assert "hunter2" not in text
    assert "abc123" not in text
    with Replay(tmp_path / "it.json") as replay:
        outcome = await Agent(replay, tools=[login]).run("Log in.")
    assert outcome.content == "You are in."


async def test_running_out_of_steps_is_raised_as_it_is() -> None:
    model = ScriptedModel([call("double", {"n": 1})])
    with pytest.raises(ScriptExhausted):
        await Agent(model, tools=[double]).run("Go.")
    with pytest.raises(ScriptExhausted):
        model.check()


async def test_an_error_of_the_model_ends_the_run_with_that_error() -> None:
    model = ScriptedModel().fail(ModelError("gone", status=500), "half an ans")
    with pytest.raises(RunAborted) as caught:
        await stream(Agent(model))
    assert isinstance(caught.value.__cause__, ModelError)


async def test_forever_meets_a_limit() -> None:
    model = ScriptedModel(forever=lambda request: call("double", {"n": len(request.messages)}))
    outcome = await Agent(model, tools=[double], limits=Limits(model_calls=5)).run("Go.")
    assert (outcome.stop, len(model.requests)) == ("limit:model_calls", 5)

"""Every kind of run behind one function, so that a test can show that they behave the same."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from toolcrib.agent import Agent
from toolcrib.loop.outcome import Outcome

__all__ = ["Ask", "every_kind"]

Ask = Callable[..., Awaitable[Outcome[str]]]


async def _run(agent: Agent, *args: Any, **kwargs: Any) -> Outcome[str]:
    return await agent.run(*args, **kwargs)


async def _run_sync(agent: Agent, *args: Any, **kwargs: Any) -> Outcome[str]:
    return await asyncio.to_thread(agent.run_sync, *args, **kwargs)


async def _run_sync_inside_a_loop(agent: Agent, *args: Any, **kwargs: Any) -> Outcome[str]:
    return agent.run_sync(*args, **kwargs)


async def _stream(agent: Agent, *args: Any, **kwargs: Any) -> Outcome[str]:
    async with agent.stream(*args, **kwargs) as run:
        async for _ in run:
            pass
    return run.outcome


async def _stream_sync(agent: Agent, *args: Any, **kwargs: Any) -> Outcome[str]:
    def consume() -> Outcome[str]:
        with agent.stream_sync(*args, **kwargs) as run:
            for _ in run:
                pass
        return run.outcome

    return await asyncio.to_thread(consume)


async def _steps(agent: Agent, *args: Any, **kwargs: Any) -> Outcome[str]:
    async with agent.steps(*args, **kwargs) as run:
        async for _ in run:
            pass
    return run.outcome


_KINDS: dict[str, Ask] = {
    "run": _run,
    "run_sync": _run_sync,
    "run_sync inside a loop": _run_sync_inside_a_loop,
    "stream": _stream,
    "stream_sync": _stream_sync,
    "steps": _steps,
}

every_kind = pytest.mark.parametrize("ask", _KINDS.values(), ids=_KINDS)
"""Runs the test once for each kind of run; `await ask(agent, "...")` gives the outcome."""

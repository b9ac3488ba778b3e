"""The process of one runner: takes orders as lines of JSON, does the work, and says what it cost."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
import time
import tracemalloc
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from benchmarks.functions import create_order, make_functions
from benchmarks.workload import ADD_ARGUMENTS, ORDER_ARGUMENTS, STAMPS, TOOLS, Clock

__all__ = ["Conversation", "Reader", "Runner", "serve"]

Conversation = Callable[[str, str], Awaitable[str]]
"""Model name and kind of tool → the last text. Whatever can be kept between conversations is kept."""

Reader = Callable[[str], Coroutine[Any, Any, Any]]
"""Argument text → what the function gives."""


@dataclass(frozen=True, slots=True)
class Runner:
    """What a runner can do; each way of conversing is made once, for the server at an address."""

    conversations: Mapping[str, Callable[[str], Conversation]]
    streams: Mapping[str, Callable[[str], Callable[[str], Awaitable[int]]]] = field(
        default_factory=dict
    )
    """Model name → the number of characters that came."""
    register: Callable[[Callable[..., Any]], Any] | None = None
    """Function → its schema for the model."""
    reader: Callable[[Callable[..., Any]], Reader] | None = None


def serve(runner: Runner) -> None:
    """Take orders until standard input closes."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # a library that prints must not come between
    worker = _Worker(runner, sys.argv[1])
    with asyncio.Runner() as loop:
        for line in sys.stdin:
            order = json.loads(line)
            do: Callable[..., Coroutine[Any, Any, dict[str, Any]]] = getattr(
                worker, order.pop("do")
            )
            gc.collect()
            print(json.dumps(loop.run(do(**order))), file=answers, flush=True)


class _Worker:
    def __init__(self, runner: Runner, address: str) -> None:
        self._runner = runner
        self._conversations = {way: make(address) for way, make in runner.conversations.items()}
        self._streams = {way: make(address) for way, make in runner.streams.items()}

    async def converse(
        self, way: str, model: str, tool: str, times: int = 1, gaps: bool = False
    ) -> dict[str, Any]:
        """Wall and CPU seconds of one conversation; if wanted, CPU seconds between runs of the tool."""
        converse = self._conversations[way]
        Clock.now = time.process_time if gaps else time.perf_counter
        STAMPS.clear()
        wall, cpu = time.perf_counter(), time.process_time()
        for _ in range(times):
            text = await converse(model, tool)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        _check(model, text, len(STAMPS) // times)
        between = [later - earlier for earlier, later in pairwise(STAMPS)] if gaps else []
        return {"wall": wall / times, "cpu": cpu / times, "gaps": between}

    async def keep(self, way: str, model: str, tool: str, times: int) -> dict[str, Any]:
        """Bytes that a finished conversation leaves behind."""
        converse = self._conversations[way]
        tracemalloc.start()
        try:
            for _ in range(5):  # fills caches that have an end
                await converse(model, tool)
            before = _held()
            for _ in range(times):
                await converse(model, tool)
            return {"bytes": (_held() - before) / times}
        finally:
            tracemalloc.stop()

    async def stream(self, way: str, characters: int) -> dict[str, Any]:
        """CPU seconds of one streamed text."""
        cpu = time.process_time()
        came = await self._streams[way](f"text-{characters}")
        cpu = time.process_time() - cpu
        if came != characters:
            raise AssertionError(f"{came} characters came, not {characters}")
        return {"cpu": cpu}

    async def register(self, count: int) -> dict[str, Any]:
        """CPU seconds until every one of so many functions has its schema."""
        register = self._runner.register
        assert register is not None
        functions = make_functions(count)
        gc.collect()
        cpu = time.process_time()
        kept = [register(function) for function in functions]
        return {"cpu": time.process_time() - cpu, "count": len(kept)}

    async def read(self, what: str, times: int) -> dict[str, Any]:
        """CPU seconds of one call: text of the arguments, checked, function run."""
        assert self._runner.reader is not None
        function, text = {
            "two ints": (TOOLS["sync"], ADD_ARGUMENTS),
            "nested order": (create_order, ORDER_ARGUMENTS),
        }[what]
        read = self._runner.reader(function)
        for _ in range(50):
            value = await read(text)
        assert str(value) in ("42", "ok"), value
        cpu = time.process_time()
        for _ in range(times):
            await read(text)
        cpu = time.process_time() - cpu
        return {"cpu": cpu / times}


def _held() -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


def _check(model: str, text: str, calls: int) -> None:
    """A runner that does less work than the others must not look fast."""
    rounds, *width = map(int, model.removeprefix("checked-").split("-")[1:])
    wanted = rounds * (width[0] if width else 1)
    if text != f"done {rounds}" or calls != wanted:
        raise AssertionError(f"{model}: {calls} calls, not {wanted}, and the text {text!r}")

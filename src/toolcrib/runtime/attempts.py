"""How a tool is run: in which thread and context, for how long, and how often."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Coroutine, Generator, Mapping
from contextlib import aclosing
from contextvars import Context, copy_context
from copy import deepcopy
from types import CoroutineType, coroutine
from typing import Any

from toolcrib.late import asyncio
from toolcrib.runtime.retries import retrying
from toolcrib.runtime.threads import Threads
from toolcrib.tools.context import ToolContext
from toolcrib.tools.execution import ToolExecution
from toolcrib.tools.tool import Tool

__all__ = ["Attempts", "OutOfTime"]


class Attempts:
    """Runs tools; whatever they raise, and `OutOfTime`, is raised on."""

    __slots__ = ("_threads",)

    def __init__(self, threads: Threads) -> None:
        self._threads = threads

    def value(
        self, execution: ToolExecution, tool: Tool, context: ToolContext
    ) -> Coroutine[Any, Any, Any]:
        """What the tool gives, in as many attempts as it may have."""
        if tool.options.retries:
            return self._retried(execution, tool, context)
        execution.attempts = 1
        return self._attempt(execution, tool, context, execution.arguments)

    async def _retried(self, execution: ToolExecution, tool: Tool, context: ToolContext) -> Any:
        async for attempt in retrying(tool.options.retries + 1):
            with attempt:
                execution.attempts = context.attempt = attempt.num
                # An attempt that failed half way may have changed what it was given.
                arguments = deepcopy(execution.arguments)
                return await self._attempt(execution, tool, context, arguments)
        raise AssertionError("the last attempt returns or raises")

    async def _attempt(
        self,
        execution: ToolExecution,
        tool: Tool,
        context: ToolContext,
        arguments: Mapping[str, Any],
    ) -> Any:
        seconds = tool.options.timeout
        if tool.mode == "sync":
            value = await self._call_sync(execution, tool, context, arguments)
            # It may hand back something to await, such as a partial of an async function does.
            return await _within(seconds, _awaited(value)) if inspect.isawaitable(value) else value
        if tool.mode == "progress":
            waiting = _last_item(tool, arguments, context)
        else:
            waiting = tool.call(arguments, context)
            if not isinstance(waiting, CoroutineType):
                waiting = _awaited(waiting)
        inside = _in_context(copy_context(), waiting)
        return await inside if seconds is None else await _within(seconds, inside)

    async def _call_sync(
        self,
        execution: ToolExecution,
        tool: Tool,
        context: ToolContext,
        arguments: Mapping[str, Any],
    ) -> Any:
        def function() -> Any:
            return tool.call(arguments, context)

        seconds = tool.options.timeout
        here = tool.options.thread == "caller"
        job = self._threads.start(function, tell_start=seconds is not None, by_caller=here)
        if job is None:
            return copy_context().run(function)
        try:
            if seconds is not None:
                if job.started is not None:
                    await asyncio.wait([job.started, job.done], return_when="FIRST_COMPLETED")
                # Not `timeout()`: the thread cannot be stopped, only left alone.
                await asyncio.wait([job.done], timeout=seconds)
                if not job.done.done():
                    job.done.cancel()  # what comes of it still is nobody's
                    raise OutOfTime(seconds)
            return await job.done
        except asyncio.CancelledError:
            job.done.cancel()
            if job.withdraw():
                execution.started_at = None  # no thread had come round to it
            raise


class OutOfTime(Exception):
    """An attempt took longer than it may."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


@coroutine
def _in_context(context: Context, inner: Coroutine[Any, Any, Any]) -> Generator[Any, Any, Any]:
    """Drive `inner` in `context` but in this task, which is cheaper than a task of its own."""
    try:
        waiting = context.run(inner.send, None)
        while True:
            try:
                value = yield waiting
            except BaseException as error:
                waiting = context.run(inner.throw, error)
            else:
                waiting = context.run(inner.send, value)
    except StopIteration as done:
        return done.value


async def _last_item(tool: Tool, arguments: Mapping[str, Any], context: ToolContext) -> Any:
    """The last item of an async generator is the value; those before it are progress."""
    value, first = None, True
    async with aclosing(tool.call(arguments, context)) as items:
        async for item in items:
            if not first:
                context.report(value)
            value, first = item, False
    return value


async def _awaited(value: Awaitable[Any]) -> Any:
    return await value


async def _within(seconds: float | None, waiting: Awaitable[Any]) -> Any:
    """Cancel what takes longer than `seconds`; a `TimeoutError` of its own stays its own."""
    if seconds is None:
        return await waiting
    timer = asyncio.timeout(seconds)
    try:
        async with timer:
            return await waiting
    except TimeoutError as error:
        if not timer.expired():
            raise
        raise OutOfTime(seconds) from error

"""One call: find the tool, read the arguments, ask the hooks, run it, tell the result.

Whatever goes wrong inside ends in the call's own `ToolExecution`; nothing is raised but a
cancellation of the whole run.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import types
from collections.abc import Callable, Coroutine, Generator, Mapping
from contextlib import aclosing
from contextvars import Context, copy_context
from dataclasses import replace
from time import time
from typing import Any

from toolcrib.errors import (
    ConfigurationError,
    Problem,
    ToolArgumentsError,
    ToolCrashedError,
    ToolError,
    ToolTimeoutError,
    UnknownToolError,
)
from toolcrib.loop.decisions import Answer, Approve, Deny, Edit
from toolcrib.loop.error_policy import ErrorPolicy
from toolcrib.loop.events import Event, ToolFinished, ToolProgress, ToolStarted
from toolcrib.loop.pairing import refusal
from toolcrib.messages import Text, ToolResult
from toolcrib.runtime.hooks import HookSet, settled
from toolcrib.runtime.result_store import ResultStore
from toolcrib.runtime.retries import retrying
from toolcrib.runtime.threads import Threads
from toolcrib.tools.context import RunContext, ToolContext
from toolcrib.tools.execution import Fault, State, ToolExecution
from toolcrib.tools.results import ToolOutput, told
from toolcrib.tools.signals import FatalToolError, RetryCall, ReturnNow
from toolcrib.tools.tool import Tool
from toolcrib.tools.visibility import without_relay_keys

__all__ = ["Caller", "cancel", "is_being_cancelled"]

_log = logging.getLogger("toolcrib.tools")
_LONGEST_TOLD = 2_000


class Caller:
    """Runs single calls under one set of policies."""

    __slots__ = ("_emit", "_errors", "_hooks", "_store", "_threads")

    def __init__(
        self,
        errors: ErrorPolicy,
        hooks: HookSet,
        threads: Threads,
        store: ResultStore,
        emit: Callable[[Event], None] | None,
    ) -> None:
        self._errors = errors
        self._hooks = hooks
        self._threads = threads
        self._store = store
        self._emit = emit

    async def perform(self, execution: ToolExecution, position: int, run: RunContext) -> None:
        """Answer one call; afterwards `execution` has its result and final state."""
        context = ToolContext(run, execution.call, self._reporter(execution, position, run.round))
        try:
            await self._perform(execution, position, context)
            for hook in self._hooks.after_tool:
                changed = await settled(hook(execution, context))
                if changed is not None:
                    execution.result = changed
        except asyncio.CancelledError:
            if execution.result is None:
                cancel(execution, "cancelled")
            raise
        except Exception as error:  # a hook of the program's: it ends the run
            execution.aborts = error
            if execution.result is None:
                self._answer(execution, "Not run: the program refused it.", "not_run", "denied")
        finally:
            self.finished(execution, position, run)

    def finished(self, execution: ToolExecution, position: int, run: RunContext) -> None:
        """Tell observers that a call is answered."""
        if self._emit is not None:
            self._emit(ToolFinished(run.round, position, execution))

    async def _perform(self, execution: ToolExecution, position: int, context: ToolContext) -> None:
        tool = self._resolve(execution, context.run)
        if tool is None or not self._read(execution, tool, execution.call.arguments):
            return
        if self._hooks.before_tool and not await self._decided(execution, tool, context):
            return
        if self._emit is not None:
            call, arguments = execution.call, execution.arguments
            self._emit(ToolStarted(context.run.round, position, call, arguments))
        execution.started_at = time()
        try:
            if tool.options.retries:
                value = await self._attempts(execution, tool, context)
            else:
                execution.attempts = 1
                value = await self._attempt(execution, tool, context)
        except ReturnNow as signal:
            value, execution.returns_now = signal.value, True
        except asyncio.CancelledError:
            if is_being_cancelled():
                raise
            return self._crashed(execution, asyncio.CancelledError("the tool cancelled itself"))
        except (Exception, SystemExit) as error:
            return self._failed(execution, error)
        execution.ended_at = time()
        self._tell_value(execution, tool, value)

    def _failed(self, execution: ToolExecution, error: BaseException) -> None:
        match error:
            case _OutOfTime():
                late = ToolTimeoutError(execution.name, error.seconds)
                self._told(execution, late, "unknown", "timeout")
            case RetryCall():
                self._told(execution, ToolError(error.text), "failed", "arguments")
            case FatalToolError():
                self._answer(execution, error.text, "failed", "execution")
                execution.error = execution.aborts = error
            case ToolError():
                self._told(execution, error, "failed", "execution")
            case _:
                self._crashed(execution, error)

    def _resolve(self, execution: ToolExecution, run: RunContext) -> Tool | None:
        call = execution.call
        listed = run.tools.get(call.name)
        if listed is not None and not listed.gone:
            execution.returns = listed.tool.definition.returns
            return listed.tool
        nearest: tuple[str, ...] = ()
        if listed is not None:
            text = f"Tool '{call.name}' is no longer available."
        else:
            text = f"There is no tool named {_short(call.name, 80)!r}."
            nearest = run.tools.nearest(call.name)
        names = [one.name for one in run.tools.visible if not one.gone]
        if nearest:
            text += f" Did you mean {' or '.join(repr(name) for name in nearest)}?"
        if names:
            text += (
                f" Available tools: {', '.join(names[:50])}{', ...' if len(names) > 50 else ''}."
            )
        else:
            text += " No tools are available."
        error = UnknownToolError(text, tool=call.name, nearest=nearest)
        self._handled(execution, error, "not_run", "unknown_tool", self._errors.unknown_tool)
        return None

    def _read(self, execution: ToolExecution, tool: Tool, text: str) -> bool:
        name = tool.definition.name
        try:
            if execution.call.cut_off:
                raise ToolArgumentsError(name, [_cut_off(text)])
            read = tool.read(text)
        except ToolArgumentsError as error:
            self._handled(execution, error, "not_run", "arguments", self._errors.arguments)
            return False
        except Exception as error:  # a validator of the user's
            self._crashed(execution, error, state="not_run", fault="arguments")
            return False
        execution.arguments, execution.repairs = read
        return True

    async def _decided(self, execution: ToolExecution, tool: Tool, context: ToolContext) -> bool:
        """Ask the hooks; whether the tool is still to be run."""
        for hook in self._hooks.before_tool:
            match await settled(hook(execution, context)):
                case None | Approve():
                    continue
                case Deny(text=text):
                    self._answer(execution, text, "not_run", "denied")
                    return False
                case Answer(value=value):
                    execution.ended_at = execution.started_at = time()
                    self._tell_value(execution, tool, value)
                    return False
                case Edit(arguments=arguments):
                    execution.arguments, execution.repairs = tool.read(json.dumps(dict(arguments)))
                case other:
                    raise ConfigurationError(
                        f"before_tool must return Approve, Deny, Edit, Answer or None, not {other!r}."
                    )
        return True

    async def _attempts(self, execution: ToolExecution, tool: Tool, context: ToolContext) -> Any:
        async for attempt in retrying(tool.options.retries + 1):
            with attempt:
                execution.attempts = context.attempt = attempt.num
                return await self._attempt(execution, tool, context)
        raise AssertionError("the last attempt returns or raises")

    async def _attempt(self, execution: ToolExecution, tool: Tool, context: ToolContext) -> Any:
        if tool.mode == "sync":
            return await self._call_sync(execution, tool, context)
        if tool.mode == "async":
            waiting = tool.call(execution.arguments, context)
        else:
            waiting = _last_item(tool, execution.arguments, context)
        seconds = tool.options.timeout
        if seconds is None:
            return await _in_context(copy_context(), waiting)
        timer = asyncio.timeout(seconds)
        try:
            async with timer:
                return await _in_context(copy_context(), waiting)
        except TimeoutError as error:
            if not timer.expired():
                raise
            raise _OutOfTime(seconds) from error

    async def _call_sync(self, execution: ToolExecution, tool: Tool, context: ToolContext) -> Any:
        def function() -> Any:
            return tool.call(execution.arguments, context)

        seconds = tool.options.timeout
        here = tool.options.thread == "caller"
        job = self._threads.start(function, tell_start=seconds is not None, by_caller=here)
        if job is None:
            return await _resolved(copy_context().run(function))
        try:
            if seconds is not None:
                if job.started is not None:
                    await job.started
                # Not `timeout()`: the thread cannot be stopped, only left alone.
                await asyncio.wait([job.done], timeout=seconds)
                if not job.done.done():
                    raise _OutOfTime(seconds)
            return await _resolved(await job.done)
        except asyncio.CancelledError:
            if job.withdraw():
                execution.started_at = None  # no thread had come round to it
            raise

    def _tell_value(self, execution: ToolExecution, tool: Tool, value: Any) -> None:
        attributes: Mapping[str, Any] = {}
        is_error = False
        if isinstance(value, ToolOutput):
            attributes, is_error, value = value.attributes, value.is_error, value.content
        execution.value = value
        try:
            parts = told(value, none_means_success=tool.none_means_success)
            content = self._store.fitted(parts)
        except Exception as error:  # the tool has run: only its value cannot be told
            kind = type(value).__name__
            text = (
                f"Tool '{execution.name}' ran, but its result ({kind}) cannot be written as JSON."
            )
            crash = ToolCrashedError(text, tool=execution.name)
            crash.__cause__ = error
            self._told(execution, crash, "committed", "execution")
            return
        execution.state = "failed" if is_error else "committed"
        execution.fault = "execution" if is_error else None
        execution.result = ToolResult(
            execution.call.id,
            execution.call.name,
            content,
            is_error,
            attributes if tool.relays else without_relay_keys(attributes),
        )

    def _crashed(
        self,
        execution: ToolExecution,
        error: BaseException,
        state: State = "failed",
        fault: Fault = "execution",
    ) -> None:
        _log.warning("tool %r raised %s", execution.name, type(error).__name__, exc_info=error)
        words = self._errors.redact(f"{type(error).__name__}: {error}".removesuffix(": "))
        crash = ToolCrashedError(
            f"Tool '{execution.name}' failed: {_short(words)}", tool=execution.name
        )
        crash.__cause__ = error
        self._told(execution, crash, state, fault)

    def _told(self, execution: ToolExecution, error: ToolError, state: State, fault: Fault) -> None:
        self._handled(execution, error, state, fault, self._errors.execution)

    def _handled(
        self,
        execution: ToolExecution,
        error: Any,
        state: State,
        fault: Fault,
        handler: Callable[[Any, ToolExecution], str],
    ) -> None:
        """Tell the model what the handler says; what it raises instead ends the run."""
        execution.error = error.__cause__ or error
        self._answer(execution, error.text, state, fault)
        try:
            text = handler(error, execution)
        except Exception as abort:
            execution.aborts = abort
            return
        if isinstance(text, str) and text != error.text:
            self._answer(execution, text, state, fault)

    def _answer(self, execution: ToolExecution, text: str, state: State, fault: Fault) -> None:
        if execution.started_at is not None:
            execution.ended_at = time()
        execution.state, execution.fault = state, fault
        execution.result = replace(
            refusal(execution.call, text), content=self._store.fitted((Text(text),))
        )

    def _reporter(
        self, execution: ToolExecution, position: int, number: int
    ) -> Callable[[Any], None]:
        emit = self._emit
        if emit is None:
            return _ignore
        loop = asyncio.get_running_loop()

        def report(progress: Any) -> None:
            event = ToolProgress(number, position, execution.call, progress)
            try:
                running = asyncio.get_running_loop()
            except RuntimeError:
                running = None
            if running is loop:
                emit(event)
            else:
                loop.call_soon_threadsafe(emit, event)

        return report


def cancel(execution: ToolExecution, fault: Fault) -> None:
    """Answer a call that was cancelled: not run, or unknown when it had been started."""
    execution.fault = fault
    if execution.started_at is None:
        execution.state = "not_run"
        text = "Not run: it was cancelled before it started."
    else:
        execution.state, execution.ended_at = "unknown", time()
        text = "It was cancelled while it ran. It may or may not have had an effect."
    execution.result = refusal(execution.call, text)


def is_being_cancelled() -> bool:
    """Whether somebody wants the current task to end; else a `CancelledError` is the tool's own."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


class _OutOfTime(Exception):  # an attempt took longer than it may
    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


@types.coroutine
def _in_context(context: Context, coroutine: Coroutine[Any, Any, Any]) -> Generator[Any, Any, Any]:
    """Drive `coroutine` in `context` but in this task, which is cheaper than a task of its own."""
    try:
        waiting = context.run(coroutine.send, None)
        while True:
            try:
                value = yield waiting
            except BaseException as error:
                waiting = context.run(coroutine.throw, error)
            else:
                waiting = context.run(coroutine.send, value)
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


async def _resolved(value: Any) -> Any:
    """A sync function may hand back something to await, such as a partial of an async one."""
    return await value if inspect.isawaitable(value) else value


def _cut_off(text: str) -> Problem:
    return Problem("", "the whole JSON text", f"a text that was cut off: {_short(text, 80)!r}")


def _short(text: str, most: int = _LONGEST_TOLD) -> str:
    return text if len(text) <= most else f"{text[:most]}..."


def _ignore(progress: Any) -> None:
    return None

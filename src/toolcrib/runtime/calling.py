"""One call: find the tool, read the arguments, ask the hooks, run it, tell the result.

Whatever goes wrong inside ends in the call's own `ToolExecution`; nothing is raised but a
cancellation of the whole run.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping
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
from toolcrib.late import asyncio
from toolcrib.logs import logger
from toolcrib.loop.decisions import Answer, Approve, Deny, Edit
from toolcrib.loop.error_policy import ErrorPolicy
from toolcrib.loop.events import Event, ToolFinished, ToolProgress, ToolStarted
from toolcrib.loop.pairing import refusal
from toolcrib.messages import Text, ToolResult
from toolcrib.runtime.attempts import Attempts, OutOfTime
from toolcrib.runtime.hooks import HookSet, settled
from toolcrib.runtime.result_store import ResultStore
from toolcrib.runtime.threads import Threads
from toolcrib.tools.context import RunContext, ToolContext
from toolcrib.tools.execution import Fault, State, ToolExecution
from toolcrib.tools.results import ToolOutput, told
from toolcrib.tools.signals import FatalToolError, RetryCall, ReturnNow
from toolcrib.tools.tool import Tool
from toolcrib.tools.visibility import without_relay_keys

__all__ = ["Caller", "cancel", "is_being_cancelled"]

_LONGEST_TOLD = 2_000


class Caller:
    """Runs single calls under one set of policies."""

    __slots__ = ("_attempts", "_emit", "_errors", "_hooks", "store")

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
        self._attempts = Attempts(threads)
        self.store = store
        self._emit = emit

    async def perform(self, execution: ToolExecution, position: int, run: RunContext) -> None:
        """Answer one call; afterwards `execution` has its result and final state."""
        emit = self._emit
        report = _ignore if emit is None else _reporter(emit, execution, position, run.round)
        context = ToolContext(run, execution.call, report)
        try:
            await self._perform(execution, position, context)
            if self._hooks.after_tool and not _given_up(execution):
                await self._changed(execution, context)
        except asyncio.CancelledError as error:
            if is_being_cancelled():
                if execution.result is None:
                    cancel(execution, "cancelled")
                    self.finished(execution, position, run)
                elif not _given_up(execution):
                    self.finished(execution, position, run)
                raise
            self._refused(execution, error)
        except Exception as error:
            self._refused(execution, error)
        if emit is not None and not _given_up(execution):
            self.finished(execution, position, run)

    async def _changed(self, execution: ToolExecution, context: ToolContext) -> None:
        call = execution.call
        for hook in self._hooks.after_tool:
            changed = await settled(hook(execution, context))
            if changed is None:
                continue
            if not isinstance(changed, ToolResult):
                raise ConfigurationError(
                    f"after_tool must return a ToolResult or None, not {changed!r:.80}."
                )
            # Whatever a hook builds, the result answers this call and keeps to the budget.
            content = self.store.fitted(changed.content, execution)
            execution.result = replace(changed, call_id=call.id, name=call.name, content=content)

    def _refused(self, execution: ToolExecution, error: BaseException) -> None:
        """A hook of the program's has raised: that ends the run."""
        execution.aborts = execution.aborts or error
        if execution.result is None and execution.started_at is None:
            self._answer(execution, "Not run: the program refused it.", "not_run", "denied")
        elif execution.result is None:
            text = "It was run, but the program could not tell its result."
            self._answer(execution, text, "unknown", "execution")

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
            value = await self._attempts.value(execution, tool, context)
        except ReturnNow as signal:
            value, execution.returns_now = signal.value, True
        except asyncio.CancelledError:
            if is_being_cancelled():
                raise
            return self._crashed(execution, asyncio.CancelledError("the tool cancelled itself"))
        except GeneratorExit:
            raise
        except BaseException as error:
            if execution.result is None:
                self._failed(execution, error)
            return
        if execution.result is None:
            execution.ended_at = time()
            self._tell_value(execution, tool, value)

    def _failed(self, execution: ToolExecution, error: BaseException) -> None:
        match error:
            case OutOfTime():
                late = ToolTimeoutError(execution.name, error.seconds)
                self._told(execution, late, "unknown", "timeout")
            case RetryCall():
                self._told(execution, ToolError(error.text), "failed", "arguments", error)
            case FatalToolError():
                self._answer(execution, error.text, "failed", "execution")
                execution.error = execution.aborts = error
            case ToolError():
                self._told(execution, error, "failed", "execution")
            case Exception() | SystemExit():
                self._crashed(execution, error)
            case _:  # such as KeyboardInterrupt: never only told
                self._crashed(execution, error, state="unknown")
                execution.aborts = error

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

    def _tell_value(self, execution: ToolExecution, tool: Tool, value: Any) -> None:
        attributes: Mapping[str, Any] = {}
        is_error = False
        if isinstance(value, ToolOutput):
            attributes, is_error, value = value.attributes, value.is_error, value.content
        execution.value = value
        try:
            parts = told(value, none_means_success=tool.none_means_success)
            content = self.store.fitted(parts, execution)
            if attributes and not tool.relays:
                attributes = without_relay_keys(attributes)
        except Exception as error:  # the tool has run: only its value cannot be told
            kind = type(value).__name__
            text = (
                f"Tool '{execution.name}' ran, but its result ({kind}) cannot be written as JSON."
            )
            crash = ToolCrashedError(text, tool=execution.name)
            crash.__cause__ = error
            self._told(execution, crash, "committed", "execution", error)
            return
        execution.state = "failed" if is_error else "committed"
        execution.fault = "execution" if is_error else None
        call = execution.call
        execution.result = ToolResult(call.id, call.name, content, is_error, attributes)

    def _crashed(
        self,
        execution: ToolExecution,
        error: BaseException,
        state: State = "failed",
        fault: Fault = "execution",
    ) -> None:
        words = self._errors.redact(f"{type(error).__name__}: {_words(error)}".removesuffix(": "))
        # Without the traceback: it would hold what was just redacted. It is at `execution.error`.
        logger("tools").warning("tool %r failed: %s", execution.name, words)
        crash = ToolCrashedError(
            f"Tool '{execution.name}' failed: {_short(words)}", tool=execution.name
        )
        crash.__cause__ = error
        self._told(execution, crash, state, fault, error)

    def _told(
        self,
        execution: ToolExecution,
        error: ToolError,
        state: State,
        fault: Fault,
        raised: BaseException | None = None,
    ) -> None:
        self._handled(execution, error, state, fault, self._errors.execution, raised)

    def _handled(
        self,
        execution: ToolExecution,
        error: Any,
        state: State,
        fault: Fault,
        handler: Callable[[Any, ToolExecution], str],
        raised: BaseException | None = None,
    ) -> None:
        """Tell the model what the handler says; what it raises instead ends the run."""
        execution.error = raised or error
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
            refusal(execution.call, text), content=self.store.fitted((Text(text),), execution)
        )


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


def _cut_off(text: str) -> Problem:
    return Problem("", "the whole JSON text", f"a text that was cut off: {_short(text, 80)!r}")


def _given_up(execution: ToolExecution) -> bool:
    """Whether it was answered as cancelled already, because it did not come to an end."""
    return execution.fault in ("cancelled", "sibling")


def _words(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # what can be raised need not be able to say what it is
        return ""


def _short(text: str, most: int = _LONGEST_TOLD) -> str:
    return text if len(text) <= most else f"{text[:most]}..."


def _ignore(progress: Any) -> None:
    return None


def _reporter(
    emit: Callable[[Event], None], execution: ToolExecution, position: int, number: int
) -> Callable[[Any], None]:
    loop = asyncio.get_running_loop()

    def tell(progress: Any) -> None:
        if execution.result is None:  # else it is a thread that was left alone
            emit(ToolProgress(number, position, execution.call, progress))

    def report(progress: Any) -> None:
        try:
            running = asyncio.get_running_loop()
        except RuntimeError:
            running = None
        if running is loop:
            tell(progress)
        else:
            with contextlib.suppress(RuntimeError):  # the loop is gone, and all who listened
                loop.call_soon_threadsafe(tell, progress)

    return report

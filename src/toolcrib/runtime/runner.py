"""Answers the loop's questions for a plain run: nothing is journaled."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any, assert_never

from toolcrib.chat import ChatModel, ChatReply, ChatRequest
from toolcrib.errors import ConfigurationError, ModelError
from toolcrib.late import anyio, asyncio
from toolcrib.loop.error_policy import ErrorPolicy
from toolcrib.loop.events import (
    Event,
    ModelReplied,
    ModelRequested,
    RoundFinished,
    RunFailed,
    RunFinished,
    RunStarted,
    ToolFinished,
)
from toolcrib.loop.ledger import LoopPolicy
from toolcrib.loop.outcome import Outcome, RunAborted, RunInterrupted
from toolcrib.loop.questions import (
    Asking,
    AskModel,
    Await,
    CheckAnswer,
    PrepareRound,
    Question,
    RoundPlan,
    RunCalls,
    UndoCall,
)
from toolcrib.loop.round_trips import round_trips
from toolcrib.messages import History, Message, ToolCall
from toolcrib.runtime.calling import Caller, cancel, is_being_cancelled
from toolcrib.runtime.executor import Executor
from toolcrib.runtime.hooks import HookSet, settled
from toolcrib.runtime.result_store import ResultStore
from toolcrib.runtime.steps import Step
from toolcrib.runtime.threads import Threads
from toolcrib.tools.catalog import Catalog
from toolcrib.tools.context import RunContext
from toolcrib.tools.execution import ToolExecution
from toolcrib.tools.injection import check_injection
from toolcrib.tools.listing import asked
from toolcrib.tools.toolset import Toolset
from toolcrib.values import value

__all__ = ["RunPlan", "Runner"]

_CLEANING = 10.0
"""Seconds that a cancelled tool or model has to clean up before it is cancelled again."""


@value
class RunPlan:
    """What a runner needs to know of an agent; shared by all its runs."""

    model: ChatModel
    toolsets: tuple[Toolset, ...]
    policy: LoopPolicy
    errors: ErrorPolicy
    hooks: HookSet
    concurrency: int
    name: str | None = None


class Runner:
    """One run: drives the loop to its outcome, once."""

    def __init__(
        self,
        plan: RunPlan,
        messages: Sequence[Message],
        new: Sequence[Message],
        context: RunContext,
        threads: Threads,
        *,
        stream: bool = False,
        emit: Callable[[Event], None] | None = None,
        on_step: Callable[[Step], Awaitable[None]] | None = None,
    ) -> None:
        self.outcome: Outcome[str] | None = None
        self._plan = plan
        self._policy = replace(plan.policy, stream=stream) if stream else plan.policy
        self._history = History((*messages, *new))
        self._handed_in = len(messages)
        self._context = context
        context.messages = self._history
        self._emit = emit
        self._on_step = on_step
        self._store = ResultStore(plan.policy.limits.result_bytes)
        self._executor = Executor(
            Caller(plan.errors, plan.hooks, threads, self._store, emit),
            plan.concurrency,
            cancel_siblings=plan.errors.cancel_siblings,
        )
        self._question: Question = PrepareRound(())
        self._error: BaseException | None = None
        self._listed = False
        self._dynamic = any(toolset.dynamic for toolset in plan.toolsets)
        self._removed: set[str] = set()
        self._requests = 0
        self._steps = 0
        self._reply: ChatReply | None = None
        self._executions: tuple[ToolExecution, ...] = ()
        self._told = 0
        self._running: tuple[ToolExecution, ...] | None = None
        self._stop: str | None = None
        self._task: asyncio.Task[Any] | None = None
        self._before = 0
        self._interrupts = 0
        self._again: asyncio.TimerHandle | None = None
        self._deadline: float | None = None
        self._closing = False

    def cancel(self, stop: str = "cancelled") -> None:
        """End the run; call it in the event loop that the run lives in."""
        if self._stop is None:
            self._stop = stop
            # Not at once: a hook or an observer may be calling from within the run's own task.
            if self._task is not None:
                self._task.get_loop().call_soon(self._interrupt)

    def _interrupt(self) -> None:
        if self.outcome is not None or self._task is None:
            return
        self._interrupts += 1
        self._task.cancel()
        # Once, so that tools can clean up; again for those that never come to an end with that.
        self._again = self._task.get_loop().call_later(_CLEANING, self._interrupt)

    async def run(self) -> Outcome[str]:
        """Drive the loop. Raises `RunAborted` when an exception ended the run."""
        if self._emit is not None:
            messages = tuple(self._history)
            self._emit(RunStarted(self._context.run_id, self._plan.name, messages))
        loop = round_trips(self._history, self._handed_in, self._policy)
        self._question = next(loop)
        task = self._task = asyncio.current_task()
        assert task is not None
        self._before = before = task.cancelling()
        timer = self._timer()
        try:
            return self._ended(await self._drive(loop))
        except asyncio.CancelledError:
            self._take_back(task)
            if self._stop is not None and task.cancelling() <= before:
                return self._ended(await self._close(loop, self._stop))
            # Somebody outside wants this task to end: put things in order, then let it go on up.
            with contextlib.suppress(RunAborted, ConfigurationError):
                self._ended(await self._close(loop, "cancelled"))
            raise
        finally:
            self._take_back(task)
            self._task = None
            for waiting in (timer, self._again):
                if waiting is not None:
                    waiting.cancel()

    def _timer(self) -> asyncio.TimerHandle | None:
        seconds = self._policy.limits.seconds
        if seconds is None:
            return None
        now = asyncio.get_running_loop()
        self._deadline = now.time() + seconds
        return now.call_later(seconds, self.cancel, "limit:seconds")

    def _take_back(self, task: asyncio.Task[Any]) -> None:
        """Nobody outside is to think that the run's own cancellations are theirs."""
        while self._interrupts:
            self._interrupts -= 1
            task.uncancel()

    def _check_interrupted(self) -> None:
        """A tool may have swallowed a cancellation, or kept the event loop from its timers."""
        if self._closing:
            return
        if self._deadline is not None and asyncio.get_running_loop().time() >= self._deadline:
            self.cancel("limit:seconds")
        assert self._task is not None
        if self._stop is not None or self._task.cancelling() > self._before:
            raise asyncio.CancelledError

    async def _drive(self, loop: Asking[Outcome[str]]) -> Outcome[str]:
        while True:
            self._check_interrupted()
            answer: Any = None
            error: BaseException | None = None
            try:
                answer = await self._answer(self._question)
            except asyncio.CancelledError as raised:
                if self._stop is not None or is_being_cancelled():
                    raise
                self._error = error = raised  # nobody's but the model's or a toolset's own
            except Exception as raised:
                self._error = error = raised
            try:
                if error is None:
                    self._question = loop.send(answer)
                else:
                    failed = RunInterrupted("failed", f"{type(error).__name__}: {error}")
                    self._question = loop.throw(failed)
            except StopIteration as done:
                outcome: Outcome[str] = done.value
                return outcome

    async def _close(self, loop: Asking[Outcome[str]], stop: str) -> Outcome[str]:
        """Interrupt the loop where it stands; calls that were running are answered first."""
        self._on_step = None
        self._closing = True
        with anyio.CancelScope(shield=True):
            if isinstance(self._question, RunCalls):
                self._question = loop.send(self._finished(self._unfinished(self._question)))
            if not (isinstance(self._question, PrepareRound) and self._question.last):
                self._question = loop.throw(RunInterrupted(stop))
            outcome = await self._drive(loop)
        return outcome

    def _ended(self, outcome: Outcome[str]) -> Outcome[str]:
        outcome.run_id = self._context.run_id
        self.outcome = outcome
        if self._emit is not None and len(outcome.tool_executions) > self._told:
            self._tell_unrun(outcome.tool_executions[self._told :])
        if outcome.stop != "failed":
            if self._emit is not None:
                self._emit(RunFinished(outcome))
            return outcome
        aborts = (one.aborts for one in outcome.tool_executions if one.aborts is not None)
        cause = self._error or next(aborts, None) or ModelError(outcome.reason or "The run failed.")
        if self._emit is not None:
            self._emit(RunFailed(outcome, cause))
        if isinstance(cause, ConfigurationError) and not outcome.replies:
            raise cause  # nothing was done yet that would have to be told
        if isinstance(self._error, AssertionError):
            raise cause  # a test's complaint, such as a scripted model's: it is for the test
        raise RunAborted(f"The run ended with {type(cause).__name__}: {cause}", outcome) from cause

    def _answer(self, question: Question) -> Coroutine[Any, Any, Any]:
        match question:
            case PrepareRound():
                return self._prepare(last=question.last)
            case AskModel():
                return self._ask(question.request)
            case RunCalls():
                return self._run_calls(question.calls)
            case CheckAnswer() | Await() | UndoCall():
                raise AssertionError(f"a plain run never asks {question!r}")
        assert_never(question)

    async def _run_calls(self, calls: tuple[ToolCall, ...]) -> tuple[ToolExecution, ...]:
        self._running = tuple(map(ToolExecution, calls))
        await self._executor.run(self._running, self._context)
        return self._finished(self._running)

    def _unfinished(self, question: RunCalls) -> tuple[ToolExecution, ...]:
        """The calls of an interrupted round: answered by the executor, unless it never began."""
        if self._running is not None:
            return self._running
        executions = tuple(map(ToolExecution, question.calls))
        for position, execution in enumerate(executions):
            cancel(execution, "cancelled")
            if self._emit is not None:
                self._emit(ToolFinished(self._context.round, position, execution))
        return executions

    def _tell_unrun(self, executions: tuple[ToolExecution, ...]) -> None:
        """The last round, when the loop answered its calls itself, such as at a limit."""
        assert self._emit is not None
        for position, execution in enumerate(executions):
            self._emit(ToolFinished(self._context.round, position, execution))
        self._finished(executions)

    def _finished(self, executions: tuple[ToolExecution, ...]) -> tuple[ToolExecution, ...]:
        self._running, self._executions = None, executions
        self._told += len(executions)
        if self._emit is not None:
            self._emit(RoundFinished(self._context.round, executions))
        return executions

    async def _prepare(self, *, last: bool) -> RoundPlan:
        context = self._context
        if not last and (self._dynamic or not self._listed):
            context.tools = await self._list_tools(context)
        context.tools = self._store.listed_in(context.tools)
        if self._on_step is None:
            return RoundPlan(context.tools.definitions)
        step = Step(
            self._steps, self._history, context.tools, self._reply, self._executions, last=last
        )
        self._steps += 1
        self._executions = ()
        await self._on_step(step)
        if not last:
            step.check()
        self._removed |= step.removed
        context.tools = step.tools
        return RoundPlan(
            context.tools.definitions,
            insert=tuple(step.inserted),
            tool_choice=step.tool_choice,
            stop=step.stop_reason,
        )

    async def _list_tools(self, context: RunContext) -> Catalog:
        catalog = context.tools
        for toolset in self._plan.toolsets:
            if toolset.dynamic or not self._listed:
                tools = await asked(toolset, context)
                if self._removed:  # between steps: no toolset brings them back
                    tools = [tool for tool in tools if tool.name not in self._removed]
                catalog = catalog.grown(toolset, tools)
        self._listed = True
        if catalog is not context.tools:
            for listed in catalog.available:
                check_injection(listed.tool, context.deps, context.parameters)
        return catalog

    async def _ask(self, request: ChatRequest) -> ChatReply:
        self._context.round = self._requests
        self._requests += 1
        for hook in self._plan.hooks.before_model:
            changed = await settled(hook(request, self._context))
            if changed is not None and not isinstance(changed, ChatRequest):
                raise ConfigurationError(
                    f"before_model must return a ChatRequest or None, not {changed!r:.80}."
                )
            request = changed or request
        if self._emit is not None:
            self._emit(ModelRequested(self._context.round, request))
        reply: ChatReply | None = None
        answering = self._plan.model.reply(request)
        try:
            async for item in answering:
                if isinstance(item, ChatReply):
                    reply = item
                elif self._emit is not None:
                    self._emit(item)
        finally:
            await answering.aclose()
        if reply is None:
            raise ModelError(f"The model {self._plan.model.name!r} ended without a reply.")
        if self._emit is not None:
            self._emit(ModelReplied(self._context.round, reply))
        self._reply = reply
        return reply

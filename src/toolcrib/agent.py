"""Agent: instructions, a model and tools, ready to be run in any way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any
from uuid import uuid4

from toolcrib.chat import ChatModel
from toolcrib.errors import ConfigurationError, ToolError
from toolcrib.late import futures
from toolcrib.loop.error_policy import ErrorPolicy
from toolcrib.loop.events import Event
from toolcrib.loop.ledger import LoopPolicy
from toolcrib.loop.limits import Limits
from toolcrib.loop.outcome import Outcome, RunAborted
from toolcrib.messages import Message, Part, ToolResult
from toolcrib.models.registry import resolve_model
from toolcrib.runtime.given import Input, check_policies, conversation
from toolcrib.runtime.hooks import Hooks, HookSet
from toolcrib.runtime.observers import emitter
from toolcrib.runtime.run import Run, StepRun, SyncRun
from toolcrib.runtime.runner import Runner, RunPlan
from toolcrib.runtime.steps import Step
from toolcrib.runtime.sync import run_blocking
from toolcrib.runtime.threads import Desk, Threads
from toolcrib.tools.context import RunContext, RunParameters, ToolContext
from toolcrib.tools.define import tool_from_schema
from toolcrib.tools.listing import as_toolsets
from toolcrib.tools.signals import FatalToolError
from toolcrib.tools.tool import Tool
from toolcrib.tools.toolset import Toolset

__all__ = ["Agent"]

_UNSET: Any = object()


class Agent:
    """Instructions, a model, tools and policies. Immutable: share it between threads and event loops.

    `model` is a `ChatModel` or a text such as `"openai:gpt-5-mini"`. `tools` holds functions, tools,
    toolsets, and objects with `@tool` methods. `deps` is what `Injected` parameters are filled from.
    Raises `ConfigurationError` for whatever can be seen to be wrong while building.
    """

    def __init__(
        self,
        model: ChatModel | str,
        *,
        instructions: str | None = None,
        tools: Sequence[Any] = (),
        limits: Limits = Limits(),
        errors: ErrorPolicy = ErrorPolicy(),
        concurrency: int = 16,
        executor: futures.Executor | None = None,
        deps: Any = None,
        hooks: Sequence[Hooks] = (),
        observers: Sequence[Callable[[Event], None]] = (),
        name: str | None = None,
    ) -> None:
        check_policies(errors, hooks, observers, concurrency)
        if not isinstance(limits, Limits):
            raise ConfigurationError(f"limits must be Limits(...), not {limits!r:.80}.")
        self.model = _model(model)
        self.name = name
        self._plan = RunPlan(
            model=self.model,
            toolsets=as_toolsets(tools),
            policy=LoopPolicy(limits=limits, instructions=instructions),
            errors=errors,
            hooks=HookSet(hooks),
            concurrency=concurrency,
            name=name,
        )
        self._executor = executor
        self._deps = deps
        self._observers = tuple(observers)

    def __repr__(self) -> str:
        named = f" {self.name!r}" if self.name else ""
        sets = ", ".join(repr(toolset) for toolset in self.toolsets) or "no tools"
        return f"<Agent{named} on {self.model.name!r} with {sets}>"

    @property
    def toolsets(self) -> tuple[Toolset, ...]:
        """Where its tools come from, in order."""
        return self._plan.toolsets

    async def run(
        self,
        input: Input = None,
        *,
        messages: Sequence[Message] = (),
        deps: Any = _UNSET,
        memory_id: Any = "default",
        parameters: RunParameters | None = None,
    ) -> Outcome[str]:
        """Ask, run what the model calls, until there is an answer or a limit is met.

        `messages` is the conversation so far; it is never changed. `deps` replaces the agent's own.
        Raises `RunAborted`, which carries the outcome so far, when an exception ended the run.
        """
        context = self._context(deps, memory_id, parameters)
        return await self._runner(input, messages, context).run()

    def run_sync(
        self,
        input: Input = None,
        *,
        messages: Sequence[Message] = (),
        deps: Any = _UNSET,
        memory_id: Any = "default",
        parameters: RunParameters | None = None,
    ) -> Outcome[str]:
        """`run` for programs without an event loop; it works inside a running one too, and blocks it.

        Ctrl-C cancels the run, waits until its history is in order, and is raised on.
        """
        context = self._context(deps, memory_id, parameters)

        async def main(desk: Desk) -> Outcome[str]:
            return await self._runner(input, messages, context, desk=desk).run()

        return run_blocking(main)

    def stream(
        self,
        input: Input = None,
        *,
        messages: Sequence[Message] = (),
        deps: Any = _UNSET,
        memory_id: Any = "default",
        parameters: RunParameters | None = None,
    ) -> Run[Event]:
        """A run whose events you iterate: `async with agent.stream("...") as run`."""
        return self._stream(input, messages, self._context(deps, memory_id, parameters), None)

    def stream_sync(
        self,
        input: Input = None,
        *,
        messages: Sequence[Message] = (),
        deps: Any = _UNSET,
        memory_id: Any = "default",
        parameters: RunParameters | None = None,
    ) -> SyncRun:
        """`stream` for programs without an event loop: `with agent.stream_sync("...") as run`."""
        context = self._context(deps, memory_id, parameters)
        return SyncRun(lambda desk: self._stream(input, messages, context, desk))

    def steps(
        self,
        input: Input = None,
        *,
        messages: Sequence[Message] = (),
        deps: Any = _UNSET,
        memory_id: Any = "default",
        parameters: RunParameters | None = None,
    ) -> StepRun:
        """A run that waits between rounds while you look at it: `async for step in agent.steps("...")`."""
        context = self._context(deps, memory_id, parameters)

        def start(run: Run[Step]) -> Runner:
            assert isinstance(run, StepRun)
            return self._runner(input, messages, context, on_step=run.show)

        return StepRun(start)

    def as_tool(self, name: str | None = None, description: str | None = None) -> Tool:
        """This agent as a tool of another: it is given a task in words and gives back its answer."""
        called = name or self.name
        if called is None:
            raise ConfigurationError(
                "An agent that becomes a tool needs a name: as_tool(name='...')."
            )

        errors = self._plan.errors

        async def ask(task: str, context: ToolContext) -> str | list[Part]:
            deps = context.deps if self._deps is None else self._deps
            try:
                outcome = await self.run(task, deps=deps, parameters=context.parameters)
            except AssertionError as error:  # a test's complaint is for the test, not for a model
                raise FatalToolError(f"'{called}': {error}") from error
            except RunAborted as error:
                why = errors.redact(f"{type(error.__cause__).__name__}: {error.__cause__}")
                raise ToolError(f"'{called}' could not finish its task: {why:.500}") from error
            if outcome.stop not in ("answered", "returned"):
                said = f" It said so far: {outcome.content}" if outcome.content else ""
                raise ToolError(f"'{called}' stopped early ({outcome.stop}).{said}")
            return _told(outcome)

        return tool_from_schema(
            _TASK, ask, name=called, description=description or f"Hand a task to '{called}'."
        )

    async def __aenter__(self) -> Agent:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End the model's connections of the running event loop; other loops end theirs themselves.

        The agent can be used again afterwards.
        """
        await self.model.close()

    def close_sync(self) -> None:
        """`close` for programs without an event loop: what `run_sync` and `stream_sync` opened."""
        run_blocking(lambda desk: self.model.close())

    def _stream(
        self, input: Input, messages: Sequence[Message], context: RunContext, desk: Desk | None
    ) -> Run[Event]:
        def start(run: Run[Event]) -> Runner:
            return self._runner(input, messages, context, desk=desk, sink=run.emit)

        return Run(start)

    def _context(self, deps: Any, memory_id: Any, parameters: RunParameters | None) -> RunContext:
        return RunContext(
            uuid4().hex,
            deps=self._deps if deps is _UNSET else deps,
            parameters=parameters,
            memory_id=memory_id,
        )

    def _runner(
        self,
        input: Input,
        messages: Sequence[Message],
        context: RunContext,
        *,
        desk: Desk | None = None,
        sink: Callable[[Event], None] | None = None,
        on_step: Any = None,
    ) -> Runner:
        return Runner(
            self._plan,
            *conversation(input, messages),
            context,
            Threads(self._executor, desk),
            stream=sink is not None,
            emit=emitter(self._observers, sink),
            on_step=on_step,
        )


_TASK = {
    "type": "object",
    "properties": {"task": {"type": "string", "description": "What to do, in full sentences."}},
    "required": ["task"],
    "additionalProperties": False,
}


def _model(given: ChatModel | str) -> ChatModel:
    if isinstance(given, str):
        return resolve_model(given)
    if isinstance(given, type) or not isinstance(given, ChatModel):
        raise ConfigurationError(
            f"{given!r:.80} is no model; pass a text such as 'openai:gpt-5-mini', or an object with "
            "name, reply and close (toolcrib.chat.ChatModel)."
        )
    return given


def _told(outcome: Outcome[str]) -> str | list[Part]:
    """The answer; of a run that returned with results, what these would have told its own model."""
    if outcome.content is not None:
        return outcome.content
    last = len(outcome.replies[-1].message.tool_calls)
    results = [message for message in outcome.messages[-last:] if isinstance(message, ToolResult)]
    return [part for result in results for part in result.content]

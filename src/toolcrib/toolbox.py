"""Toolbox: tools and policies without a model and without HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, overload
from uuid import uuid4

from pydantic_core import from_json

from toolcrib.chat import ChatReply, Usage
from toolcrib.dialects.dialect import Dialect
from toolcrib.dialects.registry import find_dialect
from toolcrib.errors import ConfigurationError, ModelError
from toolcrib.late import futures
from toolcrib.loop.error_policy import ErrorPolicy
from toolcrib.loop.events import Event
from toolcrib.loop.outcome import Outcome, RunAborted
from toolcrib.loop.pairing import paired, with_own_ids
from toolcrib.messages import ToolCall
from toolcrib.runtime.calling import Caller
from toolcrib.runtime.executor import Executor
from toolcrib.runtime.given import check_policies, items_of
from toolcrib.runtime.hooks import Hooks, HookSet
from toolcrib.runtime.observers import emitter
from toolcrib.runtime.result_store import ResultStore
from toolcrib.runtime.sync import run_blocking
from toolcrib.runtime.threads import Desk, Threads
from toolcrib.schema.names import WireNames
from toolcrib.tools.catalog import Catalog
from toolcrib.tools.context import RunContext, RunParameters
from toolcrib.tools.definition import ToolDefinition
from toolcrib.tools.execution import ToolExecution
from toolcrib.tools.injection import check_injection
from toolcrib.tools.listing import as_toolsets, asked, known_tools
from toolcrib.tools.toolset import StaticToolset

__all__ = ["Toolbox"]


class Toolbox:
    """Turns tools into a provider's definitions, runs its calls, and gives back its messages.

    For programs that talk to a model themselves, with a provider's SDK or otherwise:

    >>> definitions = box.definitions("openai-chat")
    >>> executions = await box.execute(box.calls(reply, "openai-chat"))
    >>> messages += box.messages(reply, executions, "openai-chat")

    Raises `ConfigurationError` for whatever can be seen to be wrong while building.
    """

    def __init__(
        self,
        tools: Sequence[Any],
        *,
        errors: ErrorPolicy = ErrorPolicy(),
        result_bytes: int | None = 32_768,
        concurrency: int = 16,
        executor: futures.Executor | None = None,
        deps: Any = None,
        hooks: Sequence[Hooks] = (),
        observers: Sequence[Callable[[Event], None]] = (),
    ) -> None:
        check_policies(errors, hooks, observers, concurrency)
        self._toolsets = as_toolsets(tools)
        self._catalog = known_tools(self._toolsets)
        self._asked = all(isinstance(toolset, StaticToolset) for toolset in self._toolsets)
        self._errors = errors
        self._hooks = HookSet(hooks)
        self._concurrency = concurrency
        self._threads = executor
        self._deps = deps
        self._observers = tuple(observers)
        self._store = ResultStore(result_bytes)
        self._check(self._catalog)

    def __repr__(self) -> str:
        names = ", ".join(listed.name for listed in self._catalog.visible) or "nothing yet"
        return f"<Toolbox with {names}>"

    async def refresh(self) -> None:
        """Ask the toolsets for their tools; needed before use when some have to be asked, or change."""
        context = self._context(None, "default", None)
        catalog = self._catalog
        for toolset in self._toolsets:
            catalog = catalog.grown(toolset, await asked(toolset, context))
        self._check(catalog)
        self._catalog, self._asked = catalog, True

    @property
    def tools(self) -> Catalog:
        """The tools, with origin and reason; `read_result` too, once a result was too large to tell."""
        if not self._asked:
            raise ConfigurationError(
                "Some toolsets of this Toolbox have to be asked for their tools: await box.refresh() first."
            )
        self._catalog = self._store.listed_in(self._catalog)
        return self._catalog

    @overload
    def definitions(self) -> tuple[ToolDefinition, ...]: ...
    @overload
    def definitions(self, dialect: str) -> list[dict[str, Any]]: ...
    def definitions(
        self, dialect: str | None = None
    ) -> tuple[ToolDefinition, ...] | list[dict[str, Any]]:
        """The definitions, as data of ours or as a dialect spells them."""
        definitions = self.tools.definitions
        if dialect is None:
            return definitions
        return find_dialect(dialect).encode_tools(definitions, self._names())

    def calls(self, reply: Any, dialect: str) -> tuple[ToolCall, ...]:
        """The calls in a provider's reply: its JSON as a dict or text, or an SDK's object.

        Calls that the provider runs itself are left out. Raises `ModelError` when it is no reply.
        """
        calls = self._decoded(reply, find_dialect(dialect)).message.tool_calls
        return tuple(call for call in calls if not call.server_side)

    async def execute(
        self,
        calls: Sequence[ToolCall],
        *,
        deps: Any = None,
        memory_id: Any = "default",
        parameters: RunParameters | None = None,
    ) -> tuple[ToolExecution, ...]:
        """Run calls; answered in their order, in whatever order they end.

        What the model did wrong is told in the results. Raises `RunAborted`, whose outcome holds every
        execution, when the error policy, a hook or a tool ends it.
        """
        return await self._execute(calls, deps, memory_id, parameters, None)

    def execute_sync(
        self,
        calls: Sequence[ToolCall],
        *,
        deps: Any = None,
        memory_id: Any = "default",
        parameters: RunParameters | None = None,
    ) -> tuple[ToolExecution, ...]:
        """`execute` for programs without an event loop; it works inside a running one too."""
        return run_blocking(lambda desk: self._execute(calls, deps, memory_id, parameters, desk))

    def messages(
        self, reply: Any, executions: Sequence[ToolExecution], dialect: str
    ) -> list[dict[str, Any]]:
        """What to append to the request's messages: the reply itself, then the results, in order.

        A call that was not executed is answered so, for no provider takes a call without a result.
        """
        spoken = find_dialect(dialect)
        message = self._decoded(reply, spoken).message
        told = [one.result for one in executions if one.result is not None]
        results = paired([message, *told])
        return spoken.encode_messages(results, self._names())

    async def _execute(
        self,
        calls: Sequence[ToolCall],
        deps: Any,
        memory_id: Any,
        parameters: RunParameters | None,
        desk: Desk | None,
    ) -> tuple[ToolExecution, ...]:
        context = self._context(deps, memory_id, parameters)
        context.tools = self.tools
        for name in {call.name for call in calls}:
            if (listed := context.tools.get(name)) is not None:
                check_injection(listed.tool, context.deps, context.parameters)
        threads = Threads(self._threads, desk)
        emit = emitter(self._observers, None)
        caller = Caller(self._errors, self._hooks, threads, self._store, emit)
        executor = Executor(caller, self._concurrency, cancel_siblings=self._errors.cancel_siblings)
        for call in items_of("calls", calls):
            if not isinstance(call, ToolCall):
                raise ConfigurationError(
                    f"execute takes the calls of box.calls(reply, dialect), not {call!r:.80}."
                )
        executions = tuple(map(ToolExecution, calls))
        await executor.run(executions, context)
        for execution in executions:
            if execution.aborts is not None:
                raise _aborted(executions, execution.aborts) from execution.aborts
        return executions

    def _context(self, deps: Any, memory_id: Any, parameters: RunParameters | None) -> RunContext:
        return RunContext(
            uuid4().hex,
            deps=self._deps if deps is None else deps,
            parameters=parameters,
            memory_id=memory_id,
        )

    def _names(self) -> WireNames:
        return WireNames(definition.name for definition in self.tools.definitions)

    def _decoded(self, reply: Any, dialect: Dialect) -> ChatReply:
        decoded = dialect.decode(_plain(reply), self._names())
        message = decoded.message
        # The same reply always gets the same ids, so that calls and results pair.
        return replace(
            decoded, message=replace(message, tool_calls=with_own_ids(message.tool_calls, 0))
        )

    def _check(self, catalog: Catalog) -> None:
        if self._deps is not None:
            for listed in catalog.available:
                check_injection(listed.tool, self._deps)


def _plain(reply: Any) -> Mapping[str, Any]:
    if isinstance(reply, str | bytes):
        try:
            reply = from_json(reply)
        except ValueError as error:
            raise ModelError(
                f"The reply is no JSON text: {error}.", excerpt=str(reply[:200])
            ) from error
    elif hasattr(reply, "model_dump"):
        reply = reply.model_dump(mode="json")
    if not isinstance(reply, Mapping):
        raise ConfigurationError(
            f"A reply is a dict, JSON text, or an SDK's object, not {type(reply).__name__}."
        )
    return reply


def _aborted(executions: tuple[ToolExecution, ...], cause: BaseException) -> RunAborted:
    results = tuple(one.result for one in executions if one.result is not None)
    outcome: Outcome[str] = Outcome(
        stop="failed",
        content=None,
        messages=results,
        new_messages=results,
        usage=Usage(),
        tool_executions=executions,
        replies=(),
        reason=f"{type(cause).__name__}: {cause}",
    )
    return RunAborted(f"The calls ended with {outcome.reason}", outcome)

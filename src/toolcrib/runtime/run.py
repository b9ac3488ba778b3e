"""A run in progress, as its caller holds it: events or steps as they come, cancel, outcome."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from types import TracebackType
from typing import Any, Generic, TypeVar

from toolcrib.late import anyio, asyncio, futures
from toolcrib.loop.events import Event
from toolcrib.loop.outcome import Outcome
from toolcrib.runtime.runner import Runner
from toolcrib.runtime.steps import Step
from toolcrib.runtime.sync import holding_up, loop_thread
from toolcrib.runtime.threads import Desk

__all__ = ["Run", "StepRun", "SyncRun"]

T = TypeVar("T")
_END = object()


class Run(Generic[T]):
    """`async with agent.stream(...) as run: async for event in run: ...`

    Leaving the block early cancels the run, and waits until its history is in order. Iterating
    without `async with` works too. Iteration raises `RunAborted` when an exception ended the run.
    """

    def __init__(self, start: Callable[[Run[T]], Runner]) -> None:
        self._start = start
        self._runner: Runner | None = None
        self._task: asyncio.Task[Outcome[str]] | None = None
        self._items: asyncio.Queue[Any] = asyncio.Queue()
        self._told = False
        self._cancelled = False

    @property
    def outcome(self) -> Outcome[str]:
        """How the run ended. Raises `RuntimeError` while it has not."""
        if self._runner is None or self._runner.outcome is None:
            raise RuntimeError("The run has not ended yet: iterate it to its end, or cancel it.")
        return self._runner.outcome

    def cancel(self) -> None:
        """End the run: its tools are cancelled, every call is answered, `stop` is `cancelled`."""
        self._cancelled = True  # also before it has started
        if self._runner is not None:
            self._runner.cancel()

    def emit(self, item: T) -> None:
        """Hand an item to whoever iterates; in the event loop's own thread."""
        self._items.put_nowait(item)

    async def __aenter__(self) -> Run[T]:
        if self._task is not None:
            raise RuntimeError("A run can be entered once only.")
        self._runner = self._start(self)
        if self._cancelled:
            self._runner.cancel()
        self._task = asyncio.create_task(self._runner.run())
        self._task.add_done_callback(lambda _: self._items.put_nowait(_END))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._task is not None
        if not self._task.done():
            self.cancel()
            with anyio.CancelScope(shield=True):
                await asyncio.wait([self._task])
        failed = None if self._task.cancelled() else self._task.exception()
        if failed is not None and error is None and not self._told:
            raise failed

    async def __anext__(self) -> T:
        if self._task is None:
            raise RuntimeError("Enter the run first: `async with ... as run`.")
        item = await self._items.get()
        if item is _END:
            self._items.put_nowait(_END)
            self._told = True
            self._task.result()
            raise StopAsyncIteration
        next_item: T = item
        return next_item

    def __aiter__(self) -> AsyncIterator[T]:
        return self._owned() if self._task is None else self

    async def _owned(self) -> AsyncIterator[T]:
        async with self:
            async for item in self:
                yield item


class StepRun(Run[Step]):
    """`async for step in agent.steps(...)`: the run waits while you look at a step and change it."""

    def __init__(self, start: Callable[[Run[Step]], Runner]) -> None:
        super().__init__(start)
        self._go_on = asyncio.Event()

    async def show(self, step: Step) -> None:
        """Hand over a step, and wait until the next one is asked for."""
        self.emit(step)
        self._go_on.clear()
        await self._go_on.wait()

    async def __anext__(self) -> Step:
        self._go_on.set()
        return await super().__anext__()


class SyncRun:
    """`with agent.stream_sync(...) as run: for event in run: ...`, without an event loop of your own."""

    def __init__(self, make: Callable[[Desk], Run[Event]]) -> None:
        self._desk = Desk()
        self._run = make(self._desk)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._future: futures.Future[None] | None = None
        self._held_up = contextlib.ExitStack()
        self._told = False

    @property
    def outcome(self) -> Outcome[str]:
        """How the run ended. Raises `RuntimeError` while it has not."""
        return self._run.outcome

    def cancel(self) -> None:
        """End the run; from any thread."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._run.cancel)

    def __enter__(self) -> SyncRun:
        if self._future is not None:
            raise RuntimeError("A run can be entered once only.")
        # Until the block is left: this thread may run a loop that others would count on.
        self._held_up.enter_context(holding_up())
        thread = loop_thread()
        self._loop = thread.loop
        self._future, _ = thread.submit(self._forward())
        self._future.add_done_callback(lambda _: self._desk.queue.put(None))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._future is not None
        with self._held_up:
            if not self._future.done():
                self.cancel()
                self._desk.help_until_done()
        if error is None and not self._told:
            self._future.result()

    def __iter__(self) -> Iterator[Event]:
        if self._future is None:
            with self:
                yield from self
            return
        while True:
            item = self._desk.next()
            if item is None:
                self._desk.queue.put(None)
                self._told = True
                self._future.result()
                return
            yield item

    async def _forward(self) -> None:
        async with self._run as run:
            async for event in run:
                self._desk.queue.put(event)

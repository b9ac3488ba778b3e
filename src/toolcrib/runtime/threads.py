"""Where sync tools run: a pool of our own, and the thread that waits for the run.

A thread that waits in `run_sync` helps with calls of its own run that nobody has started yet, so
runs inside tools of runs cannot starve each other however small the pool is.
"""

from __future__ import annotations

import contextlib
import contextvars
import os
import threading
from collections import deque
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any

from toolcrib.late import asyncio, futures
from toolcrib.runtime.pool import Pool

__all__ = ["Desk", "Job", "Threads"]

_MOST_THREADS = 128
_HEAD_START = 0.02
"""Seconds that a pool has to begin with a job before the waiting thread does it."""


class Job:
    """One sync call. Whoever claims it first runs it; nobody runs it twice."""

    __slots__ = ("_claimed", "_context", "_function", "_loop", "by_caller", "done", "started")

    def __init__(
        self, function: Callable[[], Any], *, tell_start: bool = False, by_caller: bool = False
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._context = contextvars.copy_context()
        self._function = function
        self._claimed = threading.Lock()
        self.by_caller = by_caller
        self.done: asyncio.Future[Any] = self._loop.create_future()
        self.started: asyncio.Future[None] | None = (
            self._loop.create_future() if tell_start else None
        )

    def withdraw(self) -> bool:
        """Make sure that it will not be started; False if it has been."""
        return self._claimed.acquire(blocking=False)

    def run_in(self, executor: futures.Executor | None) -> None:
        """Run it in a worker of `executor` (None: of our own pool), unless somebody has claimed it."""
        if not self._claimed.acquire(blocking=False):
            return
        if executor is not None:
            self._context.run(_waited_on.set, _waited_on.get() | {executor})
        try:
            self._run()
        except KeyboardInterrupt as error:  # raised by the tool: signals reach the main thread only
            self._tell(_fail, self.done, error)

    def handed_back(self, future: futures.Future[None]) -> None:
        """The user's pool is done with it: perhaps it never ran it, such as one that was shut down."""
        if not future.cancelled() and future.exception() is None:
            return
        if self.withdraw():
            error = RuntimeError("the executor did not run it")
            error.__cause__ = None if future.cancelled() else future.exception()
            self._tell(_fail, self.done, error)

    def run_here(self) -> None:
        """Run it in the thread that waits for the run, unless somebody has claimed it.

        Ctrl-C is raised on, and whoever waits then cancels the run and this call with it.
        """
        if self._claimed.acquire(blocking=False):
            self._run()

    def _run(self) -> None:
        if self.started is not None:
            self._tell(_settle, self.started, None)
        try:
            value = self._context.run(self._function)
        except KeyboardInterrupt:
            raise
        except (StopIteration, GeneratorExit) as error:  # they would end who waits, not fail
            self._tell(_fail, self.done, RuntimeError(f"the tool raised {error!r}"))
        except BaseException as error:
            self._tell(_fail, self.done, error)
        else:
            self._tell(_settle, self.done, value)

    def _tell(self, how: Callable[..., None], future: asyncio.Future[Any], what: Any) -> None:
        # An event loop that is gone has nobody left who waits for this.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(how, future, what)


def _settle(future: asyncio.Future[Any], value: Any) -> None:
    if not future.done():
        future.set_result(value)


def _fail(future: asyncio.Future[Any], error: BaseException) -> None:
    if not future.done():
        future.set_exception(error)


_waited_on: contextvars.ContextVar[frozenset[futures.Executor]] = contextvars.ContextVar(
    "toolcrib_waited_on", default=frozenset()
)
"""Pools of users with a worker that is held up by what runs in this context."""


class Desk:
    """Where a waiting thread finds work: jobs of its run, until None says that the run is over.

    A thread that iterates a stream finds the events here too.
    """

    __slots__ = ("_late", "held_up", "queue")

    def __init__(self) -> None:
        self.queue: SimpleQueue[Any] = SimpleQueue()
        self.held_up = _waited_on.get()
        self._late: deque[Job] = deque()

    def next(self) -> Any:
        """The next event, None when the run is over. Runs jobs meanwhile.

        A pool has a head start: this thread could not be called back from a job that hangs, and
        must only help when no worker is free.
        """
        while True:
            try:
                item = self.queue.get(timeout=_HEAD_START if self._late else None)
            except Empty:
                self._late.popleft().run_here()
                continue
            if not isinstance(item, Job):
                return item
            if item.by_caller:
                item.run_here()
            else:
                self._late.append(item)

    def help_until_done(self) -> None:
        """Run jobs in this thread until the run is over; events are left out."""
        while self.next() is not None:
            pass


class Threads:
    """The threads that the sync tools of one run may use."""

    __slots__ = ("_desk", "_executor")

    def __init__(self, executor: futures.Executor | None = None, desk: Desk | None = None) -> None:
        self._executor = executor
        self._desk = desk

    def start(
        self, function: Callable[[], Any], *, tell_start: bool = False, by_caller: bool = False
    ) -> Job | None:
        """Have `function` run by whoever comes first, with a copy of the current context.

        With `by_caller` only the thread that waits for the run will do; None when no thread waits.
        A pool of the user's is helped only where it waits for this run itself.
        """
        if by_caller and self._desk is None:
            return None
        job = Job(function, tell_start=tell_start, by_caller=by_caller)
        if by_caller:
            assert self._desk is not None
            self._desk.queue.put(job)
            return job
        pool = self._executor
        if pool is not None and self._desk is None and pool in _waited_on.get():
            pool = None  # nobody could help: its workers may all be waiting for this run
        if pool is None:
            _pool().submit(job.run_in, None)
        else:
            pool.submit(job.run_in, pool).add_done_callback(job.handed_back)
        if self._desk is not None and (pool is None or pool in self._desk.held_up):
            self._desk.queue.put(job)
        return job


_lock = threading.Lock()
_shared: Pool | None = None


def _pool() -> Pool:
    global _shared
    if _shared is None:
        with _lock:
            if _shared is None:
                _shared = Pool(_MOST_THREADS)
    return _shared


def _forget_after_fork() -> None:
    global _shared, _lock
    if _shared is not None:
        _shared.forget()
    _shared, _lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)

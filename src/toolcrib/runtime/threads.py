"""Where sync tools run: a pool of our own, and the thread that waits for the run.

A thread that waits in `run_sync` helps with calls of its own run that nobody has started yet, so
runs inside tools of runs cannot starve each other however small the pool is.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import os
import threading
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

__all__ = ["Desk", "Job", "Threads"]

_MOST_THREADS = 128


class Job:
    """One sync call. Whoever claims it first runs it; nobody runs it twice."""

    __slots__ = ("_claimed", "_context", "_function", "_loop", "done", "started")

    def __init__(self, function: Callable[[], Any], *, tell_start: bool = False) -> None:
        self._loop = asyncio.get_running_loop()
        self._context = contextvars.copy_context()
        self._function = function
        self._claimed = threading.Lock()
        self.done: asyncio.Future[Any] = self._loop.create_future()
        self.started: asyncio.Future[None] | None = (
            self._loop.create_future() if tell_start else None
        )

    def withdraw(self) -> bool:
        """Make sure that it will not be started; False if it has been."""
        return self._claimed.acquire(blocking=False)

    def run(self) -> None:
        """Run it here, unless somebody else has claimed it."""
        if not self._claimed.acquire(blocking=False):
            return
        if self.started is not None:
            self._tell(_settle, self.started, None)
        try:
            value = self._context.run(self._function)
        except KeyboardInterrupt as interrupt:
            self._tell(_fail, self.done, asyncio.CancelledError("interrupted"))
            raise interrupt
        except StopIteration as error:  # a future takes no StopIteration
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


class Desk:
    """Where a waiting thread finds work: jobs of its run, until None says that the run is over.

    A thread that iterates a stream finds the events here too.
    """

    __slots__ = ("queue",)

    def __init__(self) -> None:
        self.queue: SimpleQueue[Any] = SimpleQueue()

    def help_until_done(self) -> None:
        """Run jobs in this thread until the run is over; events are left out."""
        while (item := self.queue.get()) is not None:
            if isinstance(item, Job):
                item.run()


class Threads:
    """The threads that the sync tools of one run may use."""

    __slots__ = ("_desk", "_executor")

    def __init__(self, executor: Executor | None = None, desk: Desk | None = None) -> None:
        self._executor = executor
        self._desk = desk

    def start(
        self, function: Callable[[], Any], *, tell_start: bool = False, by_caller: bool = False
    ) -> Job | None:
        """Have `function` run by whoever comes first, with a copy of the current context.

        With `by_caller` only the thread that waits for the run will do; None when no thread waits.
        """
        if by_caller and self._desk is None:
            return None
        job = Job(function, tell_start=tell_start)
        if self._desk is not None and (by_caller or self._executor is None):
            self._desk.queue.put(job)
        if not by_caller:
            (self._executor or _pool()).submit(job.run)
        return job


_lock = threading.Lock()
_shared: ThreadPoolExecutor | None = None


def _pool() -> ThreadPoolExecutor:
    global _shared
    if _shared is None:
        with _lock:
            if _shared is None:
                _shared = ThreadPoolExecutor(_MOST_THREADS, thread_name_prefix="toolcrib")
    return _shared


def _forget_after_fork() -> None:
    global _shared, _lock
    _shared, _lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)

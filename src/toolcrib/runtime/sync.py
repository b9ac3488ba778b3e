"""The sync face: one event loop in a thread of its own, made on first use, that stays.

Connections stay alive between calls, and a blocking call works inside a running event loop too.
"""

from __future__ import annotations

import atexit
import contextlib
import contextvars
import os
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, TypeVar

from toolcrib.late import asyncio, futures
from toolcrib.runtime.threads import Desk

__all__ = ["LoopThread", "holding_up", "loop_thread", "run_blocking"]

T = TypeVar("T")
_LEAVING = 2.0
"""Seconds that a program which ends gives to each step of winding up."""


class LoopThread:
    """An event loop that runs in a daemon thread until it is stopped."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.blocked = 0
        """How many blocking calls hold this very thread up."""
        self._thread = threading.Thread(target=self._run, name="toolcrib-loop", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    def submit(
        self, coroutine: Coroutine[Any, Any, T]
    ) -> tuple[futures.Future[T], Callable[[], None]]:
        """Start `coroutine` there, in a copy of this context; its future, and what cancels it."""
        future: futures.Future[T] = futures.Future()
        context = contextvars.copy_context()
        tasks: list[asyncio.Task[T]] = []

        def start() -> None:
            task = self.loop.create_task(coroutine, context=context)
            tasks.append(task)
            task.add_done_callback(lambda done: _copy(done, future))

        def cancel() -> None:
            self.loop.call_soon_threadsafe(lambda: tasks and tasks[0].cancel())

        self.loop.call_soon_threadsafe(start)
        return future, cancel

    def is_current(self) -> bool:
        """Whether this very thread runs the loop."""
        return threading.current_thread() is self._thread

    def stop(self) -> None:
        """Cancel what still runs, let async generators (which own connections) finish, then end."""
        if not self._thread.is_alive():
            return
        future, _ = self.submit(_wind_up())
        with contextlib.suppress(TimeoutError):  # held up by something that blocks
            future.result(timeout=_LEAVING)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(timeout=_LEAVING)
        if not self._thread.is_alive():
            self.loop.close()


async def _wind_up() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=_LEAVING)
    await asyncio.get_running_loop().shutdown_asyncgens()


def _copy(task: asyncio.Task[T], future: futures.Future[T]) -> None:
    if task.cancelled():
        future.cancel()
        future.set_running_or_notify_cancel()
    elif (error := task.exception()) is not None:
        future.set_exception(error)
    else:
        future.set_result(task.result())


_lock = threading.Lock()
_threads: list[LoopThread] = []


def loop_thread() -> LoopThread:
    """The loop thread to use from here: neither this very thread, nor one that is held up.

    A blocking call on a loop's own thread would wait for itself: it gets another loop.
    """
    with _lock:
        for thread in _threads:
            if not thread.blocked and not thread.is_current():
                return thread
        if not _threads:
            atexit.register(_stop_all)
        _threads.append(LoopThread())
        return _threads[-1]


@contextlib.contextmanager
def holding_up() -> Iterator[None]:
    """While this thread waits: if it runs a loop, nobody else may count on that loop."""
    mine = next((thread for thread in _threads if thread.is_current()), None)
    if mine is None:
        yield
        return
    mine.blocked += 1
    try:
        yield
    finally:
        mine.blocked -= 1


def run_blocking(start: Callable[[Desk], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine on the loop thread; this thread waits, and helps with its sync tools.

    Ctrl-C cancels the coroutine and waits for it to put things in order before it is raised on.
    """
    desk = Desk()
    with holding_up():
        future, cancel = loop_thread().submit(start(desk))
        future.add_done_callback(lambda _: desk.queue.put(None))
        try:
            desk.help_until_done()
        except BaseException:
            cancel()
            _wait_quietly(future)
            raise
        return future.result()


def _wait_quietly(future: futures.Future[Any]) -> None:
    try:
        future.exception(timeout=30)
    except BaseException:
        return


def _stop_all() -> None:
    for thread in _threads:
        thread.stop()


def _forget_after_fork() -> None:
    global _lock
    _lock = threading.Lock()
    _threads.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)

"""Our own threads for sync tools: made when they are needed, and never in the way of leaving.

The standard library's pool lets a program end only when every thread has: one tool that hangs, told
as timed out long ago, would keep the whole program from ending.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any

__all__ = ["Pool"]

_LEAVING = 2.0
"""Seconds that a program which ends waits for tools that still run."""


class Pool:
    """At most `most` daemon threads; a job is run by the first that is free."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._jobs: SimpleQueue[tuple[Callable[..., None], tuple[Any, ...]]] = SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._lock = threading.Lock()
        self._workers: list[_Worker] = []
        atexit.register(self._leave)

    def submit(self, function: Callable[..., None], *args: Any) -> None:
        """Have `function`, which must not raise, called with `args`."""
        self._jobs.put((function, args))
        if self._idle.acquire(blocking=False):
            return
        with self._lock:
            if len(self._workers) < self._most:
                worker = _Worker(self._jobs, self._idle, len(self._workers))
                self._workers.append(worker)
                worker.start()

    def forget(self) -> None:
        """In the child of a fork: the threads stayed behind, and nobody waits for them."""
        atexit.unregister(self._leave)

    def _leave(self) -> None:
        until = time.monotonic() + _LEAVING
        while any(worker.busy for worker in self._workers) and time.monotonic() < until:
            time.sleep(0.005)


class _Worker(threading.Thread):
    def __init__(self, jobs: SimpleQueue[Any], idle: threading.Semaphore, number: int) -> None:
        super().__init__(name=f"toolcrib_{number}", daemon=True)
        self.busy = False
        self._jobs = jobs
        self._idle = idle

    def run(self) -> None:
        while True:
            try:
                function, args = self._jobs.get_nowait()
            except Empty:
                self._idle.release()
                function, args = self._jobs.get()
            self.busy = True
            function(*args)
            self.busy = False
            del function, args  # an idle thread keeps nothing alive

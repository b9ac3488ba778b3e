"""A point in time until which a request must have ended: one timer, however often it waits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from toolcrib.errors import ModelError

__all__ = ["Deadline"]

T = TypeVar("T")


class Deadline:
    """Ends what is waited for when its time has come, and nothing else.

    Unlike `asyncio.timeout` it may stay open while a generator is suspended: only a wait of its own
    is ever cancelled, never what the reader of the generator does in between.
    """

    def __init__(self, seconds: float | None) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: asyncio.Task[Any] | None = None
        self._passed = False
        self._cancelled = False
        self._timer: asyncio.TimerHandle | None = None
        self._at = float("inf")
        if seconds is not None:
            self._at = self._loop.time() + seconds
            self._timer = self._loop.call_at(self._at, self._pass)

    @property
    def left(self) -> float:
        """Seconds until then."""
        return self._at - self._loop.time()

    async def wait(self, function: Callable[..., Awaitable[T]], *arguments: Any) -> T:
        """What `function` gives. Raises `ModelError` when the time has come before that."""
        if self._passed:
            raise _too_late()
        task = asyncio.current_task()
        assert task is not None
        before = task.cancelling()
        self._waiting = task
        try:
            return await function(*arguments)
        except asyncio.CancelledError:
            if self._take_back(task) and task.cancelling() <= before:
                raise _too_late() from None
            raise
        finally:
            self._waiting = None
            if self._cancelled:
                self._take_back(task)

    def cancel(self) -> None:
        """The time does not matter any more."""
        if self._timer is not None:
            self._timer.cancel()

    def _pass(self) -> None:
        self._passed = True
        if self._waiting is not None:
            self._cancelled = True
            self._waiting.cancel()

    def _take_back(self, task: asyncio.Task[Any]) -> bool:
        """Nobody outside is to think that this cancellation was theirs."""
        if not self._cancelled:
            return False
        self._cancelled = False
        task.uncancel()
        return True


def _too_late() -> ModelError:
    return ModelError("The model did not finish its reply in time.", code="timeout", retryable=True)

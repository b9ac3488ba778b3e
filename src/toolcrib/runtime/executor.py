"""The calls of one round: side by side as far as they may be, answered in their order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolcrib.late import anyio, asyncio
from toolcrib.runtime.calling import Caller, cancel
from toolcrib.tools.context import RunContext
from toolcrib.tools.execution import ToolExecution

__all__ = ["Executor"]

_GRACE = 10.0
"""Seconds that cancelled tools have to clean up."""


class Executor:
    """Runs rounds of calls under one bound of concurrency."""

    __slots__ = ("_caller", "_cancel_siblings", "_concurrency")

    def __init__(self, caller: Caller, concurrency: int, *, cancel_siblings: bool = False) -> None:
        self._caller = caller
        self._concurrency = concurrency
        self._cancel_siblings = cancel_siblings

    async def run(self, executions: Sequence[ToolExecution], run: RunContext) -> None:
        """Answer every call. When this is cancelled, the tools are, and every call is answered so."""
        store = self._caller.store
        store.begin(executions)
        try:
            if len(executions) == 1:
                await self._caller.perform(executions[0], 0, run)
                return
            for batch in self._batches(executions, run):
                await self._side_by_side(batch, executions, run)
                if self._cancel_siblings and any(one.is_error for one in executions):
                    break
        finally:
            self._answer_rest(executions, run)
            store.end(executions)

    def _batches(self, executions: Sequence[ToolExecution], run: RunContext) -> Iterator[list[int]]:
        """Positions that may run at the same time, in order; an exclusive call is alone."""
        batch: list[int] = []
        for position, execution in enumerate(executions):
            listed = run.tools.get(execution.name)
            if listed is None or not listed.tool.options.exclusive:
                batch.append(position)
                continue
            if batch:
                yield batch
            yield [position]
            batch = []
        if batch:
            yield batch

    async def _side_by_side(
        self, batch: Sequence[int], executions: Sequence[ToolExecution], run: RunContext
    ) -> None:
        perform = self._caller.perform
        if self._concurrency == 1 and not self._cancel_siblings:
            for position in batch:
                await perform(executions[position], position, run)
            return
        gate = asyncio.Semaphore(self._concurrency) if len(batch) > self._concurrency else None

        async def one(position: int) -> None:
            if gate is None:
                await perform(executions[position], position, run)
            else:
                async with gate:
                    await perform(executions[position], position, run)

        waiting = {asyncio.create_task(one(position)) for position in batch}
        try:
            while waiting:
                until = asyncio.FIRST_COMPLETED if self._cancel_siblings else asyncio.ALL_COMPLETED
                done, waiting = await asyncio.wait(waiting, return_when=until)
                for task in done:
                    if not task.cancelled():
                        task.result()
                if self._cancel_siblings and any(executions[at].is_error for at in batch):
                    await _end(waiting)
                    return
        except BaseException:
            await _end(waiting)
            raise

    def _answer_rest(self, executions: Sequence[ToolExecution], run: RunContext) -> None:
        failed = self._cancel_siblings and any(
            one.is_error and one.fault != "cancelled" for one in executions
        )
        for position, execution in enumerate(executions):
            if execution.result is None:
                cancel(execution, "sibling" if failed else "cancelled")
                self._caller.finished(execution, position, run)
            elif failed and execution.fault == "cancelled":
                execution.fault = "sibling"


async def _end(tasks: set[asyncio.Task[None]]) -> None:
    """Cancel what still runs, and give it time to clean up, whoever else is being cancelled."""
    for task in tasks:
        task.cancel()
    if tasks:
        with anyio.CancelScope(shield=True):
            await asyncio.wait(tasks, timeout=_GRACE)

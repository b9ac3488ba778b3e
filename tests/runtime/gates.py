"""What tests of the runtime wait with, and how they see that a history is valid."""

from __future__ import annotations

import asyncio
from typing import Any

from toolcrib.loop.outcome import Outcome
from toolcrib.testing.complaints import check_pairing

__all__ = ["Gate", "valid"]


class Gate:
    """An event of whatever loop first waits for it or opens it."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def open(self) -> None:
        self._event.set()

    async def passed(self) -> None:
        await self._event.wait()


def valid(outcome: Outcome[Any]) -> None:
    """Every call of the history has its result, and every execution is answered."""
    check_pairing(outcome.messages)
    for execution in outcome.tool_executions:
        assert execution.result is not None
        assert execution.result in outcome.messages
        assert execution.state != "pending"

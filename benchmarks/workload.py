"""What every runner is given: the words, the tools, and the arguments."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

__all__ = ["ADD_ARGUMENTS", "INSTRUCTIONS", "ORDER_ARGUMENTS", "PROMPT", "STAMPS", "TOOLS", "Clock"]

INSTRUCTIONS = "You are a careful calculator. Use the tools."
PROMPT = "Add the numbers one after another."

STAMPS: list[float] = []
"""When `add` ran, in seconds of `Clock.now`."""


class Clock:
    """Wall time unless somebody wants another one: CPU time is slow to ask for."""

    now: Callable[[], float] = time.perf_counter


def _add(a: int, b: int) -> int:
    STAMPS.append(Clock.now())
    return a + b


async def _async_add(a: int, b: int) -> int:
    STAMPS.append(Clock.now())
    return a + b


def _slow_add(a: int, b: int) -> int:
    STAMPS.append(Clock.now())
    time.sleep(0.05)
    return a + b


async def _async_slow_add(a: int, b: int) -> int:
    STAMPS.append(Clock.now())
    await asyncio.sleep(0.05)
    return a + b


TOOLS: dict[str, Callable[..., Any]] = {
    "sync": _add,
    "async": _async_add,
    "slow sync": _slow_add,
    "slow async": _async_slow_add,
}

for _tool in TOOLS.values():  # one tool for the model, whatever it is made of
    _tool.__name__ = _tool.__qualname__ = "add"
    _tool.__doc__ = """Add two integers.

    Args:
        a: the first number
        b: the second number
    """

ADD_ARGUMENTS = '{"a": 17, "b": 25}'
ORDER_ARGUMENTS = json.dumps(
    {
        "order": {
            "id": 17,
            "priority": "high",
            "note": None,
            "items": [
                {"sku": "A-1", "quantity": 2, "price": 9.5},
                {"sku": "B-7", "quantity": 1, "price": "12.25"},
            ],
            "address": {"street": "Nanjing Road 1", "city": "Shanghai", "zip": "200000"},
        },
        "notify": True,
    }
)
"""One price is a text, as models like to write it."""

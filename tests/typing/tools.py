"""What a type checker must see of tools; checked by mypy, never run."""

from __future__ import annotations

import functools
from collections.abc import Coroutine
from typing import Any, assert_type

from toolcrib.tools.function import FunctionTool, tool


@tool
def add(a: int, b: int = 2) -> int:
    return a + b


@tool(name="other", idempotent=True, retries=2)
def with_options(a: str) -> bytes:
    return a.encode()


@tool
async def wait(seconds: float) -> str:
    return "done"


class Shop:
    @tool
    def charge(self, amount: int) -> str:
        return ""

    @tool(timeout=3)
    async def refund(self, amount: int) -> str:
        return ""

    @tool
    @staticmethod
    def round_up(amount: float) -> int:
        return 0

    @staticmethod
    @tool
    def round_down(amount: float) -> int:
        return 0

    @classmethod
    @tool
    def is_open(cls, day: int) -> bool:
        return True

    @tool
    @classmethod
    def is_near(cls, place: str) -> bool:
        return True


assert_type(add(1), int)
assert_type(add(1, b=3), int)
assert_type(with_options("a"), bytes)
assert_type(Shop().charge(3), str)
assert_type(Shop.round_up(1.5), int)
assert_type(Shop.round_down(1.5), int)
assert_type(Shop().is_open(1), bool)
assert_type(Shop().is_near("Oslo"), bool)
assert_type(Shop.charge(Shop(), 3), str)
assert_type(tool(len)([]), int)
assert_type(tool(functools.partial(add, 1))(), int)


def takes_any(one: FunctionTool[..., Any]) -> None: ...


takes_any(add)
takes_any(Shop().charge)


def async_functions_stay_async() -> list[Coroutine[Any, Any, str]]:
    return [wait(1.0), Shop().refund(3)]


add("1")  # type: ignore[arg-type]
add(1, c=3)  # type: ignore[call-arg]
add()  # type: ignore[call-arg]
Shop().charge("3")  # type: ignore[arg-type]
Shop().charge(Shop(), 3)  # type: ignore[call-arg, arg-type]
tool(add, needs_aproval=True)  # type: ignore[call-overload]
tool(timeout="3")  # type: ignore[call-overload]

"""What a scripted model answers: worked out from its name and from how many results it was sent."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache

__all__ = ["ScriptedCall", "answer", "results_among", "script"]

ScriptedCall = tuple[str, str, str]
"""Id, tool name, argument text."""


@dataclass(frozen=True, slots=True)
class Script:
    """`loop-N` calls `add` in each of N rounds, `loop-N-K` K times; `text-B` gives a text of B characters.

    With `checked-` before it, the server parses the request and refuses one whose calls and results
    do not pair.
    """

    rounds: int = 0
    width: int = 1
    length: int = 0
    checked: bool = False


@cache
def script(model: str) -> Script:
    """The script that a model name means."""
    kind, *numbers = model.removeprefix("checked-").split("-")
    checked = model.startswith("checked-")
    if kind == "text":
        return Script(length=int(numbers[0]), checked=checked)
    width = int(numbers[1]) if len(numbers) > 1 else 1
    return Script(rounds=int(numbers[0]), width=width, checked=checked)


def answer(model: str, results: int) -> tuple[list[ScriptedCall], str | None]:
    """The calls, or the last text, that follow on so many results."""
    plan = script(model)
    if results < plan.rounds * plan.width:
        places = range(results, results + plan.width)
        return [(f"call_{at:06d}", "add", json.dumps({"a": at, "b": 1})) for at in places], None
    return [], "x" * plan.length or f"done {plan.rounds}"


def results_among(model: str, messages: int) -> int:
    """How many results are among so many messages: the user's first, then calls and results."""
    width = script(model).width
    return (messages - 1) // (1 + width) * width

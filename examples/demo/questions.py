"""The questions of the demo, and checks that compare what the model did with what is true."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from examples.demo.desk import Desk
from toolcrib import ToolExecution, ToolResult

__all__ = ["HARDER", "QUESTIONS", "Question", "Verdict", "judge"]

Answers = Callable[[str, str], bool]
"""Whether an answer agrees with the result that the tool gave: `(answer, result) -> bool`."""


@dataclass(frozen=True)
class Question:
    """What is asked, which call it takes, and how the answer is checked."""

    text: str
    tool: str | None
    """None: nothing has to be called."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    agrees: Answers = lambda answer, result: bool(answer.strip())
    topic: str = ""
    """What an answer has to name when the tool told an error."""
    writes: tuple[str, str] | None = None
    """The event that has to stand in the calendar afterwards, once, and nothing else."""


@dataclass(frozen=True)
class Verdict:
    """What the model got right; None where there was nothing to get right or wrong."""

    call: bool
    """It called the tool that it takes, and no other."""
    arguments: bool | None
    """One of these calls had the right arguments."""
    answer: bool
    """Its answer agrees with what the tool told it; without a tool, it said something."""
    written: bool | None
    """The calendar holds exactly what it should hold."""

    @property
    def right(self) -> bool:
        """Whether all of it was right."""
        return False not in (self.call, self.arguments, self.answer, self.written)


def _numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", text.replace(",", ""))]


def _same_number(answer: str, result: str) -> bool:
    """The last number of the result is among those of the answer, give or take its rounding."""
    wanted = _numbers(result)[-1]
    return any(abs(number - wanted) <= max(0.5, abs(wanted) * 0.01) for number in _numbers(answer))


def _same_weather(answer: str, result: str) -> bool:
    sky = result.rsplit(", ", 1)[-1]
    return _same_number(answer, result) or sky in answer.lower()


def _says_warm(answer: str, result: str) -> bool:
    is_warm = _numbers(result)[0] >= 20
    says_no = re.search(r"\b(no|not|isn't|cold|cool)\b", answer, re.IGNORECASE) is not None
    says_yes = re.search(r"\b(yes|warm|hot)\b", answer, re.IGNORECASE) is not None
    told = not says_no and (says_yes or _same_number(answer, result))
    return told if is_warm else says_no


def _names_the_event(answer: str, result: str) -> bool:
    title, day = re.findall(r"'(.*)' on (\w+)", result)[0]
    return day in answer.lower() and title.lower().split()[-1] in answer.lower()


def _admits(answer: str) -> bool:
    """Says that something could not be had, and makes nothing up."""
    no = re.search(r"\b(no|not|cannot|can't|unable|unknown|sorry)\b", answer, re.IGNORECASE)
    return no is not None and not _numbers(answer)


_KILOGRAMS = Question(
    "How much is 12 kg in pounds?",
    "convert",
    {"value": 12, "from_unit": "kg", "to_unit": "pounds"},
    agrees=_same_number,
)

QUESTIONS: Sequence[Question] = (
    Question("What is the weather in Oslo?", "get_weather", {"city": "Oslo"}, agrees=_same_weather),
    Question(
        "Is it warm in Shanghai today?", "get_weather", {"city": "Shanghai"}, agrees=_says_warm
    ),
    _KILOGRAMS,
    Question(
        "Convert 100 fahrenheit to celsius",
        "convert",
        {"value": 100, "from_unit": "fahrenheit", "to_unit": "celsius"},
        agrees=_same_number,
    ),
    Question(
        "Add team lunch on wednesday",
        "add_event",
        {"title": "team lunch", "day": "wednesday"},
        agrees=_names_the_event,
        writes=("team lunch", "wednesday"),
    ),
    Question(
        "What is the weather in Atlantis?",
        "get_weather",
        {"city": "Atlantis"},
        topic="atlantis",
    ),
    Question("Hello, who are you?", None),
)


HARDER: Sequence[Question] = (
    Question(
        "Add board meeting on Monday",
        "add_event",
        {"title": "board meeting", "day": "monday"},
        agrees=_names_the_event,
        writes=("board meeting", "monday"),
    ),
    Question(
        "Put football on sunday in my calendar",
        "add_event",
        {"title": "football", "day": "sunday"},
        agrees=_names_the_event,
        writes=("football", "sunday"),
        topic="football",
    ),
    _KILOGRAMS,
)
"""For a model that nothing holds to the form of a call."""


def judge(
    question: Question,
    executions: Sequence[ToolExecution],
    answer: str | None,
    desk: Desk,
    before: Sequence[tuple[str, str]],
) -> Verdict:
    """Compare what was called, answered and written with what the question takes.

    `before` is what stood in the calendar before the question was asked.
    """
    new = [_folded(event) for event in desk.events()[len(before) :]]
    wanted = [] if question.writes is None else [_folded(question.writes)]
    written = None if new == wanted == [] else new == wanted
    said = answer or ""
    if question.tool is None:
        return Verdict(not executions, None, question.agrees(said, ""), written)
    calls = [execution for execution in executions if execution.name == question.tool]
    exact = [call for call in calls if _folded(call.arguments) == _folded(question.arguments)]
    told = [call.result for call in exact or calls if call.result is not None]
    return Verdict(
        call=bool(calls) and len(calls) == len(executions),
        arguments=bool(exact) if calls else None,
        answer=bool(told) and _true_to(told[-1], said, question),
        written=written,
    )


def _true_to(result: ToolResult, answer: str, question: Question) -> bool:
    if result.is_error:
        return _admits(answer) and question.topic in answer.lower()
    return question.agrees(answer, result.text)


def _folded(value: Any) -> Any:
    """The same without upper case, blanks at the ends, and the difference of 12 and 12.0."""
    match value:
        case str():
            return value.strip().lower()
        case bool() | None:
            return value
        case int() | float():
            return float(value)
        case Mapping():
            return {key: _folded(item) for key, item in value.items()}
        case list() | tuple():
            return [_folded(item) for item in value]
        case _:
            return value

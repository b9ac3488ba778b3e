"""What every walk over a value beside its schema shares: the findings, and the plainest walks."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from toolcrib.errors import Problem
from toolcrib.schema.explain import Path, path_text, shorten
from toolcrib.schema.json_text import JsonTextError, read_json
from toolcrib.schema.numbers import NumberText, float_of
from toolcrib.schema.repairs import Repair
from toolcrib.schema.wanted import Wanted

__all__ = [
    "Finding",
    "Findings",
    "TooComplicated",
    "Walk",
    "anything",
    "decoded",
    "is_no_value",
    "nothing",
    "size_check",
]

_MOST_CHOICES = 100_000
"""Members of unions tried for one call; a hostile schema could ask for exponentially many."""


class TooComplicated(Exception):
    """Checking this value against this schema would take too long."""


Words: TypeAlias = str | Callable[[], str]
Allowed: TypeAlias = tuple[str, ...] | Callable[[], tuple[str, ...]]


class _Nothing(enum.Enum):
    NOTHING = 1


class Finding(NamedTuple):
    """A problem that is put into words only when it is told: most are not, but of some other reading."""

    path: Path
    expected: Words
    value: Any = _Nothing.NOTHING
    allowed: Allowed = ()

    def wanted(self) -> str:
        """What was expected."""
        return self.expected if isinstance(self.expected, str) else self.expected()

    def choices(self) -> tuple[str, ...]:
        """The allowed values."""
        if not self.allowed and isinstance(self.expected, Wanted):
            return self.expected.choices()
        return self.allowed if isinstance(self.allowed, tuple) else self.allowed()

    def problem(self) -> Problem:
        """All of it."""
        received = None if self.value is _Nothing.NOTHING else shorten(self.value)
        return Problem(path_text(self.path), self.wanted(), received, self.choices())


class Findings:
    """What a walk found, in the order of the schema."""

    __slots__ = ("_choices", "cause", "cost", "in_list", "problems", "repairs")

    def __init__(self, outer: Findings | None = None) -> None:
        self.problems: list[Finding] = []
        self.repairs: list[Repair] = []
        self.cause: Exception | None = None
        """What a user's validator raised unexpectedly, for whoever debugs it."""
        self.cost = 0
        """How far the value was from what the schema says; 0 without repairs."""
        self.in_list = False
        """Directly inside a list, where a lone value is not wrapped: `[1]` could mean two things."""
        self._choices = [_MOST_CHOICES]
        if outer is not None:
            self.in_list = outer.in_list
            self._choices = outer._choices

    def problem(self, path: Path, expected: Words, value: Any, allowed: Allowed = ()) -> None:
        """Note what is wrong with a value that is there."""
        self.problems.append(Finding(path, expected, value, allowed))

    def missing(self, path: Path, expected: Words, allowed: Allowed = ()) -> None:
        """Note that a value is not there."""
        self.problems.append(Finding(path, expected, allowed=allowed))

    def may_be_left_out(self, path: Path, value: Any) -> None:
        """Say so, if the last problem is that an optional value says "none" in a way of its own."""
        last = self.problems[-1]
        if last.path == path and last.value is value and type(value) is str and is_no_value(value):
            expected = f"{last.wanted()}, or leave it out"
            self.problems[-1] = last._replace(expected=expected, allowed=last.choices())

    def repair(self, path: Path, note: str, cost: int = 1) -> None:
        """Note how an oddly spelled value was read."""
        self.repairs.append(Repair(path_text(path), note))
        self.cost += cost

    def add(self, inner: Findings) -> None:
        """Take over what an inner walk found."""
        self.problems += inner.problems
        self.repairs += inner.repairs
        self.cost += inner.cost

    def try_choice(self) -> Findings:
        """Findings for one member of a union. Raises `TooComplicated` after very many."""
        self._choices[0] -= 1
        if self._choices[0] < 0:
            raise TooComplicated
        return Findings(self)


Walk: TypeAlias = Callable[[Any, Path, Findings], Any]
"""Value, where it lies, findings → the value as the schema means it. With a problem, what it gives is void."""


def anything(value: Any, path: Path, found: Findings) -> Any:
    """Any JSON value; numbers become ordinary ones."""
    kind = type(value)
    if kind is NumberText:
        number = float_of(value)
        if number is None:
            found.problem(path, "a number within the range of a 64-bit float", value)
        return number
    if kind is list:
        return [anything(item, (path, index), found) for index, item in enumerate(value)]
    if kind is dict:
        return {key: anything(item, (path, key), found) for key, item in value.items()}
    return value


def size_check(schema: Mapping[str, Any], least: str, most: str) -> Callable[[int], bool] | None:
    """Whether a size is within two keywords of a schema; None when it has neither."""
    low, high = schema.get(least), schema.get(most)
    if type(low) is not int and type(high) is not int:
        return None
    floor = low if type(low) is int else 0
    return lambda size: size >= floor and (type(high) is not int or size <= high)


def nothing(value: Any, path: Path, found: Findings) -> Any:
    """No value at all: the schema `false`."""
    found.problem(path, "no value here", value)
    return value


_NO_VALUES = frozenset({"", "null", "none", "nil", "undefined", "n/a"})


def is_no_value(text: str) -> bool:
    """Whether a text looks like somebody's way to say that there is no value."""
    return len(text) < 20 and text.strip().lower() in _NO_VALUES


def decoded(value: str, kind: type, path: Path, found: Findings) -> Any:
    """The list or object that a text holds as JSON; None when it holds none."""
    text = value.strip()
    if not text.startswith("[" if kind is list else "{"):
        return None
    try:
        inner, notes = read_json(text)
    except JsonTextError:
        return None
    if type(inner) is not kind:
        return None
    what = "list" if kind is list else "object"
    found.repair(path, f"read the JSON text as the {what} that it holds")
    for note in notes:
        found.repair(path, note)
    return inner

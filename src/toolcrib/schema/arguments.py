"""Argument text → checked values: parse, repair, validate, explain."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, NamedTuple, NoReturn

from toolcrib.errors import Problem, ToolArgumentsError
from toolcrib.schema.argument_plan import Plan, fill, plan_of_parameters, plan_of_schema
from toolcrib.schema.envelope import open_envelope
from toolcrib.schema.exact import ReadExactly, exact_reading
from toolcrib.schema.explain import nearest_first, shorten
from toolcrib.schema.json_text import JsonTextError, read_json
from toolcrib.schema.parameters import Parameter
from toolcrib.schema.repairs import Repair
from toolcrib.schema.surrogates import may_have_surrogates, surrogates_in
from toolcrib.schema.walk import Finding, Findings, TooComplicated

__all__ = ["ArgumentReader", "ReadArguments", "Repair"]

_MOST_PROBLEMS = 50
_MOST_ALLOWED = 8_000
"""Characters of allowed values in one message."""
_EXCERPT = 60
_NO_ARGUMENTS: Mapping[str, Any] = {"type": "object", "properties": {}}


class ReadArguments(NamedTuple):
    """What a model's argument text means."""

    values: dict[str, Any]
    """By Python parameter name, with defaults filled in; by JSON key for a hand-written schema."""
    repairs: tuple[Repair, ...]


class ArgumentReader:
    """Reads the argument text of calls of one tool; thread-safe, compiled on the first call.

    With `parameters`, the values are those of the function's types, validated by pydantic, and
    `schema` is not looked at. Without, they are JSON values checked against `schema`, a documented
    subset of JSON Schema; None takes no arguments. `unknown` says what becomes of a top-level key
    that is no parameter.
    """

    def __init__(
        self,
        tool: str,
        schema: Mapping[str, Any] | None,
        parameters: Sequence[Parameter] | None = None,
        *,
        unknown: Literal["refuse", "drop"] = "refuse",
    ) -> None:
        self.tool = tool
        self.unknown = unknown
        self._schema = schema
        self._parameters = parameters
        self._plan: Plan | None = None
        self._exact: ReadExactly | None = None

    def read(self, text: str) -> ReadArguments:
        """Text → values and repairs. Raises `ToolArgumentsError` with every problem at once."""
        if self._exact is not None:
            values = self._exact(text)
            if values is not None:
                return ReadArguments(values, ())
        return self.read_closely(text)

    def read_closely(self, text: str) -> ReadArguments:
        """The same without the fast path for texts that are right as they are."""
        found = Findings()
        try:
            plan = self._plan or self._compile()
            members = self._members(text, found)
            if may_have_surrogates(text):
                found.problems += surrogates_in(members)
            values = self._values(plan, members, found)
        except JsonTextError as error:
            self._refuse([_of_text(error, text)])
        except TooComplicated:
            expected = "simpler arguments; checking these would take too long"
            self._refuse([Problem("", expected, _excerpt(text, 0))])
        except RecursionError:
            self._refuse([Problem("", "less deeply nested arguments", _excerpt(text, 0))])
        if found.problems:
            self._refuse(_told(found.problems), len(found.problems), found.cause)
        return ReadArguments(values, tuple(found.repairs))

    def _compile(self) -> Plan:
        if self._parameters is not None:
            plan = plan_of_parameters(self._parameters)
            self._exact = exact_reading(self._parameters)
        else:
            plan = plan_of_schema(_NO_ARGUMENTS if self._schema is None else self._schema)
        self._plan = plan
        return plan

    def _members(self, text: str, found: Findings) -> dict[str, Any]:
        """The object that the text holds, or that is meant by a text which holds none."""
        if not text or text.isspace():
            return {}
        value, notes = read_json(text)
        for note in notes:
            found.repair(None, note)
        while type(value) is str:
            inner = value.strip() or "null"
            if inner != "null" and inner[0] not in '{["':
                break
            found.repair(None, "read the JSON text around the arguments")
            value, notes = read_json(inner)
            for note in notes:
                found.repair(None, note)
        if type(value) is dict:
            return value
        if value is None:
            return {}
        if value == [] and type(value) is list:
            found.repair(None, "read an empty list as no arguments")
            return {}
        self._refuse([Problem("", "a JSON object that holds the arguments", shorten(value))])

    def _values(self, plan: Plan, members: dict[str, Any], found: Findings) -> dict[str, Any]:
        extra: list[str] = []
        if not members.keys() <= plan.known:
            members = open_envelope(
                members,
                self.tool,
                plan.names,
                plan.lone_fields,
                found,
                takes_others=plan.others is not None,
            )
            extra = [key for key in members if key not in plan.known]
        values: dict[str, Any] = {}
        for slot in plan.slots:
            fill(slot, members, values, found)
        if plan.others is not None:
            for key in extra:
                values[key] = plan.others(members[key], (None, key), found)
        if plan.rest is not None and not found.problems:
            values = plan.rest(values, None, found)
        if plan.others is None and extra:
            self._unknown(plan, extra, members, found)
        return values

    def _unknown(
        self, plan: Plan, extra: Sequence[str], members: Mapping[str, Any], found: Findings
    ) -> None:
        """The keys that are no parameters, after every spelling was tried.

        They are only dropped from calls that go through: one of a refused call may be what is missing.
        """
        drops = self.unknown == "drop" and not found.problems
        expected = "no argument of this name" if plan.names else "no arguments at all"
        for key in extra:
            if drops:
                found.repair((None, key), "dropped an unknown argument")
            else:
                allowed = partial(nearest_first, key, plan.names)
                found.problem((None, key), expected, members[key], allowed)

    def _refuse(
        self, problems: Sequence[Problem], count: int = 1, cause: Exception | None = None
    ) -> NoReturn:
        if count > len(problems):
            more = f"{count - len(problems)} more problems"
            problems = [*problems, Problem("", "none", more)]
        raise ToolArgumentsError(self.tool, problems) from cause


def _told(problems: Sequence[Finding]) -> list[Problem]:
    """The problems in words; where many have long lists of allowed values, the first have theirs."""
    told, room = [], _MOST_ALLOWED
    for one in problems[:_MOST_PROBLEMS]:
        problem = one.problem()
        room -= sum(map(len, problem.allowed))
        told.append(problem if room >= 0 else replace(problem, allowed=()))
    return told


def _of_text(error: JsonTextError, text: str) -> Problem:
    expected = f"one JSON object that holds the arguments, but {error.problem}"
    if error.cut_off:
        return Problem("", f"{expected}; write it again in full", _excerpt(text, len(text)))
    where = "" if error.at is None else f" (at character {error.at + 1})"
    return Problem("", expected + where, _excerpt(text, error.at or 0))


def _excerpt(text: str, at: int) -> str:
    """The text around a character as it was written, but on one line."""
    start = max(0, min(at, len(text)) - _EXCERPT // 2)
    end = start + _EXCERPT
    shown = (one if one.isprintable() else json.dumps(one)[1:-1] for one in text[start:end])
    return f"{'…' if start else ''}{''.join(shown)}{'…' if end < len(text) else ''}"

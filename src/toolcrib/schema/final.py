"""Final validation by pydantic, and its complaints in our words."""

from __future__ import annotations

import re
from typing import Any

from pydantic import TypeAdapter, ValidationError

from toolcrib.errors import Problem
from toolcrib.schema.explain import Path, below, path_text, shorten

__all__ = ["problems_of", "validated"]

_OPENINGS = re.compile(
    r"(?:Input should be|Value should be|Value should have|String should|"
    r"(?:List|Tuple|Set|Dictionary|Data|Bytes|Bytes-like|Frozenset) should have) ?"
)
_LONGEST = 300
_OWN_WORDS = ("value_error", "assertion_error")


def validated(adapter: TypeAdapter[Any], value: Any) -> Any:
    """The Python value. Raises pydantic's `ValidationError`.

    The walk has already refused what lax reading would bend, so strictness is off everywhere: it
    would only refuse JSON's spellings of Python's types, such as a text for a date. A key is looked
    up by the alias that the schema shows.
    """
    return adapter.validate_python(value, strict=False, by_alias=True)


def problems_of(error: ValidationError, path: Path, value: Any) -> list[Problem]:
    """One problem for each complaint, with where it is and what came."""
    problems = []
    seen = set()
    for one in error.errors(include_url=False, include_context=True):
        steps, at = _steps(one["loc"], value)
        problem = Problem(path_text(below(path, steps)), _expected(one), shorten(at))
        if one["type"] == "missing":
            where = below(below(path, steps), one["loc"][-1:])
            problem = Problem(path_text(where), "a value")
        if problem not in seen:
            seen.add(problem)
            problems.append(problem)
    return problems


def _steps(loc: tuple[int | str, ...], value: Any) -> tuple[list[int | str], Any]:
    """The part of a location that leads through the value; pydantic also puts type names there."""
    steps: list[int | str] = []
    for step in loc:
        in_list = isinstance(value, list) and isinstance(step, int) and step < len(value)
        if in_list or (isinstance(value, dict) and step in value):
            value = value[step]
            steps.append(step)
    return steps, value


def _expected(error: Any) -> str:
    """What would have been right: the words of the author's validator, or pydantic's rephrased."""
    if error["type"] in _OWN_WORDS:
        cause = error.get("ctx", {}).get("error")
        text = str(cause) or "a value that its validator accepts"
    else:
        if error["type"] == "string_pattern_mismatch":
            return f"a text matching {shorten(error['ctx']['pattern'], _LONGEST)}"
        text = _OPENINGS.sub("", error["msg"], count=1)
        text = (
            text.removeprefix("a valid ").replace("dictionary", "object").replace("string", "text")
        )
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"

"""Final validation by pydantic, and its complaints in our words."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from toolcrib.schema.explain import Path, below, shorten
from toolcrib.schema.types import TypeSchema
from toolcrib.schema.walk import Finding

__all__ = ["Validate", "problems_of", "validation_of"]

Validate: TypeAlias = Callable[[Any], Any]

_RULE = re.compile(r"[A-Z][\w' -]{0,40} should (?:be|have) (.+)")
_CHECKED = "a value that its check accepts"
_LONGEST = 300
_READY = (str, int, bool)
_OWN_WORDS = ("value_error", "assertion_error")


def validation_of(known: TypeSchema) -> Validate | None:
    """How the Python value is made, raising pydantic's `ValidationError`; None where it is there already.

    The walk has refused what lax reading would bend, so strictness is off everywhere: it would only
    refuse JSON's spellings of Python's types, such as a text for a date. A key is looked up by the
    alias that the schema shows.
    """
    if known.annotation in _READY:
        return None
    return partial(known.adapter.validator.validate_python, strict=False, by_alias=True)


def problems_of(error: ValidationError, path: Path, value: Any) -> list[Finding]:
    """One problem for each complaint, with where it is and what came."""
    problems: list[Finding] = []
    for one in error.errors(include_url=False):
        steps, received = _steps(one["loc"], value)
        where = below(path, steps)
        if one["type"] == "missing":
            problem = Finding(below(where, one["loc"][-1:]), "a value")
        else:
            problem = Finding(where, _expected(one), received)
        if problem not in problems:
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
        elif step == "[key]" and steps:
            return steps, steps[-1]
    return steps, value


def _expected(error: ErrorDetails) -> str:
    """What would have been right: the words of the author's validator, or pydantic's rephrased."""
    context = error.get("ctx", {})
    if error["type"] in _OWN_WORDS:
        said = str(context.get("error", ""))
        text = f"{_CHECKED}: {said}" if said else _CHECKED
    elif error["type"] == "string_pattern_mismatch":
        text = f"a text matching {shorten(context['pattern'], _LONGEST)}"
    else:
        rule = _RULE.fullmatch(error["msg"])
        text = rule[1].replace("dictionary", "object") if rule else f"{_CHECKED}: {error['msg']}"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"

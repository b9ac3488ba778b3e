"""Final validation by pydantic, and its complaints in our words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from pydantic import ValidationError
from pydantic_core import ErrorDetails, to_json

from toolcrib.lazy import lazy_pattern
from toolcrib.schema.explain import Path, below, shorten
from toolcrib.schema.types import TypeSchema
from toolcrib.schema.walk import Finding

__all__ = ["Validate", "problems_of", "validation_of"]

Validate: TypeAlias = Callable[[Any], Any]

_RULE = lazy_pattern(r"[A-Z][\w' -]{0,40} should (?:be|have) (.+)|Input is not (an? .+)")
_WORDS = {
    "date_past": "a date in the past",
    "date_future": "a date in the future",
    "datetime_past": "a date and time in the past",
    "datetime_future": "a date and time in the future",
    "timezone_aware": "a time with Z or an offset",
    "timezone_naive": "a time without Z or an offset",
}
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
    validator = known.adapter.validator

    def validate(value: Any) -> Any:
        try:
            return validator.validate_python(value, strict=False, by_alias=True)
        except ValidationError as error:
            if not _wants_json(error) or _has_bytes(value):
                raise
        # A type of the user's may be made from JSON only; from Python it takes just its instances.
        return validator.validate_json(to_json(value), strict=False, by_alias=True)

    return validate


def _wants_json(error: ValidationError) -> bool:
    return any(one["type"] == "is_instance_of" for one in error.errors(include_url=False))


def _has_bytes(value: Any) -> bool:
    """Bytes were decoded by the walk; as JSON they would be read in the way of the user's type."""
    if isinstance(value, dict):
        return any(map(_has_bytes, value.values()))
    return any(map(_has_bytes, value)) if isinstance(value, list) else isinstance(value, bytes)


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
    elif error["type"] in _WORDS:
        text = _WORDS[error["type"]]
    elif error["type"] == "string_pattern_mismatch":
        text = f"a text matching {shorten(context['pattern'], _LONGEST)}"
    else:
        rule = _RULE.fullmatch(error["msg"])
        text = _worded(rule[1] or rule[2]) if rule else f"{_CHECKED}: {error['msg']}"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _worded(rule: str) -> str:
    rule = rule.replace("dictionary", "object")
    return f"a value {rule}" if rule.startswith(("greater", "less")) else rule

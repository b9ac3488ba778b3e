"""Walks over numbers, booleans, null and plain text."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from pydantic_core import SchemaError, SchemaValidator, core_schema

from toolcrib.schema.explain import Path, shorten
from toolcrib.schema.numbers import NumberText, float_of, int_of, number_in
from toolcrib.schema.walk import Findings, Walk

__all__ = [
    "boolean",
    "integer",
    "null",
    "number",
    "number_check",
    "pattern_check",
    "string",
    "text_check",
]

_BOUNDS: tuple[tuple[str, Callable[[Any, Any], bool]], ...] = (
    ("minimum", operator.ge),
    ("maximum", operator.le),
    ("exclusiveMinimum", operator.gt),
    ("exclusiveMaximum", operator.lt),
)


def integer(schema: Mapping[str, Any], words: Callable[[], str], *, typed: bool) -> Walk:
    """Integers: `"27"` and `27.0` are read, `27.5` and `true` are not."""
    fits = number_check(schema, typed=typed)

    def walk(value: Any, path: Path, found: Findings) -> Any:
        if type(value) is int:
            result: int | None = value
        else:
            result = _integer_in(value)
            if result is None:
                found.problem(path, words, value)
                return value
            cost = 2 if type(value) is str and not value.strip().lstrip("+-").isdigit() else 1
            found.repair(path, f"read {shorten(value)} as the integer {shorten(result)}", cost)
        if fits is not None and not fits(result):
            found.problem(path, words, value)
        return result

    return walk


def _integer_in(value: Any) -> int | None:
    if type(value) is NumberText:
        return int_of(value)
    if type(value) is str:
        spelled = number_in(value)
        return None if spelled is None else int_of(spelled)
    if type(value) is float and value.is_integer():
        return int(value)
    return None


def number(schema: Mapping[str, Any], words: Callable[[], str], *, typed: bool) -> Walk:
    """Numbers: `"27.5"` is read, `"27,5"` and `true` are not; plain integers stay integers."""
    fits = number_check(schema, typed=typed)

    def walk(value: Any, path: Path, found: Findings) -> Any:
        kind = type(value)
        if kind is int or kind is float:
            result = value if float_of(value) is not None else None
        elif kind is NumberText:
            result = float_of(value)
        else:
            spelled = number_in(value) if kind is str else None
            read = None if spelled is None else float_of(spelled)
            if read is None:
                found.problem(path, words() + (_RANGE if spelled is not None else ""), value)
                return value
            result = spelled if type(spelled) is int else read
            found.repair(path, f"read the text {shorten(value)} as a number")
        if result is None or (fits is not None and not fits(result)):
            found.problem(path, words() + (_RANGE if result is None else ""), value)
        return result

    return walk


_RANGE = ", within the range of a 64-bit float"


def number_check(schema: Mapping[str, Any], *, typed: bool) -> Callable[[Any], bool] | None:
    """Whether a number is within the limits of a schema; None when there are none."""
    checks = [(compare, schema[key]) for key, compare in _BOUNDS if _is_number(schema.get(key))]
    step = schema.get("multipleOf")
    if not typed and isinstance(step, (int, float)) and _is_number(step) and step > 0:
        exact = Decimal(str(step))
        checks.append((lambda value, _: Decimal(str(value)) % exact == 0, step))
    if not checks:
        return None
    if len(checks) == 1:
        compare, limit = checks[0]
        return lambda value: compare(value, limit)
    return lambda value: all(compare(value, limit) for compare, limit in checks)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def boolean(words: Callable[[], str]) -> Walk:
    """Booleans: `"true"` in any case, and the integers 0 and 1."""

    def walk(value: Any, path: Path, found: Findings) -> Any:
        if type(value) is bool:
            return value
        result = None
        cost = 1
        if type(value) is str:
            result = _SPELLED.get(value.strip().lower()) if len(value) < 100 else None
        elif type(value) is int and value in (0, 1):
            result, cost = value == 1, 3
        if result is None:
            found.problem(path, words, value)
            return value
        found.repair(path, f"read {shorten(value)} as {shorten(result)}", cost)
        return result

    return walk


_SPELLED = {"true": True, "false": False}


def null(value: Any, path: Path, found: Findings) -> Any:
    """Nothing but null; the text "null" is left to unions, which know whether it can be text."""
    if value is not None:
        found.problem(path, "null", value)
    return value


def string(schema: Mapping[str, Any], words: Callable[[], str], *, typed: bool) -> Walk:
    """Text as it is; a number by its own literal. Never decoded, never trimmed."""
    fits = text_check(schema, typed=typed)

    def walk(value: Any, path: Path, found: Findings) -> Any:
        if type(value) is str:
            # A type may strip its texts before it measures them: only pydantic knows.
            if fits is not None and not (fits(value) or (typed and fits(value.strip()))):
                found.problem(path, words, value)
            return value
        text = _literal(value)
        if text is None:
            found.problem(path, words() + _hint(value), value)
            return value
        found.repair(path, f"read the number {shorten(value)} as text", cost=3)
        if fits is not None and not fits(text):
            found.problem(path, words, value)
        return text

    return walk


def _literal(value: Any) -> str | None:
    if type(value) is int:
        return str(value)
    if type(value) is NumberText and not value.has_exponent:
        return str(value)
    return None


def _hint(value: Any) -> str:
    if type(value) is not dict:
        return ", not a list" if type(value) is list else ""
    if value.get("type") in _TYPES:
        return ", not a schema of it"
    return ", not an object (if it is to hold JSON, write that as a text)"


_TYPES = ("string", "integer", "number", "boolean", "array", "object")


def text_check(schema: Mapping[str, Any], *, typed: bool) -> Callable[[str], bool] | None:
    """Whether a text has the length, and for a hand-written schema the pattern, that is wanted."""
    least = _size(schema, "minLength")
    most = _size(schema, "maxLength")
    matches = None if typed else pattern_check(schema.get("pattern"))
    if least is None and most is None:
        return matches
    low = least or 0

    def fits(text: str) -> bool:
        size = len(text)
        if size < low or (most is not None and size > most):
            return False
        return matches is None or matches(text)

    return fits


def _size(schema: Mapping[str, Any], key: str) -> int | None:
    size = schema.get(key)
    return size if type(size) is int else None


def pattern_check(pattern: Any) -> Callable[[str], bool] | None:
    """A check in time linear to the text, since neither pattern nor text come from a friend.

    None, so no check, for a pattern that has no such engine: look-around and back-references.
    """
    if not isinstance(pattern, str):
        return None
    try:
        validator = SchemaValidator(core_schema.str_schema(pattern=pattern))
    except SchemaError:
        return None
    return validator.isinstance_python

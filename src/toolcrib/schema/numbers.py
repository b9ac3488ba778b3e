"""JSON numbers that keep their text, and the exact conversions out of it."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from toolcrib.lazy import lazy_pattern

__all__ = [
    "LONGEST_NUMBER",
    "NumberText",
    "decimal_of",
    "float_of",
    "int_of",
    "number_in",
    "plain",
    "plain_number",
]

LONGEST_NUMBER = 4_300
"""Digits of a number that are still read; Python's own limit for integers as text."""

_LARGEST_EXPONENT = 308
"""A larger exponent overflows a float, and as an integer it would cost memory without bound."""

_NUMBER = lazy_pattern(r"([-+]?)([0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)", re.ASCII)
_EXPONENT = lazy_pattern(r"[eE]([-+]?[0-9]+)$")


class NumberText(str):
    """The text of a JSON number that is not a plain integer, such as `1.10` or `1e3`."""

    __slots__ = ()

    @property
    def has_exponent(self) -> bool:
        """Whether it is written as `1e3`."""
        return "e" in self or "E" in self


def number_in(text: str) -> int | NumberText | None:
    """The number that a text spells, blanks around it aside; None when it spells none.

    JSON's grammar, and also a leading `+` and leading zeros: they mean exactly one number.
    Digit grouping, decimal commas, hexadecimal, `.5`, `NaN` and other alphabets do not.
    """
    found = None if len(text) > LONGEST_NUMBER else _NUMBER.fullmatch(text.strip())
    if found is None:
        return None
    sign, digits = found.groups()
    if digits.isdigit():
        return int(sign + digits)
    return NumberText("-" + digits if sign == "-" else digits)


def decimal_of(number: int | NumberText) -> Decimal | None:
    """The exact value; None when the exponent is absurd."""
    if isinstance(number, int):
        return Decimal(number)
    exponent = _EXPONENT.search(number)
    if exponent is not None and _is_absurd(exponent[1]):
        return None
    if len(number) > LONGEST_NUMBER:
        return None
    return Decimal(number)


def int_of(number: int | NumberText) -> int | None:
    """The integer that a number is exactly; None when it has a fraction or an absurd exponent."""
    if type(number) is int:
        return number
    exact = decimal_of(number)
    if exact is None or exact != exact.to_integral_value():
        return None
    return int(exact)


def float_of(number: int | NumberText) -> float | None:
    """The nearest float; None when it would overflow, or vanish into zero."""
    try:
        value = float(number)
    except OverflowError:
        return None
    if value - value != 0:  # infinite
        return None
    if value == 0 and not _is_zero(number):
        return None
    return value


def plain_number(number: int | NumberText) -> int | float | None:
    """What Python's own JSON reader gives: an int for a plain integer, otherwise a float."""
    return number if type(number) is int else float_of(number)


def plain(value: Any) -> Any:
    """A value with every `NumberText` as a float; a number out of range stays as its text."""
    kind = type(value)
    if kind is NumberText:
        number = float_of(value)
        return str(value) if number is None else number
    if kind is list:
        return [plain(item) for item in value]
    if kind is dict:
        return {key: plain(item) for key, item in value.items()}
    return value


def _is_zero(number: int | NumberText) -> bool:
    if isinstance(number, int):
        return number == 0
    return not any(digit in "123456789" for digit in re.split("[eE]", number)[0])


def _is_absurd(exponent: str) -> bool:
    digits = exponent.lstrip("+-").lstrip("0")
    return len(digits) > 3 or int(digits or "0") > _LARGEST_EXPONENT

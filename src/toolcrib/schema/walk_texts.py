"""Walks over texts that stand for bytes, dates, times, durations, UUIDs and decimals."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from typing import Any
from uuid import UUID

from toolcrib.lazy import lazy_pattern
from toolcrib.schema.explain import Path, shorten
from toolcrib.schema.numbers import NumberText, decimal_of, number_in
from toolcrib.schema.walk import Findings, Walk

__all__ = ["MARKED_TEXTS", "decimal"]

Reading = tuple[Any, str | None]
"""The value, and a note when it was spelled oddly."""

_DATE = r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
_CLOCK = r"([0-9]{2}:[0-9]{2})(:[0-9]{2})?(?:[.,]([0-9]+))?"
_ZONE = r"(?: ?(Z|z|[-+][0-9]{2}(?::?[0-9]{2})?))?"
_MIDNIGHT = lazy_pattern(r"[T ]00:00(?::00(?:\.0+)?)?\Z", re.ASCII)
_IS_DATE = lazy_pattern(_DATE, re.ASCII)
_IS_TIME = lazy_pattern(_CLOCK + _ZONE, re.ASCII)
_IS_DATETIME = lazy_pattern(f"{_DATE}([Tt ]){_CLOCK}{_ZONE}", re.ASCII)
_AMOUNT = r"([0-9]{1,12}(?:[.,][0-9]{1,12})?)"
_IS_DURATION = lazy_pattern(
    rf"([-+]?)P(?=.)(?:{_AMOUNT}W)?(?:{_AMOUNT}D)?"
    rf"(?:T(?=.)(?:{_AMOUNT}H)?(?:{_AMOUNT}M)?(?:{_AMOUNT}S)?)?",
    re.ASCII | re.IGNORECASE,
)
_IS_PLAIN_DURATION = lazy_pattern(r"[-+]?P(?:[0-9]+W|(?:[0-9]+D)?[0-9HMT]*(?:(?:\.[0-9]+)?S)?)")
_IS_HOURS = lazy_pattern(
    r"([-+]?)()()([0-9]{1,6}):([0-5][0-9]):([0-5][0-9](?:\.[0-9]{1,6})?)", re.ASCII
)
_MICROSECONDS = (604_800_000_000, 86_400_000_000, 3_600_000_000, 60_000_000, 1_000_000)
"""Of a week, a day, an hour, a minute and a second."""
_BASE64 = lazy_pattern(r"[A-Za-z0-9+/]*={0,2}|[A-Za-z0-9_-]*={0,2}", re.ASCII)
_UUID = lazy_pattern(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE
)
_ODD_UUID = lazy_pattern(
    r"\{[-0-9a-f]{36}\}|\{[0-9a-f]{32}\}|[0-9a-f]{32}|urn:uuid:[-0-9a-f]{36}",
    re.ASCII | re.IGNORECASE,
)
_LONGEST = 100
_LONGEST_SPAN = timedelta.max // timedelta(microseconds=1)


def _text_walk(read: Callable[[str], Reading | None], longest: int | None = _LONGEST) -> Any:
    def make(words: Callable[[], str]) -> Walk:
        def walk(value: Any, path: Path, found: Findings) -> Any:
            reading = None
            if type(value) is str and (longest is None or len(value) <= longest):
                reading = read(value)
                if reading is None and value != value.strip():
                    reading = read(value.strip())
                    if reading is not None:
                        reading = (reading[0], reading[1] or "dropped the blanks around it")
            if reading is None:
                found.problem(path, words, value)
                return value
            result, note = reading
            if note is not None:
                found.repair(path, note)
            return result

        return walk

    return make


def _read_date(text: str) -> Reading | None:
    # Midnight without a zone adds nothing to a date; any other time would be lost.
    parts = _IS_DATE.fullmatch(_MIDNIGHT.sub("", text))
    if parts is None:
        return None
    padded = _padded(parts)
    try:
        date.fromisoformat(padded)
    except ValueError:
        return None
    return (text, None) if padded == text else (padded, f"read the date {text} as {padded}")


def _read_time(text: str) -> Reading | None:
    parts = _IS_TIME.fullmatch(text)
    clock = None if parts is None else _clock(*parts.groups())
    if clock is None:
        return None
    try:
        time.fromisoformat(clock)
    except ValueError:
        return None
    return (text, None) if clock == text else (clock, f"read the time {text} as {clock}")


def _read_datetime(text: str) -> Reading | None:
    parts = _IS_DATETIME.fullmatch(text)
    if parts is None:
        return None
    clock = _clock(*parts.groups()[4:])
    if clock is None:
        return None
    plain = f"{_padded(parts)}T{clock}"
    try:
        datetime.fromisoformat(plain)
    except ValueError:
        return None
    return (text, None) if plain == text else (plain, f"read the time {text} as {plain}")


def _padded(parts: re.Match[str]) -> str:
    return f"{parts[1]}-{parts[2]:0>2}-{parts[3]:0>2}"


def _clock(minutes: str, seconds: str | None, fraction: str | None, zone: str | None) -> str | None:
    """The time in one spelling; None when digits beyond microseconds would be lost."""
    if fraction is not None:
        if seconds is None or fraction[6:].strip("0"):
            return None
        seconds = f"{seconds}.{fraction[:6]}"
    if zone is not None and len(zone) == 3 and seconds is None:
        return None  # `10:00-12` could be two times of day
    if zone is not None:
        digits = zone[1:].replace(":", "")
        zone = f"{zone[0]}{digits[:2]}:{digits[2:] or '00'}" if digits else "Z"
    return f"{minutes}{seconds or ''}{zone or ''}"


def _read_duration(text: str) -> Reading | None:
    parts = _IS_DURATION.fullmatch(text) or _IS_HOURS.fullmatch(text)
    if parts is None:
        return None
    sign, *amounts = parts.groups()
    if any("." in one or "," in one for one in [one for one in amounts if one][:-1]):
        return None  # only the smallest unit may have a fraction
    whole = sum(
        Fraction((one or "0").replace(",", ".")) * unit
        for one, unit in zip(amounts, _MICROSECONDS, strict=True)
    )
    if whole.denominator != 1 or whole > _LONGEST_SPAN:
        return None
    if _IS_PLAIN_DURATION.fullmatch(text):
        return text, None
    seconds, fraction = divmod(int(whole), 1_000_000)
    iso = f"{sign}P{seconds // 86_400}DT{seconds % 86_400}.{fraction:06}".rstrip("0").rstrip(".")
    return f"{iso}S", f"read the duration {text} as {iso}S"


def _read_uuid(text: str) -> Reading | None:
    if _UUID.fullmatch(text):
        return text, None
    if not _ODD_UUID.fullmatch(text):
        return None
    digits = text.lower().removeprefix("urn:uuid:").strip("{}")
    if "-" in digits and not _UUID.fullmatch(digits):
        return None
    plain = str(UUID(digits))
    return plain, f"read the UUID {text} as {plain}"


def _read_bytes(text: str) -> Reading | None:
    packed = "".join(text.split())
    if not _BASE64.fullmatch(packed):
        return None
    digits = packed.rstrip("=")
    standard = digits.replace("-", "+").replace("_", "/")
    padded = standard + "=" * (-len(standard) % 4)
    if len(digits) != len(packed) and len(packed) != len(padded):
        return None  # padding, but not the right amount: something is missing
    try:
        data = base64.b64decode(padded, validate=True)
    except binascii.Error:
        return None
    if base64.b64encode(data).decode() != padded:
        return None  # bits beyond the last byte: something is missing
    return data, None if padded == text else "read base64 in another spelling"


MARKED_TEXTS: dict[str, Callable[[Callable[[], str]], Walk]] = {
    "bytes": _text_walk(_read_bytes, longest=None),
    "date": _text_walk(_read_date),
    "datetime": _text_walk(_read_datetime),
    "duration": _text_walk(_read_duration),
    "time": _text_walk(_read_time),
    "uuid": _text_walk(_read_uuid),
}
"""By kind of mark: what is wanted, in words → the walk."""


def decimal(words: Callable[[], str]) -> Walk:
    """Decimals by the exact literal of a number, or from a text; never through a float."""

    def walk(value: Any, path: Path, found: Findings) -> Any:
        kind = type(value)
        spelled: int | NumberText | None = None
        if kind is int or kind is NumberText:
            spelled = value
        elif kind is str:
            spelled = number_in(value)
            if spelled is not None and str(spelled) != value:
                found.repair(path, f"read the text {shorten(value)} as a number")
        exact = None if spelled is None else decimal_of(spelled)
        if exact is None:
            found.problem(path, words, value)
            return value
        return exact

    return walk

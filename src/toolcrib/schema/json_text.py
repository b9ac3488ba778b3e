"""The text of a model's arguments → JSON, with the repairs that cannot change its meaning."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple, NoReturn

from toolcrib.lazy import lazy_pattern
from toolcrib.schema.numbers import LONGEST_NUMBER, NumberText

__all__ = ["DEEPEST", "JsonText", "JsonTextError", "read_json"]

DEEPEST = 128
"""Arrays and objects inside one another that are still read."""

_BOM = "\ufeff"
_FENCE = "```"
_LANGUAGE = lazy_pattern(r"[A-Za-z][A-Za-z0-9_-]*+\s")
_BLANK = " \t\r\n"
# A string is one token, also when it never ends: so no text is scanned twice.
_STRING = r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)'
_TOKEN = lazy_pattern(rf"{_STRING}|[\[\]{{}},:]|[ \t\r\n]+|[^\[\]{{}},:\" \t\r\n]+", re.DOTALL)
_BRACKETS = lazy_pattern(rf"{_STRING}|[\[\]{{}}]", re.DOTALL)
_RAW = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_RAW_BREAKS = lazy_pattern(r"[\n\r\t]")
_BEGUN = lazy_pattern(r"-|(?:\.[0-9]*)?[eE][-+]?|\.|[a-z]+")
_WORD = lazy_pattern(r"[^\W\d][\w$]*")
_WORDS = ("true", "false", "null", "none", "undefined", "nil", "yes", "no", "on", "off")
_DIGITS = ".0123456789"
_ODD = "0123456789._%abcdefoxABCDEFLOX"
_QUOTES = "'`\u2018\u2019\u201c\u201d\u00ab\u00bb"
_BEGUN_ESCAPE = lazy_pattern(r"\\?u?[0-9a-fA-F]{0,4}(?:\\?u?[0-9a-fA-F]{0,4})?")


class JsonTextError(Exception):
    """The text is not JSON and cannot be read as such; `problem` says why, in words for the model."""

    def __init__(self, problem: str, *, cut_off: bool = False, at: int | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.cut_off = cut_off
        """The text ends too early; nothing was completed."""
        self.at = at
        """The character where reading stopped, counted from 0."""


class JsonText(NamedTuple):
    """What a text holds, and what had to be put right."""

    value: Any
    """Plain JSON values, but numbers other than plain integers are `NumberText`."""
    notes: tuple[str, ...]


def read_json(text: str) -> JsonText:
    """Read one JSON document.

    Put right, with a note each: a byte order mark, a Markdown fence around the whole text, trailing
    commas, raw line breaks and tabs inside strings. Raises `JsonTextError` for everything else,
    also for what Python's own reader lets pass: duplicate keys, NaN and Infinity, numbers of
    thousands of digits, nesting deeper than `DEEPEST`.
    """
    try:
        if text.count("[") + text.count("{") > DEEPEST:
            _refuse_depth(text)
        return JsonText(_decode(text), ())
    except json.JSONDecodeError:
        return _read_slowly(text)


def _read_slowly(text: str) -> JsonText:
    notes = []
    if text.startswith(_BOM):
        text = text[1:]
        notes.append("dropped a byte order mark")
    inside = _unfenced(text.strip())
    if inside is not None:
        text = inside
        notes.append("dropped the Markdown fence around it")
    elif text.lstrip().startswith(_FENCE) and text.count(_FENCE) == 1:
        raise JsonTextError("the text is cut off inside a Markdown fence", cut_off=True)
    text = _mend(text, notes)
    try:
        return JsonText(_decode(text), tuple(notes))
    except json.JSONDecodeError as error:
        raise _explained(error, text) from None


def _unfenced(text: str) -> str | None:
    if not (text.startswith(_FENCE) and text.endswith(_FENCE)):
        return None
    inside = text[len(_FENCE) : -len(_FENCE)]
    language = _LANGUAGE.match(inside)
    return inside if language is None else inside[language.end() :]


def _mend(text: str, notes: list[str]) -> str:
    """Take out trailing commas and escape raw breaks; strings are tokens, so their insides are safe."""
    out: list[str] = []
    comma: int | None = None  # where in `out` a comma stands that may prove to be trailing
    before = ""  # the last token that is not blank
    commas = breaks = 0
    for token in _TOKEN.findall(text):
        if token[0] in _BLANK:
            out.append(token)
            continue
        if token == ",":
            comma = None if before in ("", ",", "[", "{", ":") else len(out)
        elif token in ("]", "}") and comma is not None and before == ",":
            out[comma] = ""
            commas += 1
        elif token[0] == '"' and _RAW_BREAKS.search(token):
            token = _RAW_BREAKS.sub(lambda found: _RAW[found[0]], token)
            breaks += 1
        out.append(token)
        before = token
    if commas:
        notes.append("dropped a trailing comma")
    if breaks:
        notes.append("read a raw line break or tab inside a text as part of it")
    return "".join(out)


def _explained(error: json.JSONDecodeError, text: str) -> JsonTextError:
    at = error.pos
    rest = text[at:].rstrip(_BLANK)
    if error.msg.startswith("Unterminated string") or not rest or _is_begun(rest):
        return JsonTextError("the text is cut off before the JSON ends", cut_off=True, at=at)
    if error.msg == "Extra data":
        return JsonTextError("there is more text after the JSON", at=at)
    if error.msg.startswith("Invalid \\"):
        if _BEGUN_ESCAPE.fullmatch(rest):
            return JsonTextError("the text is cut off before the JSON ends", cut_off=True, at=at)
        return JsonTextError("a backslash in a text must be written as \\\\", at=at)
    if error.msg.startswith("Invalid control"):
        return JsonTextError("a control character in a text must be escaped as \\u00XX", at=at)
    return JsonTextError(_what_is_wrong(error.msg, text, at), at=at)


def _what_is_wrong(complaint: str, text: str, at: int) -> str:
    """What to write instead, for the slips that models make."""
    if at == 0 and text[0] != "{":
        return "it does not begin with the object; write nothing but JSON"
    if text.startswith(("//", "/*", "#"), at):
        return "it has a comment"
    here, before = text[at], text[max(0, at - 1)]
    signed = here in ".+-" and text[at + 1 : at + 3].lstrip(".")[:1].isdigit()
    if signed or (before in _DIGITS and here in _ODD):
        return "numbers are written in decimal digits, as -0.5 or 27"
    if complaint.startswith("Expecting ',' delimiter"):
        if here in "]}":
            return "a bracket is closed that was not open"
        return 'a comma is missing, or a double quote in a text is not written as \\"'
    if complaint.startswith("Expecting ':' delimiter"):
        return "a colon is missing after a name"
    if here == ",":
        return "there is a comma too many"
    word = _WORD.match(text, at)
    if word is not None and word[0].lower() in _WORDS:
        return f"{word[0]} is not JSON; write true, false or null"
    if word is not None or here in _QUOTES or complaint.startswith("Expecting property name"):
        return "names and texts must stand in double quotes"
    return "it is not valid JSON"


def _is_begun(rest: str) -> bool:
    """Whether a number or one of JSON's three words stops half way at the end of the text."""
    if len(rest) > LONGEST_NUMBER or not _BEGUN.fullmatch(rest):
        return False
    if not rest.isalpha() or rest in "eE":
        return True
    return any(word.startswith(rest) for word in ("true", "false", "null"))


def _refuse_depth(text: str) -> None:
    depth = 0
    for found in _BRACKETS.finditer(text):
        token = found[0]
        if token in ("[", "{"):
            depth += 1
            if depth > DEEPEST:
                raise JsonTextError(f"it is nested deeper than {DEEPEST} levels", at=found.start())
        elif token in ("]", "}"):
            depth -= 1


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise JsonTextError(f"the key {json.dumps(key[:40])} is there twice")
            seen.add(key)
    return members


def _integer(text: str) -> int | NumberText:
    if len(text) > LONGEST_NUMBER:
        raise JsonTextError(f"a number has more than {LONGEST_NUMBER} digits")
    # Minus zero has no integer, but as a float or a text it is not zero.
    return NumberText(text) if text == "-0" else int(text)


def _number(text: str) -> NumberText:
    if len(text) > LONGEST_NUMBER:
        raise JsonTextError(f"a number has more than {LONGEST_NUMBER} digits")
    return NumberText(text)


def _constant(text: str) -> NoReturn:
    raise JsonTextError(f"{text} is not JSON; write a number or null")


_short = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=NumberText, parse_constant=_constant
)
_long = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_number, parse_constant=_constant
)


def _decode(text: str) -> Any:
    # Short texts without `-0`, which is no integer, need no hook for each integer.
    decoder = _long if len(text) > LONGEST_NUMBER or "-0" in text else _short
    if text.startswith("{"):  # as nearly all do: then no blanks are to be looked for
        value, end = decoder.raw_decode(text)
        if end == len(text):
            return value
    return decoder.decode(text)

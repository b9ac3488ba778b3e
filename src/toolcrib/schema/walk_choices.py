"""The walk over a finite list of values: enums, literals, `enum` and `const` of a schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Any

from toolcrib.lazy import lazy_pattern
from toolcrib.schema.explain import Path, nearest_first, shorten
from toolcrib.schema.marks import Mark
from toolcrib.schema.numbers import NumberText, decimal_of, float_of, number_in
from toolcrib.schema.walk import Findings, Walk, anything

__all__ = ["choice", "fold"]

_SEPARATORS = lazy_pattern(r"[\s_-]+")
_MOST_SHOWN = 40
_LONGEST = 200

_NOT_FOUND = object()


def choice(values: Sequence[Any], mark: Mark | None) -> Walk:
    """One of the values: by value, then by a member's name, then by a spelling that fits only one.

    Gives the Python member where the mark has one, otherwise the JSON value.
    """
    return _Choice(values, mark).walk


class _Choice:
    def __init__(self, values: Sequence[Any], mark: Mark | None) -> None:
        self.values = values
        members = mark.members if mark is not None and len(mark.members) == len(values) else values
        names = mark.names if mark is not None and members is not values else ()
        self.title = mark.title if mark is not None else ""
        self.open = mark is not None and mark.open
        self.exact: dict[Any, Any] = {}
        self.others: list[tuple[Any, Any]] = []
        for value, member in zip(values, members, strict=True):
            if isinstance(value, (list, dict)):
                self.others.append((value, member))
            else:
                self.exact.setdefault((type(value), value), member)
        self.named = {name: m for name, m in zip(names, members, strict=False) if name is not None}
        self.folded: dict[str, Any] = {}
        texts = [(v, m) for v, m in zip(values, members, strict=True) if isinstance(v, str)]
        self._fold([*texts, *self.named.items()])

    def _fold(self, spellings: Iterable[tuple[str, Any]]) -> None:
        for text, member in spellings:
            key = fold(text)
            if not key:
                continue
            if key in self.folded and self.folded[key] is not member:
                self.folded[key] = _NOT_FOUND  # fits two
            else:
                self.folded[key] = member

    def walk(self, value: Any, path: Path, found: Findings) -> Any:
        kind = type(value)
        if kind is NumberText:
            member = self.exact.get((float, float_of(value)), _NOT_FOUND)
        elif kind is not list and kind is not dict:
            member = self.exact.get((kind, value), _NOT_FOUND)
        else:
            plain = anything(value, path, Findings())
            member = next((m for v, m in self.others if _same(v, plain)), _NOT_FOUND)
        if member is not _NOT_FOUND:
            return member
        member = self._respelled(value)
        if member is not _NOT_FOUND:
            found.repair(path, f"read {shorten(value)} as {_show(member)}")
            return member
        if self.open:
            return anything(value, path, found)
        found.problem(path, "one of the allowed values", value, lambda: self._allowed(value))
        return value

    def _respelled(self, value: Any) -> Any:
        if isinstance(value, bool):
            return self.folded.get("true" if value else "false", _NOT_FOUND)
        if isinstance(value, (int, NumberText)):
            return self._by_number(value)
        if type(value) is not str or len(value) > _LONGEST:
            return _NOT_FOUND
        text = value.strip()
        member = self.exact.get((str, text), _NOT_FOUND)
        if member is _NOT_FOUND:
            member = self.named.get(text, _NOT_FOUND)
        if member is _NOT_FOUND:
            member = self.folded.get(fold(text), _NOT_FOUND)
        if member is _NOT_FOUND and self.title:
            member = self._qualified(text)
        if member is _NOT_FOUND and text == "null":
            member = self.exact.get((type(None), None), _NOT_FOUND)
        if member is _NOT_FOUND and text.lower() in ("true", "false"):
            member = self.exact.get((bool, text.lower() == "true"), _NOT_FOUND)
        if member is _NOT_FOUND:
            number = number_in(text)
            if number is not None:
                member = self._number_member(number)
        return member

    def _qualified(self, text: str) -> Any:
        """The member that `Color.RED` means, in any spelling."""
        title, dot, rest = text.partition(".")
        if not dot or fold(title) != fold(self.title):
            return _NOT_FOUND
        member = self.named.get(rest, _NOT_FOUND)
        return self.folded.get(fold(rest), _NOT_FOUND) if member is _NOT_FOUND else member

    def _by_number(self, value: int | NumberText) -> Any:
        member = self._number_member(value)
        if member is _NOT_FOUND:
            # A text such as "1.10", given as the number with exactly that literal.
            member = self.exact.get((str, str(value)), _NOT_FOUND)
        return member

    def _number_member(self, number: int | NumberText) -> Any:
        wanted = decimal_of(number)
        for (kind, value), member in self.exact.items():
            if kind is int and wanted == value:
                return member
            if kind is float and wanted is not None and float(wanted) == value:
                return member
        return _NOT_FOUND

    def _allowed(self, value: Any) -> tuple[str, ...]:
        shown = list(dict.fromkeys(shorten(allowed) for allowed in self.values))
        if len(shown) > _MOST_SHOWN and isinstance(value, str):
            return nearest_first(shorten(value), shown)
        return tuple(shown[:_MOST_SHOWN])


def fold(text: str) -> str:
    """A text without case, blanks, `_` and `-`."""
    return _SEPARATORS.sub("", text.casefold())


def _show(member: Any) -> str:
    return f"{type(member).__name__}.{member.name}" if isinstance(member, Enum) else shorten(member)


def _same(left: Any, right: Any) -> bool:
    """Equality of JSON, where true is not 1 (but 1 is 1.0)."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    return bool(left == right)

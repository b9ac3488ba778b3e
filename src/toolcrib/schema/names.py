"""Tool names as a provider takes them, and back, through a stored map."""

from __future__ import annotations

from collections.abc import Iterable

from toolcrib.lazy import lazy_pattern

__all__ = ["WireNames"]

_ILLEGAL = lazy_pattern(r"[^A-Za-z0-9_-]")
_LONGEST = 64


class WireNames:
    """Maps names to `[A-Za-z0-9_-]{1,64}` and back. The same names always give the same map.

    A name that is legal keeps itself; another is changed where it must be, and made unique. A name
    that was never sent comes back as it is, so that the loop can answer it.
    """

    __slots__ = ("_from_wire", "_to_wire")

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._to_wire: dict[str, str] = {}
        self._from_wire: dict[str, str] = {}
        listed = list(dict.fromkeys(names))
        taken = {name for name in listed if _legal(name) == name}
        for name in listed:
            wire = name if name in taken else _free(_legal(name), taken)
            taken.add(wire)
            if wire != name:
                self._to_wire[name] = wire
                self._from_wire[wire] = name

    def to_wire(self, name: str) -> str:
        """The legal form of a name; also of one that is no longer listed, as in old messages."""
        wire = self._to_wire.get(name)
        return _legal(name) if wire is None else wire

    def from_wire(self, wire: str) -> str:
        """The name behind a legal form."""
        return self._from_wire.get(wire, wire)


def _legal(name: str) -> str:
    return _ILLEGAL.sub("_", name)[:_LONGEST] or "_"


def _free(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 1
    while name in taken:
        number += 1
        ending = f"_{number}"
        name = wanted[: _LONGEST - len(ending)] + ending
    return name

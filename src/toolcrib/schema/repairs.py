"""The note of one repair."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Repair"]


@dataclass(frozen=True, slots=True)
class Repair:
    """One thing that was spelled oddly but meant exactly one thing, and how it was read."""

    path: str
    note: str

"""The note of one repair."""

from __future__ import annotations

from toolcrib.values import value

__all__ = ["Repair"]


@value
class Repair:
    """One thing that was spelled oddly but meant exactly one thing, and how it was read."""

    path: str
    note: str

"""Argument text → checked values: parse, repair, validate, explain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

__all__ = ["ReadArguments", "Repair"]


@dataclass(frozen=True, slots=True)
class Repair:
    """One thing that was spelled oddly but meant exactly one thing, and how it was read."""

    path: str
    note: str


class ReadArguments(NamedTuple):
    """What a model's argument text means."""

    values: dict[str, Any]
    """By Python parameter name, with defaults filled in; by JSON key for a hand-written schema."""
    repairs: tuple[Repair, ...]

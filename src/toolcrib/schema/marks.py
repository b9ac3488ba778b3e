"""What JSON Schema cannot say about a Python type, kept under one private key until emission."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal, TypeAlias

from toolcrib.values import value

__all__ = ["MARK", "Mark", "MarkKind", "strip_marks"]

MARK = "x-toolcrib"
"""The private key. Its value is a `Mark`, never JSON."""

MarkKind: TypeAlias = Literal[
    "bytes",
    "date",
    "datetime",
    "decimal",
    "duration",
    "enum",
    "named_tuple",
    "object",
    "opaque",
    "time",
    "uuid",
]


@value
class Mark:
    """One note about a node of a schema."""

    kind: MarkKind
    """`opaque`: users' code reads the value, so it is handed over as it came."""
    members: tuple[Any, ...] = ()
    """Of an enum or literal: the Python values, beside those of `enum` or `const`."""
    names: tuple[str | None, ...] = ()
    """Of an enum: the members' names; of a named tuple: its fields."""
    title: str = ""
    """Of an enum: its class name, since models write `Color.RED`."""
    open: bool = False
    """Of an enum: its class can make members of other values (`_missing_`)."""
    also: Mapping[str, str] = field(default_factory=dict)
    """Of an object: other names of its properties → the property."""
    keys: Any = None
    """Of a mapping: the marked schema of its keys, when they are not plain text."""
    keeps_unknown: bool = False
    """Of an object: unknown keys are kept; otherwise they are dropped, with a note."""

    def __hash__(self) -> int:
        return hash(self.kind)

    def __deepcopy__(self, memo: object) -> Mark:
        return self


def strip_marks(schema: Any) -> Any:
    """A copy of a schema without private keys: what may be shown."""
    if isinstance(schema, dict):
        return {
            key: strip_marks(value) if isinstance(value, (dict, list)) else value
            for key, value in schema.items()
            if key != MARK
        }
    if isinstance(schema, list):
        return [strip_marks(item) for item in schema]
    return schema

"""Finds dialects by name, through entry points, so that others can add theirs."""

from __future__ import annotations

from functools import cache

from toolcrib.dialects.dialect import Dialect
from toolcrib.errors import ConfigurationError

__all__ = ["find_dialect"]

_GROUP = "toolcrib.dialects"


@cache
def find_dialect(name: str) -> Dialect:
    """The dialect of that name. Raises `ConfigurationError` naming the known ones."""
    from importlib.metadata import entry_points  # on first use: it is slow to import

    found = entry_points(group=_GROUP)
    for entry in found:
        if entry.name == name:
            dialect: Dialect = entry.load()
            return dialect
    known = ", ".join(sorted({entry.name for entry in found})) or "none"
    raise ConfigurationError(f"There is no dialect named {name!r}. Known dialects: {known}.")

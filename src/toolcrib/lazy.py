"""Modules that are loaded when they are first used: importing the library stays cheap."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["lazy_module"]


class _LazyModule:
    """Loads on the first attribute; what was asked for once is found at once from then on."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        found = getattr(importlib.import_module(self._name), attribute)
        setattr(self, attribute, found)
        return found


def lazy_module(name: str) -> Any:
    """The module `name`, not yet loaded. For what asyncio brings along: a quarter of an import.

    Write `if TYPE_CHECKING: import asyncio` and `else: asyncio = lazy_module("asyncio")`, so that
    type checkers see the module itself.
    """
    return _LazyModule(name)

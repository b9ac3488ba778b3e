"""What is made when it is first used, so that importing the library stays cheap: modules, patterns."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from functools import partial
from typing import Any

__all__ = ["lazy_module", "lazy_pattern"]


class _Lazy:
    """Made on the first attribute; what was asked for once is found at once from then on."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    def __getattr__(self, attribute: str) -> Any:
        found = getattr(self._make(), attribute)
        setattr(self, attribute, found)
        return found


def lazy_module(name: str) -> Any:
    """The module `name`, not yet loaded. For what asyncio brings along: a quarter of an import.

    Write `if TYPE_CHECKING: import asyncio` and `else: asyncio = lazy_module("asyncio")`, so that
    type checkers see the module itself.
    """
    return _Lazy(partial(importlib.import_module, name))


def lazy_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """The regular expression, not yet compiled: that takes longer than to match it a thousand times."""
    lazy: Any = _Lazy(partial(re.compile, pattern, flags))
    made: re.Pattern[str] = lazy
    return made

"""What is made when it is first used, so that importing the library stays cheap."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

__all__ = ["Lazy", "lazy_pattern"]


class Lazy:
    """Made on the first attribute; what was asked for once is found at once from then on."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    def __getattr__(self, attribute: str) -> Any:
        found = getattr(self._make(), attribute)
        setattr(self, attribute, found)
        return found


def lazy_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """The regular expression, not yet compiled: that takes longer than to match it a thousand times."""
    lazy: Any = Lazy(partial(re.compile, pattern, flags))
    made: re.Pattern[str] = lazy
    return made

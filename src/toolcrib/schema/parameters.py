"""One parameter of a tool as the rest of `schema/` needs it, whatever function it came from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Parameter"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter that the model fills.

    `annotation` is the type without descriptions and `Param`, with constraints kept. `make_default`
    gives the value of an absent argument, fresh for each call; None when there is no default.
    """

    name: str
    """As the model sees it."""
    python_name: str
    """As the function spells it."""
    annotation: Any
    required: bool
    nullable: bool
    description: str | None = None
    make_default: Callable[[], Any] | None = None

"""What a tool parameter is: as the rest of `schema/` needs it, and as an author may describe it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from toolcrib.values import value

__all__ = ["MISSING", "Param", "Parameter"]


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = _Missing()
"""Says that nothing was given, where None would be a value."""


@value
class Parameter:
    """A parameter that the model fills.

    `annotation` is the type without descriptions and `Param`, with constraints kept. `make_default`
    gives the value of an absent argument, fresh for each call; None when there is no default. A
    parameter that is neither required nor nullable and has no default is left out when absent.
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


# No equality: Python gives equal `Annotated` types back as one, and 1 == True == 1.0.
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Param:
    """What a signature cannot say about a parameter: `Annotated[int, Param(description="days ahead")]`.

    `name` is the name that the model sees. `default` is a Python value (never parsed from text),
    shown to the model and fresh for each call. `required=False` makes a nullable parameter optional,
    which it already is unless it says `required=True`; a default always makes it optional.
    """

    name: str | None = None
    description: str | None = None
    default: Any = MISSING
    required: bool | None = None

"""What a person or a hook may decide about a call before it runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from toolcrib.values import value

__all__ = ["Answer", "Approve", "Decision", "Deny", "Edit"]


@value
class Approve:
    """Run it as it is."""


@value
class Deny:
    """Do not run it; the model is told `text`."""

    text: str = "This call was not allowed."


@value
class Edit:
    """Run it with these arguments instead (JSON values, read and validated like the model's own)."""

    arguments: Mapping[str, Any]


@value
class Answer:
    """Do not run it; `value` is its result."""

    value: Any


Decision: TypeAlias = Approve | Deny | Edit | Answer

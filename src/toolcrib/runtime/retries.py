"""When a failed attempt of an idempotent tool is worth another."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from toolcrib.errors import ToolError
from toolcrib.tools.signals import Signal

__all__ = ["retrying"]


def retrying(attempts: int) -> AsyncIterator[Any]:
    """Attempts, with growing pauses between them, at any exception that is not meant for the model."""
    import logging  # on first use, both: the face stays light

    import stamina

    # It tells of each retry; in a program that configured no logging that would end on stderr.
    if not logging.getLogger("stamina").handlers:
        logging.getLogger("stamina").addHandler(logging.NullHandler())
    return stamina.retry_context(on=_worth_another, attempts=attempts, timeout=None).__aiter__()


def _worth_another(error: Exception) -> bool:
    return not isinstance(error, ToolError | Signal)

"""Hands events to whoever watches; a watcher that fails disturbs nobody."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from toolcrib.logs import logger
from toolcrib.loop.events import Event

__all__ = ["emitter"]


def emitter(
    observers: Sequence[Callable[[Event], None]], sink: Callable[[Event], None] | None
) -> Callable[[Event], None] | None:
    """One function that tells all of them; None when nobody watches, so that no event is made."""
    if not observers:
        return sink

    def emit(event: Event) -> None:
        for observer in observers:
            try:
                observer(event)
            except Exception:
                logger("observers").exception("an observer failed at %s", type(event).__name__)
        if sink is not None:
            sink(event)

    return emit

"""How long to wait for a server, and when to ask it again: values and arithmetic, nothing that waits."""

from __future__ import annotations

from dataclasses import dataclass

from toolcrib.errors import ConfigurationError, ModelError

__all__ = ["Retries", "Timeout"]

_LONGEST_ASKED = 60.0
"""Seconds; a server that asks for more is told of at once, for people to decide."""


@dataclass(frozen=True, slots=True)
class Timeout:
    """Seconds to wait; None waits for ever. Raises `ConfigurationError` for what is not above 0."""

    total: float | None = 600.0
    """For the whole of one request: all its attempts, the waits between them, and its stream."""
    connect: float | None = 10.0
    """For a connection."""
    read: float | None = 300.0
    """For the next bytes of an answer; a model that does not stream is silent while it thinks."""

    def __post_init__(self) -> None:
        for seconds in (self.total, self.connect, self.read):
            if seconds is not None and not seconds > 0:
                raise ConfigurationError(f"A timeout must be above 0 seconds, not {seconds!r}.")


@dataclass(frozen=True, slots=True)
class Retries:
    """How often, and after what time, a request is sent again that failed before anything came.

    Only for what may pass: no connection, a connection that broke, status 408, 409, 429 and 5xx
    (unless the server says otherwise). Waits are drawn from 0 up to a bound that doubles each time,
    unless the server names its own.
    """

    times: int = 3
    """How often it is sent again, at most."""
    first_wait: float = 0.5
    """The bound of the first wait, in seconds."""
    longest_wait: float = 20.0
    """What the bound does not grow beyond, in seconds."""

    def __post_init__(self) -> None:
        if self.times < 0 or self.first_wait < 0 or self.longest_wait < 0:
            raise ConfigurationError(f"Retries cannot be negative: {self!r}.")

    def wait(self, failed: int, error: ModelError, chance: float, left: float) -> float | None:
        """Seconds to wait before the next attempt, or None when there is to be none.

        `failed` counts the attempts so far, `chance` is drawn from [0, 1), and `left` is the time
        until the request must have ended.
        """
        if not error.retryable or failed > self.times:
            return None
        if error.retry_after is not None:
            seconds = max(0.0, error.retry_after)
            if seconds > _LONGEST_ASKED:
                return None
        else:
            doubled = self.first_wait * 2.0 ** min(failed - 1, 32)
            seconds = chance * min(doubled, self.longest_wait)
        return seconds if seconds < left else None

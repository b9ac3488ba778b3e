"""What the author of a tool may raise on purpose to steer the run; signals are not errors."""

from __future__ import annotations

from typing import Any

__all__ = ["FatalToolError", "RetryCall", "ReturnNow", "Signal"]


class Signal(Exception):
    """Base of everything that a tool raises to steer the run."""


class RetryCall(Signal):
    """The model should call again, differently; `text` tells it how. Nothing happened so far."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class FatalToolError(Signal):
    """The run must end now: the round is written, then the caller gets a `RunAborted`."""

    def __init__(self, text: str = "The tool ended the run.") -> None:
        super().__init__(text)
        self.text = text


class ReturnNow(Signal):
    """The call succeeded with `value`, and the run ends after this round, without asking the model.

    If another call of the round failed, the run goes on, so that the model learns of it.
    """

    def __init__(self, value: Any = None) -> None:
        super().__init__(value)
        self.value = value

"""How long a run may go on, and how much of that is used up."""

from __future__ import annotations

import json
from dataclasses import fields

from pydantic_core import from_json

from toolcrib.errors import ConfigurationError
from toolcrib.messages import ToolCall
from toolcrib.values import record, setting

__all__ = ["Limits", "Repeats", "Tally"]


@setting
class Limits:
    """Bounds of one run; None switches a bound off. A run that meets one ends with `limit:<which>`.

    When no further request is allowed, the calls of the last reply are not run: each is answered
    so, and the history stays valid. Raises `ConfigurationError` for a bound that makes no sense.
    """

    model_calls: int | None = 50
    """Requests to the model; five calls in one reply count once."""
    tool_calls: int | None = None
    """Calls that may be run; a round that would go beyond is not run at all."""
    tokens: int | None = None
    """Input and output tokens of all requests, as the provider counts them."""
    seconds: float | None = None
    """Time from start to end; what is running then is cancelled."""
    repeat: int | None = 3
    """Rounds in a row that may ask for exactly the same calls."""
    result_bytes: int | None = 32_768
    """UTF-8 bytes of one result that the model is shown; the rest is read with `read_result`."""

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self)):
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ConfigurationError(
                    f"Limits({name}=...) must be a number or None, not {value!r}."
                )
            least = _LEAST.get(name, 0)
            if not value >= least:
                raise ConfigurationError(
                    f"Limits({name}={value!r}) must be at least {least}; None switches it off."
                )


_LEAST = {"repeat": 1, "result_bytes": 1_024}


@record
class Tally:
    """What a run has used so far."""

    model_calls: int = 0
    tool_calls: int = 0
    tokens: int = 0

    def exhausted(self, limits: Limits) -> str | None:
        """The bound that forbids another request, in the order of `Limits`."""
        if limits.model_calls is not None and self.model_calls >= limits.model_calls:
            return "model_calls"
        if limits.tokens is not None and self.tokens >= limits.tokens:
            return "tokens"
        return None


class Repeats:
    """Counts how many rounds in a row asked for exactly the same calls."""

    __slots__ = ("_last", "count")

    def __init__(self) -> None:
        self._last: tuple[ToolCall, ...] = ()
        self.count = 0

    def seen(self, calls: tuple[ToolCall, ...]) -> int:
        """Take note of a round's calls; the number of rounds in a row, this one included."""
        same = len(calls) == len(self._last) and all(map(_same, calls, self._last))
        self._last = calls
        self.count = self.count + 1 if same else 1
        return self.count


def _same(a: ToolCall, b: ToolCall) -> bool:
    if a.name != b.name:
        return False
    if a.arguments == b.arguments:
        return True
    try:
        if from_json(a.arguments) != from_json(b.arguments):
            return False
        # 1, 1.0 and true are equal, but not the same.
        return _canonical(a.arguments) == _canonical(b.arguments)
    except (ValueError, RecursionError):  # no JSON, or none that anybody wants to compare
        return False


def _canonical(arguments: str) -> str:
    return json.dumps(json.loads(arguments), sort_keys=True)

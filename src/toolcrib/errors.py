"""Every error of the library, by whose fault it is; they carry plain data only.

ToolcribError
├── ConfigurationError        the programmer's: raised while building, or before a run has begun
├── ToolError                 one call's: its text is safe to show to the model; authors raise it too
│   ├── UnknownToolError      the model asked for a tool that does not exist
│   ├── ToolArgumentsError    the model's arguments do not fit; holds every problem at once
│   ├── ToolTimeoutError      the tool took longer than it may
│   └── ToolCrashedError      the tool raised something else; the text is redacted, the cause is chained
└── ModelError                the provider's: HTTP status, its own words, whether a retry may help
"""

from __future__ import annotations

from collections.abc import Sequence

from toolcrib.values import value

__all__ = [
    "ConfigurationError",
    "ModelError",
    "Problem",
    "QuotedCall",
    "ToolArgumentsError",
    "ToolCrashedError",
    "ToolError",
    "ToolTimeoutError",
    "ToolcribError",
    "UnknownToolError",
]


class ToolcribError(Exception):
    """Base of every error that this library raises on purpose."""


class ConfigurationError(ToolcribError):
    """Something was declared or combined wrongly; the message says what to write instead."""


class ToolError(ToolcribError):
    """A call failed, in words that the model may read.

    Raise it inside a tool to tell the model why the call failed: the text reaches the model as it
    is. Any other exception of a tool is told in redacted form.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class UnknownToolError(ToolError):
    """The model called a tool that does not exist or is no longer available."""

    def __init__(self, text: str, *, tool: str, nearest: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.tool = tool
        self.nearest = tuple(nearest)


@value
class Problem:
    """One thing wrong with the arguments of a call."""

    path: str
    """Where, as `order.items[0].qty`; empty for the arguments as a whole."""
    expected: str
    """What would have been right, in words."""
    received: str | None = None
    """What came, as shortened JSON text; None when nothing came."""
    allowed: tuple[str, ...] = ()
    """The allowed values as JSON texts, or the allowed names, when there is a finite list."""

    def __str__(self) -> str:
        where = f"{self.path}: " if self.path else ""
        got = "missing" if self.received is None else f"got {self.received}"
        allowed = f" (allowed: {', '.join(self.allowed)})" if self.allowed else ""
        return f"{where}{got}; expected {self.expected}{allowed}"


class ToolArgumentsError(ToolError):
    """The arguments of a call do not fit the tool; lists every problem, in the order of the schema."""

    def __init__(self, tool: str, problems: Sequence[Problem]) -> None:
        lines = "".join(f"\n- {problem}" for problem in problems)
        super().__init__(
            f"The arguments for tool '{tool}' were not accepted, and it was not run:{lines}\n"
            "Correct this and call the tool again."
        )
        self.tool = tool
        self.problems = tuple(problems)


class ToolTimeoutError(ToolError):
    """A tool did not finish in time; whether it had an effect is unknown."""

    def __init__(self, tool: str, seconds: float) -> None:
        super().__init__(
            f"Tool '{tool}' did not finish within {seconds:g} seconds. "
            "It may or may not have had an effect."
        )
        self.tool = tool
        self.seconds = seconds


class ToolCrashedError(ToolError):
    """A tool raised an unexpected exception, chained as `__cause__`; the text is redacted."""

    def __init__(self, text: str, *, tool: str) -> None:
        super().__init__(text)
        self.tool = tool


@value
class QuotedCall:
    """A call that a provider refused but quoted in its error; never executed as it is."""

    name: str
    arguments: str


class ModelError(ToolcribError):
    """The provider refused, failed, or answered with something that cannot be read.

    `status` is the HTTP status (None when there was no answer), `code` the provider's own code,
    `retry_after` the seconds it asked to wait, `excerpt` the beginning of its answer.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str | None = None,
        retryable: bool = False,
        retry_after: float | None = None,
        request_id: str | None = None,
        excerpt: str | None = None,
        quoted_calls: Sequence[QuotedCall] = (),
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.retryable = retryable
        self.retry_after = retry_after
        self.request_id = request_id
        self.excerpt = excerpt
        self.quoted_calls = tuple(quoted_calls)

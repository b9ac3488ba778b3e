"""The one door to a model: what is asked, what comes back, and the pieces in between."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import field, fields
from operator import attrgetter
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from toolcrib.messages import AssistantMessage, Message, ToolCall
from toolcrib.tools.definition import ToolDefinition
from toolcrib.values import value

__all__ = [
    "ChatModel",
    "ChatReply",
    "ChatRequest",
    "Delta",
    "FinishReason",
    "NamedTool",
    "Settings",
    "TextDelta",
    "ThinkingDelta",
    "ToolCallDelta",
    "ToolCallReady",
    "ToolChoice",
    "Usage",
]

FinishReason: TypeAlias = Literal[
    "stop", "tool_calls", "length", "content_filter", "refusal", "pause", "error", "unknown"
]


@value
class NamedTool:
    """A tool choice that forces one tool."""

    name: str


ToolChoice: TypeAlias = Literal["auto", "none", "required"] | NamedTool


@value
class Settings:
    """How the model should answer; None leaves it to the model or the provider."""

    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] | None = None
    parallel_tool_calls: bool | None = None
    extra_body: Mapping[str, Any] | None = None
    """Further keys of the request body, as the provider spells them."""

    def over(self, other: Settings) -> Settings:
        """These settings, and those of `other` where these leave it open."""
        return Settings(
            **{
                f.name: getattr(other, f.name) if (own := getattr(self, f.name)) is None else own
                for f in fields(self)
            }
        )


@value
class ChatRequest:
    """What the model is asked. `tools` keeps its identity while nothing in it changes."""

    messages: Sequence[Message]
    instructions: str | None = None
    tools: tuple[ToolDefinition, ...] = ()
    tool_choice: ToolChoice = "auto"
    stream: bool = False
    """Whether deltas are wanted; the reply is the same either way."""
    response_schema: Mapping[str, Any] | None = None
    """A JSON Schema for the text of the answer, where the provider can hold the model to one."""
    settings: Settings = Settings()


@value
class Usage:
    """Tokens, exactly as the provider counts them; None where it says nothing."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None

    def __add__(self, other: Usage) -> Usage:
        return Usage.total((self, other))

    @classmethod
    def total(cls, usages: Iterable[Usage]) -> Usage:
        """The sum of several; None where none of them says anything."""
        return cls(*map(_sum, zip(*map(_counts, usages), strict=True)))

    @property
    def tokens(self) -> int:
        """All tokens: the provider's total, or else input and output."""
        if self.total_tokens is not None:
            return self.total_tokens
        return (self.input_tokens or 0) + (self.output_tokens or 0)


_counts = attrgetter(*(one.name for one in fields(Usage)))


def _sum(counts: tuple[int | None, ...]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


@value
class ChatReply:
    """One finished reply of a model."""

    message: AssistantMessage
    finish_reason: FinishReason = "stop"
    usage: Usage = Usage()
    finish_reason_raw: str | None = None
    model: str | None = None
    id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@value
class TextDelta:
    """The next piece of the answer's text."""

    text: str


@value
class ThinkingDelta:
    """The next piece of what the model thinks."""

    text: str


@value
class ToolCallDelta:
    """The next piece of a call; `index` counts the calls of the reply from 0."""

    index: int
    id: str | None
    name: str | None
    arguments: str
    """The next fragment of the argument text, not all of it so far."""


@value
class ToolCallReady:
    """A call is complete, though the reply may not be."""

    index: int
    call: ToolCall


Delta: TypeAlias = TextDelta | ThinkingDelta | ToolCallDelta | ToolCallReady


@runtime_checkable
class ChatModel(Protocol):
    """Anything that can answer a request.

    `reply` gives deltas if `request.stream`, then the finished reply, last and exactly once. Whoever
    iterates it closes it, in the same task. Raises `ModelError`.
    """

    @property
    def name(self) -> str:
        """How the model is called in transcripts and events."""
        ...

    def reply(self, request: ChatRequest) -> AsyncGenerator[Delta | ChatReply, None]:
        """Answer one request."""
        ...

    async def close(self) -> None:
        """End the connections that belong to the running event loop."""
        ...

"""What every dialect can do; one module (or folder) per dialect implements it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from toolcrib.chat import ChatReply, ChatRequest, Delta
from toolcrib.errors import ModelError
from toolcrib.messages import Message
from toolcrib.schema.names import WireNames
from toolcrib.tools.definition import ToolDefinition

__all__ = ["Dialect", "StreamDecoder"]


class StreamDecoder(Protocol):
    """Puts one streamed reply together."""

    def feed(self, event: Mapping[str, Any]) -> Sequence[Delta]:
        """Take the next decoded event; what is new for people who watch. Raises `ModelError`."""
        ...

    def finish(self, *, broken: bool = False) -> ChatReply:
        """The whole reply. With `broken` the stream ended before its time: open calls are cut off."""
        ...


class Dialect(Protocol):
    """A wire dialect. Names on the wire are mapped by the `WireNames` of the tools that were sent."""

    @property
    def name(self) -> str:
        """As in `Toolbox.definitions("openai-chat")`."""
        ...

    def encode_tools(
        self, tools: Sequence[ToolDefinition], names: WireNames, *, strict: bool | None = None
    ) -> list[dict[str, Any]]:
        """The definitions as this dialect spells them; `strict` where a definition leaves it open.

        Raises `ConfigurationError` for a definition that asks for it and has no strict form.
        """
        ...

    def encode_messages(
        self, messages: Sequence[Message], names: WireNames
    ) -> list[dict[str, Any]]:
        """Messages as this dialect spells them, in order."""
        ...

    def encode(
        self, request: ChatRequest, model: str, names: WireNames, *, strict: bool | None = None
    ) -> dict[str, Any]:
        """A whole request body, the messages last; `strict` as in `encode_tools`."""
        ...

    def decode(self, body: Mapping[str, Any], names: WireNames) -> ChatReply:
        """A whole reply. Raises `ModelError` when it is an error, or no reply at all."""
        ...

    def stream(self, names: WireNames) -> StreamDecoder:
        """A decoder for one streamed reply."""
        ...

    def error(self, status: int, headers: Mapping[str, str], body: bytes) -> ModelError:
        """What an HTTP error says."""
        ...

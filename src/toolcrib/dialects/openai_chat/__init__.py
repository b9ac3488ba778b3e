"""OpenAI's Chat Completions, as OpenAI and the many servers that are compatible with it speak them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolcrib.chat import ChatReply, ChatRequest
from toolcrib.dialects.openai_chat import body, decode, errors, messages, stream, tools
from toolcrib.dialects.openai_chat.extras import NAME
from toolcrib.errors import ModelError
from toolcrib.messages import Message
from toolcrib.schema.names import WireNames
from toolcrib.tools.definition import ToolDefinition

__all__ = ["DIALECT", "OpenAIChatDialect"]


class OpenAIChatDialect:
    """The `Dialect` named `openai-chat`. It has no state, so one serves everybody."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """`openai-chat`."""
        return NAME

    def encode_tools(
        self, tools_: Sequence[ToolDefinition], names: WireNames, *, strict: bool | None = None
    ) -> list[dict[str, Any]]:
        """See `Dialect`. Raises `ConfigurationError` for a strict tool that has no strict form."""
        return tools.encode_tools(tools_, names, strict)

    def encode_messages(
        self, messages_: Sequence[Message], names: WireNames
    ) -> list[dict[str, Any]]:
        """See `Dialect`. Results of one reply must come together, as they do in every request."""
        return messages.encode_messages(messages_, names)

    def encode(
        self, request: ChatRequest, model: str, names: WireNames, *, strict: bool | None = None
    ) -> dict[str, Any]:
        """See `Dialect`."""
        return body.encode(request, model, names, strict)

    def decode(self, body: Mapping[str, Any], names: WireNames) -> ChatReply:
        """See `Dialect`."""
        return decode.decode(body, names)

    def stream(self, names: WireNames) -> stream.OpenAIChatStream:
        """See `Dialect`."""
        return stream.OpenAIChatStream(names)

    def error(self, status: int, headers: Mapping[str, str], body: bytes) -> ModelError:
        """See `Dialect`."""
        return errors.http_error(status, headers, body)


DIALECT = OpenAIChatDialect()

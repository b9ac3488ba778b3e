"""OpenAI's Chat Completions, as OpenAI and the many servers that are compatible with it speak them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolcrib.chat import ChatReply, ChatRequest
from toolcrib.dialects.dialect import Dialect
from toolcrib.dialects.openai_chat.body import encode
from toolcrib.dialects.openai_chat.decode import decode
from toolcrib.dialects.openai_chat.errors import http_error
from toolcrib.dialects.openai_chat.extras import NAME
from toolcrib.dialects.openai_chat.messages import encode_messages
from toolcrib.dialects.openai_chat.stream import OpenAIChatStream
from toolcrib.dialects.openai_chat.tools import encode_tools
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
        self, tools: Sequence[ToolDefinition], names: WireNames, *, strict: bool | None = None
    ) -> list[dict[str, Any]]:
        """See `Dialect`. Raises `ConfigurationError` for a strict tool that has no strict form."""
        return encode_tools(tools, names, strict)

    def encode_messages(
        self, messages: Sequence[Message], names: WireNames
    ) -> list[dict[str, Any]]:
        """See `Dialect`. Results of one reply must come together, as they do in every request."""
        return encode_messages(messages, names)

    def encode(
        self, request: ChatRequest, model: str, names: WireNames, *, strict: bool | None = None
    ) -> dict[str, Any]:
        """See `Dialect`."""
        return encode(request, model, names, strict)

    def decode(self, body: Mapping[str, Any], names: WireNames) -> ChatReply:
        """See `Dialect`."""
        return decode(body, names)

    def stream(self, names: WireNames) -> OpenAIChatStream:
        """See `Dialect`."""
        return OpenAIChatStream(names)

    def error(self, status: int, headers: Mapping[str, str], body: bytes) -> ModelError:
        """See `Dialect`."""
        return http_error(status, headers, body)


DIALECT: Dialect = OpenAIChatDialect()

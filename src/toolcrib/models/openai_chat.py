"""Models behind OpenAI Chat Completions: OpenAI's own, and every server that is compatible with it."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from toolcrib.chat import ChatReply, ChatRequest, Delta, Settings
from toolcrib.dialects.openai_chat import DIALECT
from toolcrib.errors import ConfigurationError
from toolcrib.models.bodies import Bodies
from toolcrib.schema.names import WireNames
from toolcrib.wire.exchange import Exchange
from toolcrib.wire.http import ApiKey, Http
from toolcrib.wire.timing import Retries, Timeout

if TYPE_CHECKING:
    import httpx2

__all__ = ["OpenAIChat", "from_string"]

_OPENAI = "https://api.openai.com/v1"
_KEY = "OPENAI_API_KEY"
_URL = "OPENAI_BASE_URL"


class OpenAIChat:
    """A model that speaks OpenAI Chat Completions.

    >>> OpenAIChat("gpt-5-mini")
    >>> OpenAIChat("qwen3", base_url="http://127.0.0.1:11434/v1")

    Without `base_url` it is the server of `OPENAI_BASE_URL`, or else OpenAI's own. `OPENAI_API_KEY`
    is sent to these two only: a key for a server that is named here is named here too, with
    `api_key` (a text, or a function that gives one for each request, async or not). `settings` hold
    where a request leaves them open; `strict` holds for tools that leave it open. `timeout` as a
    number is the total in seconds, `retries` as a number how often at most. A `client` that is handed
    in is used as it is, and never closed. Raises `ConfigurationError`.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: ApiKey | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: Timeout | float = 600.0,
        retries: Retries | int = 3,
        settings: Settings = Settings(),
        strict: bool | None = None,
        client: httpx2.AsyncClient | None = None,
    ) -> None:
        if not model:
            raise ConfigurationError("Which model? Write its name, such as 'gpt-5-mini'.")
        address = base_url or os.environ.get(_URL) or _OPENAI
        http = Http(
            address,
            api_key=_api_key(address, api_key),
            headers=headers,
            timeout=timeout if isinstance(timeout, Timeout) else Timeout(total=timeout),
            client=client,
        )
        self._model = model
        self._http = http
        self._exchange = Exchange(
            http, DIALECT, retries if isinstance(retries, Retries) else Retries(times=retries)
        )
        self._settings = settings
        self._strict = strict
        self._is_openai = _origin(address) == _origin(_OPENAI)
        self._bodies = Bodies(self._encode, DIALECT.encode_messages)

    @property
    def name(self) -> str:
        """The model's name, as the server knows it."""
        return self._model

    def reply(self, request: ChatRequest) -> AsyncGenerator[Delta | ChatReply, None]:
        """Answer one request. Raises `ModelError`."""
        body, names = self._bodies.body(request)
        return self._exchange.ask("/chat/completions", body, names)

    async def close(self) -> None:
        """End the connections of the running event loop; a later request opens new ones."""
        await self._http.close()

    def _encode(self, request: ChatRequest, names: WireNames) -> dict[str, Any]:
        request = replace(request, settings=request.settings.over(self._settings))
        body = DIALECT.encode(request, self._model, names, strict=self._strict)
        if self._is_openai and "max_tokens" in body:
            # OpenAI's newer models refuse the old word, which is all that most other servers know
            body["max_completion_tokens"] = body.pop("max_tokens")
        return body

    def __repr__(self) -> str:
        return f"OpenAIChat({self._model!r}, host={self._http.host!r})"


def from_string(name: str, **options: Any) -> OpenAIChat:
    """The model that `openai:name` means."""
    return OpenAIChat(name, **options)


def _api_key(address: str, given: ApiKey | None) -> ApiKey | None:
    """A key of the environment goes to the servers that it is meant for, and to no other."""
    if given:
        return given
    own = {_origin(_OPENAI), _origin(os.environ.get(_URL) or _OPENAI)}
    if _origin(address) not in own:
        return None
    key = os.environ.get(_KEY)
    if not key and _origin(address) == _origin(_OPENAI):
        raise ConfigurationError(
            f"OpenAI wants a key: set the environment variable {_KEY}, or pass api_key=. "
            "For a server of your own pass base_url=."
        )
    return key


def _origin(address: str) -> tuple[str, str]:
    try:
        parts = urlsplit(address)
    except ValueError:
        return "", address  # nobody's; it is refused where it is to be used
    return parts.scheme.lower(), parts.netloc.rpartition("@")[2].lower()

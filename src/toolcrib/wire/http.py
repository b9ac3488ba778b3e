"""Posts bytes to one server and reads what comes back; every fault of the wire is a `ModelError`."""

from __future__ import annotations

import inspect
from base64 import b64encode
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, NoReturn, TypeAlias
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

from toolcrib._version import __version__
from toolcrib.errors import ConfigurationError, ModelError
from toolcrib.wire.clients import Clients
from toolcrib.wire.timing import Timeout

if TYPE_CHECKING:
    import httpx2

__all__ = ["Answer", "ApiKey", "Http"]

ApiKey: TypeAlias = str | Callable[[], str | Awaitable[str]]
"""A key, or what gives one for each request, for keys that change."""

_LARGEST = 64 * 1024 * 1024
"""Bytes of a body that is read as a whole."""
_LONGEST_STREAM = 256 * 1024 * 1024
_SECRET_HEADERS = ("authorization", "cookie", "key", "secret", "token")
"""What the name of a header with a secret holds."""
_SHORTEST_SECRET = 4


class Answer:
    """A response whose status and headers are there; the body is read once, in one way."""

    __slots__ = ("_response", "headers", "status")

    def __init__(self, response: httpx2.Response) -> None:
        self._response = response
        self.status = response.status_code
        self.headers: Mapping[str, str] = response.headers

    @property
    def is_event_stream(self) -> bool:
        """Whether the server says that events follow."""
        return self.headers.get("content-type", "").lstrip().lower().startswith("text/event-stream")

    async def close(self) -> None:
        """Give the connection back, or end it when there is more to come."""
        await self._response.aclose()

    async def read(self, largest: int = _LARGEST) -> bytes:
        """The whole body. Raises `ModelError`."""
        pieces = [piece async for piece in self.pieces(largest)]
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    async def pieces(self, largest: int = _LONGEST_STREAM) -> AsyncGenerator[bytes, None]:
        """The body as it comes. Raises `ModelError`, also for one that is far too long."""
        import httpx2

        response, left = self._response, largest
        # What is not compressed, as streams hardly ever are, needs no decoder for each piece.
        plain = "content-encoding" not in self.headers and not response.is_stream_consumed
        try:
            async with aclosing(response.aiter_raw() if plain else response.aiter_bytes()) as body:
                async for piece in body:
                    left -= len(piece)
                    if left < 0:
                        raise ModelError("The server's answer does not end.", status=self.status)
                    yield piece
        except httpx2.HTTPError as error:
            _fail(error)


class Http:
    """One server: its address, its key, and a client for each event loop.

    Redirects are not followed: they would carry the key and the conversation elsewhere.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: ApiKey | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: Timeout,
        client: httpx2.AsyncClient | None = None,
    ) -> None:
        parts = _parts(base_url)
        self.host = parts.hostname or ""
        self.timeout = timeout
        place = parts.netloc.rpartition("@")[2]
        self._base_url = urlunsplit((parts.scheme, place, parts.path.rstrip("/"), "", ""))
        self._query = f"?{parts.query}" if parts.query else ""
        self._api_key = api_key
        self._headers = {
            "content-type": "application/json",
            "user-agent": f"toolcrib/{__version__}",
            **_login(parts),
            **{
                name.lower(): _sendable(value, f"The header {name!r}")
                for name, value in (headers or {}).items()
            },
        }
        self._timeouts = {
            "connect": timeout.connect,
            "read": timeout.read,
            "write": timeout.read,
            "pool": None,  # for its turn a request waits as long as it has time at all
        }
        self._secrets = tuple(_secrets(parts, self._headers))
        self._built: tuple[str, str | None, httpx2.URL, httpx2.Headers] | None = None
        self._client = client
        self._clients = Clients(secure=parts.scheme == "https", local=_is_local(self.host))

    async def key(self) -> str | None:
        """The key to send with the next request. Raises `ConfigurationError` for what cannot be one."""
        key = self._api_key
        if callable(key):
            given = key()
            key = await given if inspect.isawaitable(given) else given
        return _sendable(key, "The API key") if key else None

    def secrets(self, key: str | None) -> list[str]:
        """What must not be told on when the server quotes it: `key`, and what headers and address hold."""
        found = {*self._secrets, *([key] if key else [])}
        # Longest first, since one may be part of another. What is very short is a word, and no secret.
        return sorted((one for one in found if len(one) >= _SHORTEST_SECRET), key=len, reverse=True)

    async def post(self, path: str, body: bytes, key: str | None) -> Answer:
        """Send `body`; the answer, whatever its status, for the caller to close. Raises `ModelError`."""
        client = self._client or await self._clients.client()
        import httpx2  # loaded by now

        if client is not self._client:
            request = self._own_request(client, path, body, key)
        else:
            request = client.build_request(
                "POST",
                self._address(path),
                content=body,
                headers=self._headers_with(key),
                extensions={"timeout": self._timeouts},
            )
        try:
            response = await client.send(request, stream=True, follow_redirects=False)
        except httpx2.HTTPError as error:
            _fail(error, self.host)
        return Answer(response)

    def _own_request(
        self, client: httpx2.AsyncClient, path: str, body: bytes, key: str | None
    ) -> httpx2.Request:
        """A request as our client builds it; address and headers are put together only once."""
        import httpx2

        built = self._built
        if built is None or built[:2] != (path, key):
            model = client.build_request(
                "POST", self._address(path), headers=self._headers_with(key)
            )
            del model.headers["content-length"]
            built = self._built = (path, key, model.url, model.headers)
        return httpx2.Request(
            "POST", built[2], headers=built[3], content=body, extensions={"timeout": self._timeouts}
        )

    def _address(self, path: str) -> str:
        return self._base_url + path + self._query

    def _headers_with(self, key: str | None) -> Mapping[str, str]:
        if key is None or "authorization" in self._headers:
            return self._headers
        return {**self._headers, "authorization": f"Bearer {key}"}

    async def close(self) -> None:
        """End the connections of the running event loop; a client that was handed in stays open."""
        await self._clients.close()


def _parts(base_url: str) -> SplitResult:
    try:
        parts = urlsplit(base_url)
        is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_one = False
    if not is_one or not base_url.isprintable() or " " in base_url:
        raise ConfigurationError(
            "A base URL looks like 'https://host/v1': 'http://' or 'https://', a host, perhaps a "
            "port, and a path. This one does not."
        )
    return parts


def _sendable(value: str, what: str) -> str:
    """Checked here, because whoever refuses it later quotes it, and it may be a secret."""
    if not isinstance(value, str):
        raise ConfigurationError(f"{what} must be a text, not {type(value).__name__}.")
    stripped = value.strip()  # a key that was read from a file ends with a line
    if not (stripped.isascii() and stripped.isprintable()):
        raise ConfigurationError(f"{what} has characters that cannot be sent in a header.")
    return stripped


def _login(parts: SplitResult) -> dict[str, str]:
    """Name and password of an address as a header: addresses are written to logs."""
    if not (parts.username or parts.password):
        return {}
    pair = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    return {"authorization": f"Basic {b64encode(pair.encode()).decode('ascii')}"}


def _secrets(parts: SplitResult, headers: Mapping[str, str]) -> Iterator[str]:
    given = [value for _, value in parse_qsl(parts.query)]
    given.append(unquote(parts.password or ""))
    for name, value in headers.items():
        if any(part in name for part in _SECRET_HEADERS):
            given += [value, *value.split()[1:]]  # the scheme in front is none
    yield from given


def _is_local(host: str) -> bool:
    return host == "localhost" or host == "::1" or host.startswith("127.")


def _fail(error: httpx2.HTTPError, host: str | None = None) -> NoReturn:
    """Say what the wire did; never with the address or headers, which may hold secrets."""
    import httpx2

    kinds: dict[type[Exception], str] = {
        httpx2.ConnectError: "There is no connection to the server",
        httpx2.ConnectTimeout: "The server did not take the connection in time",
        httpx2.ReadTimeout: "The server stopped sending for too long",
        httpx2.RemoteProtocolError: "The server broke the connection off",
        httpx2.ReadError: "The server broke the connection off",
        httpx2.WriteError: "The server broke the connection off",
        httpx2.DecodingError: "The server's answer is wrongly compressed",
    }
    what = kinds.get(type(error), "The request could not be sent")
    at = f" at {host}" if host else ""
    retryable = isinstance(error, httpx2.TransportError) and not isinstance(
        error, httpx2.UnsupportedProtocol | httpx2.LocalProtocolError
    )
    raise ModelError(
        f"{what}{at} ({type(error).__name__}).", code="connection", retryable=retryable
    ) from error

"""HTTP clients that belong to event loops: made on first use, closed with their loop."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import threading
from collections.abc import AsyncGenerator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary, finalize

if TYPE_CHECKING:
    import httpx2

__all__ = ["Clients"]

_MOST_CONNECTIONS = 512


class Clients:
    """One client for each event loop that asks, shared by all its tasks.

    A client is owned by an async generator that its loop knows of: whoever ends the loop properly,
    as `asyncio.run` does, ends the generator and so the connections, without anybody's help.
    With `local` the server is on this machine, which no proxy of the environment can reach.
    """

    def __init__(self, *, secure: bool, local: bool) -> None:
        self._secure = secure
        self._local = local
        self._held: WeakKeyDictionary[asyncio.AbstractEventLoop, _Held] = WeakKeyDictionary()
        self._lock = threading.Lock()

    async def client(self) -> httpx2.AsyncClient:
        """The client of the running event loop."""
        loop = asyncio.get_running_loop()
        held = self._held.get(loop)
        if held is not None and not held.client.is_closed:
            return held.client
        if self._secure not in _prepared:
            # It takes 0.1 s or more, in which whatever else the loop serves would stand still.
            await asyncio.to_thread(_prepare, self._secure, self._local)
            held = self._held.get(loop)
            if held is not None:
                return held.client
        owner = _own(_make_client(secure=self._secure, local=self._local))
        client = await anext(owner)  # does not wait, so no other task can have come in between
        # Garbage has no time to close connections: whoever is forgotten leaves that to the loop.
        forgotten = finalize(self, _end_soon, loop, owner)
        forgotten.atexit = False
        with self._lock:
            self._forget_ended()
            self._held[loop] = _Held(client, owner, forgotten)
        return client

    async def close(self) -> None:
        """End the connections of the running event loop; a later request opens new ones."""
        with self._lock:
            self._forget_ended()
            held = self._held.pop(asyncio.get_running_loop(), None)
        if held is not None:
            held.forgotten.detach()
            await held.owner.aclose()

    def _forget_ended(self) -> None:
        # A client refers to its loop, so the weak keys alone would keep both.
        for loop in [loop for loop in self._held if loop.is_closed()]:
            self._held.pop(loop).forgotten.detach()


class _Held(NamedTuple):
    client: httpx2.AsyncClient
    owner: AsyncGenerator[httpx2.AsyncClient, None]
    forgotten: finalize[..., Clients]


_ending: set[asyncio.Task[None]] = set()


def _end_soon(
    loop: asyncio.AbstractEventLoop, owner: AsyncGenerator[httpx2.AsyncClient, None]
) -> None:
    """Have `loop` end what it owns; from any thread."""

    def end() -> None:
        task = loop.create_task(owner.aclose())
        _ending.add(task)  # a loop holds its tasks weakly
        task.add_done_callback(_ending.discard)

    with contextlib.suppress(RuntimeError):  # the loop has ended, and with it what it owned
        loop.call_soon_threadsafe(end)


async def _own(client: httpx2.AsyncClient) -> AsyncGenerator[httpx2.AsyncClient, None]:
    try:
        yield client
    finally:
        await client.aclose()


_prepared: set[bool] = set()
"""Whether everything is loaded that plain (False) or secure (True) connections take."""


def _prepare(secure: bool, local: bool) -> None:
    import anyio  # noqa: F401  # what connections are made with

    _make_client(secure=secure, local=local)  # loads the rest; it has opened nothing
    _prepared.add(secure)


def _make_client(*, secure: bool, local: bool) -> httpx2.AsyncClient:
    from urllib.request import getproxies  # on first use, as httpx2: they are slow to import

    import httpx2

    # Concurrency is bounded by those who ask; this only keeps a flood within the files that a
    # process may open. Whoever comes then waits for its turn.
    limits = httpx2.Limits(
        max_connections=_MOST_CONNECTIONS, max_keepalive_connections=64, keepalive_expiry=60
    )
    proxied = not local and any(url.startswith("https:") for url in getproxies().values())
    context = _trusting() if secure or proxied else _trusting_nobody()
    return httpx2.AsyncClient(verify=context, limits=limits, timeout=None, trust_env=not local)


@cache
def _trusting() -> ssl.SSLContext:
    """Made once: it takes 20 ms to read the authorities that are trusted."""
    import httpx2

    return httpx2.create_ssl_context()


@cache
def _trusting_nobody() -> ssl.SSLContext:
    """For plain HTTP, which needs none: cheap, and whatever would use it by mistake fails."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

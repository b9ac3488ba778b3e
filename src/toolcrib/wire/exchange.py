"""One request and its reply in some dialect, over HTTP: attempts, deadlines, streams and their faults."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from typing import Any

from pydantic_core import from_json

from toolcrib.chat import ChatReply, Delta
from toolcrib.dialects.dialect import Dialect, StreamDecoder
from toolcrib.errors import ModelError
from toolcrib.schema.names import WireNames
from toolcrib.wire.deadline import Deadline
from toolcrib.wire.http import Answer, Http
from toolcrib.wire.sse import EventSplitter
from toolcrib.wire.timing import Retries

__all__ = ["Exchange"]

_DONE = b"[DONE]"
_EXCERPT = 500
_GOODBYE = 0.1
_LARGEST_REFUSAL = 1024 * 1024
_HIDDEN = "***"


class Exchange:
    """Asks one server in one dialect.

    A request is sent again only while nothing of its reply has come.
    """

    def __init__(self, http: Http, dialect: Dialect, retries: Retries) -> None:
        self._http = http
        self._dialect = dialect
        self._retries = retries

    async def ask(
        self, path: str, body: bytes, names: WireNames
    ) -> AsyncGenerator[Delta | ChatReply, None]:
        """The deltas of the reply, if it is streamed, then the reply. Raises `ModelError`."""
        deadline = Deadline(self._http.timeout.total)
        failed = 0
        try:
            while True:
                key = await self._http.key()
                said = False
                try:
                    answer, data = await deadline.wait(self._begin, path, body, key)
                    if data is not None:
                        yield self._dialect.decode(_read_json(data, answer.status), names)
                        return
                    async with aclosing(self._stream(answer, names, deadline)) as streaming:
                        async for item in streaming:
                            said = True
                            yield item
                    return
                except ModelError as error:
                    _hide(error, self._http.secrets(key))
                    failed += 1
                    wait = self._retries.wait(failed, error, random.random(), deadline.left)
                    if said or wait is None:
                        raise
                await asyncio.sleep(wait)
        finally:
            deadline.cancel()

    async def _begin(self, path: str, body: bytes, key: str | None) -> tuple[Answer, bytes | None]:
        """The answer, and its body unless that comes as a stream, which is then for the caller to close."""
        answer = await self._http.post(path, body, key)
        succeeded = 200 <= answer.status < 300
        if succeeded and answer.is_event_stream:
            return answer, None
        try:
            data = await (answer.read() if succeeded else answer.read(_LARGEST_REFUSAL))
        except ModelError:
            if succeeded:
                raise
            data = b""  # the status says enough
        finally:
            await answer.close()
        if succeeded:
            return answer, data
        for secret in self._http.secrets(key):  # before the dialect cuts one in halves
            data = data.replace(secret.encode(), _HIDDEN.encode())
        raise self._dialect.error(answer.status, answer.headers, data)

    async def _stream(
        self, answer: Answer, names: WireNames, deadline: Deadline
    ) -> AsyncGenerator[Delta | ChatReply, None]:
        decoder, splitter = self._dialect.stream(names), EventSplitter()
        broken: ModelError | None = None
        ended = False
        try:
            async with aclosing(answer.pieces()) as pieces:
                while not ended:
                    try:
                        events = splitter.feed(await deadline.wait(pieces.__anext__))
                    except StopAsyncIteration:
                        ended, events = True, splitter.finish()
                    except ModelError as error:
                        ended, broken, events = True, error, splitter.finish()
                    for event in events:
                        if event == _DONE:
                            await _drain(pieces)
                            yield decoder.finish()
                            return
                        try:
                            read = _read_json(event, answer.status)
                        except ModelError as error:
                            # what is cut off is no JSON either
                            ended, broken = True, broken or error
                            break
                        for delta in decoder.feed(read):
                            yield delta
            yield _finish_broken(decoder, broken)
        finally:
            await answer.close()


def _finish_broken(decoder: StreamDecoder, broken: ModelError | None) -> ChatReply:
    """The reply of a stream that did not say that it ends: complete only if it said why it ends."""
    try:
        return decoder.finish(broken=True)
    except ModelError as error:
        raise broken or error from None


async def _drain(pieces: AsyncGenerator[bytes, None]) -> None:
    """Read to the end, so that the connection can be used again; but do not wait for a slow one."""
    try:
        async with asyncio.timeout(_GOODBYE):
            async for _ in pieces:
                pass
    except (TimeoutError, ModelError):
        return


def _read_json(data: bytes, status: int) -> dict[str, Any]:
    try:
        value = from_json(data)
    except ValueError:
        value = _read_odd_json(data, status)
    if not isinstance(value, dict):
        raise _unreadable(data, status)
    return value


def _read_odd_json(data: bytes, status: int) -> Any:
    """Lone surrogates and bytes that are no UTF-8, which some servers send inside texts."""
    try:
        return json.loads(data.decode(errors="replace"))
    except (ValueError, RecursionError):
        raise _unreadable(data, status) from None


def _unreadable(data: bytes, status: int) -> ModelError:
    excerpt = data[:_EXCERPT].decode(errors="replace")
    return ModelError(
        "The server's answer is no JSON object.", status=status, code="unreadable", excerpt=excerpt
    )


def _hide(error: ModelError, secrets: Iterable[str]) -> None:
    """Servers quote the key that they refuse."""
    for secret in secrets:
        error.args = tuple(_without(secret, part) for part in error.args)
        error.code = _without(secret, error.code)
        error.request_id = _without(secret, error.request_id)
        error.excerpt = _without(secret, error.excerpt)


def _without(secret: str, told: Any) -> Any:
    return told.replace(secret, _HIDDEN) if isinstance(told, str) else told

"""Records what a real model answers, and replays it without a network."""

from __future__ import annotations

import difflib
import json
import os
import threading
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from pathlib import Path
from types import TracebackType
from typing import Any

from toolcrib.chat import ChatModel, ChatReply, ChatRequest, Delta
from toolcrib.errors import ModelError
from toolcrib.testing.cassette import (
    Exchange,
    error_from,
    exchange_of,
    fingerprint,
    load,
    reply_from,
    request_data,
    save,
)
from toolcrib.testing.complaints import ScriptError, ScriptExhausted, UnusedSteps
from toolcrib.testing.script import as_step, steps_reply
from toolcrib.testing.secrets import redact as default_redact

__all__ = ["Recorder", "Replay", "RequestChanged"]

_LONGEST_DIFF = 60


class RequestChanged(ScriptError):
    """A request is not the one that was recorded; the message shows the difference."""


class Recorder:
    """A `ChatModel` that asks another, and writes what was asked and answered to the file `path`.

    The file is written after each answer and starts afresh with each recorder. Secrets are removed:
    whatever stands under a key such as `password`, and what `redact` replaces in any text. `redact`
    may also take out what differs from run to run, such as dates; give `Replay` the same one.
    Errors of the model are recorded too; other exceptions and cancelled requests are not.
    """

    def __init__(
        self,
        model: ChatModel,
        path: str | os.PathLike[str],
        *,
        redact: Callable[[str], str] = default_redact,
    ) -> None:
        self.model = model
        self.path = Path(path)
        self._redact = redact
        self._exchanges: dict[int, Exchange] = {}
        self._asked = 0
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The name of the model behind."""
        return self.model.name

    async def reply(self, request: ChatRequest) -> AsyncGenerator[Delta | ChatReply, None]:
        """Answer as the model behind does."""
        asked = request_data(request, self._redact)
        with self._lock:
            place, self._asked = self._asked, self._asked + 1
        try:
            async with aclosing(self.model.reply(request)) as replying:
                async for item in replying:
                    if isinstance(item, ChatReply):
                        self._keep(place, asked, item)
                    yield item
        except ModelError as error:
            self._keep(place, asked, error)
            raise

    async def close(self) -> None:
        """Close the model behind."""
        await self.model.close()

    def __repr__(self) -> str:
        return f"<Recorder of {self.model!r} to {str(self.path)!r}>"

    def _keep(self, place: int, asked: Mapping[str, Any], answer: ChatReply | ModelError) -> None:
        exchange = exchange_of(asked, answer, self._redact)
        with self._lock:
            # by the order in which they were asked: answers may come in any order
            self._exchanges[place] = exchange
            save(self.path, self.name, [self._exchanges[n] for n in sorted(self._exchanges)])


class Replay:
    """A `ChatModel` that answers with what a `Recorder` wrote, streaming or not, without a network.

    Each recorded answer is given once, to the request that it was recorded for, in any order.
    Another request raises `RequestChanged` with the difference to the next one that was recorded, or
    `ScriptExhausted` when there is none. As a context manager, or with `check()`, it complains about
    answers that were not asked for. Raises `ConfigurationError` for a file that is no recording.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, redact: Callable[[str], str] = default_redact
    ) -> None:
        self.path = Path(path)
        self.name, self._unused = load(self.path)
        self._redact = redact
        self._recorded = len(self._unused)
        self._asked = 0
        self._complaints: list[ScriptError] = []
        self._lock = threading.Lock()

    async def reply(self, request: ChatRequest) -> AsyncGenerator[Delta | ChatReply, None]:
        """Answer as it was recorded."""
        number, answer = self._next(request_data(request, self._redact))
        if "error" in answer:
            raise error_from(answer["error"])
        deltas, finished = steps_reply(as_step(reply_from(answer["reply"])), number, self.name)
        if request.stream:
            for delta in deltas:
                yield delta
        yield finished

    def check(self) -> None:
        """Raises the first complaint so far, or `UnusedSteps`."""
        with self._lock:
            if self._complaints:
                raise self._complaints[0]
            if self._unused:
                raise UnusedSteps(
                    f"{str(self.path)!r} holds {self._recorded} answers, and {len(self._unused)} of "
                    "them were not asked for."
                )

    async def close(self) -> None:
        """Nothing is open."""

    def __repr__(self) -> str:
        return f"<Replay of {str(self.path)!r}: {len(self._unused)} of {self._recorded} left>"

    def __enter__(self) -> Replay:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.check()

    def _next(self, asked: Mapping[str, Any]) -> tuple[int, Mapping[str, Any]]:
        wanted = fingerprint(asked)
        with self._lock:
            number, self._asked = self._asked, self._asked + 1
            for place, exchange in enumerate(self._unused):
                if exchange.fingerprint == wanted:
                    del self._unused[place]
                    return number, exchange.answer
            complaint = self._complaint(number, asked)
            self._complaints.append(complaint)
            raise complaint

    def _complaint(self, number: int, asked: Mapping[str, Any]) -> ScriptError:
        if not self._unused:
            return ScriptExhausted(
                f"{str(self.path)!r} holds {self._recorded} answers, and the model was asked for "
                f"round {number} (counted from 0)."
            )
        return RequestChanged(
            f"Request {number} (counted from 0) is not the one in {str(self.path)!r}. If that is "
            f"meant, record it again (--toolcrib-record).\n{_difference(self._unused[0].request, asked)}"
        )


def _difference(recorded: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    lines = list(
        difflib.unified_diff(_lines(recorded), _lines(asked), "recorded", "asked", lineterm="", n=2)
    )
    if len(lines) > _LONGEST_DIFF:
        rest = len(lines) - _LONGEST_DIFF
        lines[_LONGEST_DIFF:] = [f"... and {rest} more lines"]
    return "\n".join(lines)


def _lines(request: Mapping[str, Any]) -> list[str]:
    return json.dumps(request, indent=1, sort_keys=True, ensure_ascii=False).splitlines()

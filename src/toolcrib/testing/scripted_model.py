"""A model that says what a test tells it to, and complains about what a provider would refuse."""

from __future__ import annotations

import inspect
import threading
from collections.abc import AsyncGenerator, Iterable, Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any

from toolcrib.chat import ChatReply, ChatRequest, Delta, FinishReason, Usage
from toolcrib.testing.complaints import (
    ScriptError,
    ScriptExhausted,
    UnpairedRequest,
    UnusedSteps,
    check_pairing,
)
from toolcrib.testing.script import (
    Piece,
    Step,
    StepLike,
    as_step,
    call,
    fail,
    say,
    steps_reply,
    turn,
)

__all__ = ["ScriptedModel"]


class ScriptedModel:
    """A `ChatModel` that answers with the steps of a script, streaming or not.

    >>> model = ScriptedModel().call("get_weather", {"city": "Oslo"}).say("It rains.")

    or, as a list, `ScriptedModel([call("get_weather", {"city": "Oslo"}), say("It rains.")])`.
    Each step answers one request; `forever` answers all requests after the last step. As a context
    manager, or with `check()`, it complains about steps that were not asked for. It complains about
    a request at once (and again in `check()`, should somebody swallow that): about one too many
    (`ScriptExhausted`), and about calls and results that do not pair (`UnpairedRequest`).

    Any number of threads and event loops may ask it at the same time.
    """

    def __init__(
        self,
        steps: Iterable[StepLike] = (),
        *,
        forever: StepLike | None = None,
        name: str = "scripted",
    ) -> None:
        self.name = name
        self.requests: list[ChatRequest] = []
        """All requests so far, each with its messages as a tuple, as they were at that time."""
        self.closed = 0
        """How often `close` was called."""
        self._steps: list[StepLike] = [_checked(step) for step in steps]
        self._forever = None if forever is None else _checked(forever)
        self._complaints: list[ScriptError] = []
        self._lock = threading.Lock()

    def say(
        self,
        *fragments: str,
        finish_reason: FinishReason | None = None,
        usage: Usage = Usage(),
    ) -> ScriptedModel:
        """Add a reply that is a text; one fragment is streamed word by word, several as they are."""
        return self._add(turn(say(*fragments), finish_reason=finish_reason, usage=usage))

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any] | str | None = None,
        *,
        id: str | None = None,
        fragments: Iterable[str] | None = None,
        cut_off: bool = False,
        usage: Usage = Usage(),
    ) -> ScriptedModel:
        """Add a reply that is one call; `arguments` is an object, or the text that the model writes."""
        one = call(name, arguments, id=id, fragments=fragments, cut_off=cut_off)
        return self._add(turn(one, usage=usage))

    def turn(
        self,
        *pieces: Piece | str,
        finish_reason: FinishReason | None = None,
        usage: Usage = Usage(),
        refusal: str | None = None,
        deltas: Iterable[Delta] | None = None,
    ) -> ScriptedModel:
        """Add one reply of several pieces: texts, `say()`, `think()`, `call()`."""
        return self._add(
            turn(*pieces, finish_reason=finish_reason, usage=usage, refusal=refusal, deltas=deltas)
        )

    def fail(self, error: BaseException, *pieces: Piece | str) -> ScriptedModel:
        """Add an error; when it streams, the deltas of `pieces` come before that."""
        return self._add(fail(error, *pieces))

    def then(self, step: StepLike) -> ScriptedModel:
        """Add any step, such as a function (async or not) that makes one from the request."""
        return self._add(step)

    async def reply(self, request: ChatRequest) -> AsyncGenerator[Delta | ChatReply, None]:
        """Answer with the next step: its deltas if they are wanted, then its reply or its error."""
        number, made = self._next(request)
        while callable(made):
            computed = made(self.requests[number])
            made = await computed if inspect.isawaitable(computed) else computed
        step = as_step(made)
        deltas, finished = steps_reply(step, number, self.name)
        if request.stream:
            for delta in deltas:
                yield delta
        if step.error is not None:
            raise step.error
        yield finished

    def check(self) -> None:
        """Raises the first complaint so far, or `UnusedSteps`."""
        with self._lock:
            if self._complaints:
                raise self._complaints[0]
            asked, known = len(self.requests), len(self._steps)
            if asked < known:
                raise UnusedSteps(
                    f"The script of {self.name!r} has {known} steps, and {asked} were asked for. "
                    f"Next would have been {self._steps[asked]!r:.200}."
                )

    async def close(self) -> None:
        """Nothing is open; counted in `closed`."""
        self.closed += 1

    def __repr__(self) -> str:
        return (
            f"<ScriptedModel {self.name!r}: asked {len(self.requests)} times, "
            f"has {len(self._steps)} steps>"
        )

    def __enter__(self) -> ScriptedModel:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # an error that is on its way says more than steps that it left unused
        if error is None:
            self.check()

    def _add(self, step: StepLike) -> ScriptedModel:
        checked = _checked(step)
        with self._lock:
            self._steps.append(checked)
        return self

    def _next(self, request: ChatRequest) -> tuple[int, StepLike]:
        frozen = replace(request, messages=tuple(request.messages))
        with self._lock:
            number = len(self.requests)
            self.requests.append(frozen)
            try:
                check_pairing(frozen.messages)
            except UnpairedRequest as complaint:
                self._complaints.append(complaint)
                raise
            if number < len(self._steps):
                return number, self._steps[number]
            if self._forever is not None:
                return number, self._forever
            last = f" The last message is {frozen.messages[-1]!r:.200}." if frozen.messages else ""
            exhausted = ScriptExhausted(
                f"The script of {self.name!r} has {len(self._steps)} steps, and the model was asked "
                f"for round {number} (counted from 0).{last}"
            )
            self._complaints.append(exhausted)
            raise exhausted


def _checked(step: StepLike) -> StepLike:
    """A script that makes no sense is refused where it is written, not where it is asked for."""
    return step if callable(step) and not isinstance(step, Step) else as_step(step)

"""A conversation on the command line: one run after another, each of which Ctrl-C can cancel."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable, Iterator

from toolcrib.agent import Agent
from toolcrib.cli.console import Screen
from toolcrib.cli.transcript import Transcript
from toolcrib.loop.events import Event
from toolcrib.loop.outcome import Outcome, RunAborted
from toolcrib.messages import Message
from toolcrib.runtime.run import Run

__all__ = ["Conversation"]


class Conversation:
    """One conversation: each question is a run that goes on from the messages so far."""

    def __init__(self, agent: Agent, screen: Screen, transcript: Transcript) -> None:
        self._agent = agent
        self._screen = screen
        self._transcript = transcript
        self._messages: tuple[Message, ...] = ()
        self._abandoned = False
        # one event loop for all questions, so that connections stay open between them
        self._runner = asyncio.Runner()

    def ask(self, question: str) -> bool:
        """Run one question and show it; whether it ended with an answer."""
        run = self._agent.stream(question, messages=self._messages)
        outcome: Outcome[str] | None = None
        try:
            self._runner.run(self._follow(run))
            outcome = run.outcome
        except RunAborted as error:
            outcome = error.outcome
            self._transcript.failed(error.__cause__ or error)
        except KeyboardInterrupt:
            with contextlib.suppress(RuntimeError):  # not ended yet: then this is the second Ctrl-C
                outcome = run.outcome
            if outcome is None:
                raise
        self._keep(outcome)
        self._transcript.ended(outcome)
        return outcome.stop in ("answered", "returned")

    def _keep(self, outcome: Outcome[str]) -> None:
        # a question that the model never answered may be asked again as if it had not been
        if outcome.replies:
            self._messages = outcome.messages
        self._abandoned |= any(
            one.fault in ("cancelled", "timeout") and one.started_at is not None
            for one in outcome.tool_executions
        )

    async def _follow(self, run: Run[Event]) -> None:
        def cancel() -> None:
            run.cancel()
            self._transcript.remark("(cancelling; another Ctrl-C ends the program)")

        async with run:
            with _on_ctrl_c(cancel):
                async for event in run:
                    self._transcript.show(event)

    def __enter__(self) -> Conversation:
        return self

    def __exit__(self, *error: object) -> None:
        self._runner.run(self._agent.close())
        self._runner.close()
        if self._abandoned and any(
            one.name.startswith("toolcrib") for one in threading.enumerate()
        ):
            # Python waits for its threads: what writes somewhere is better not torn off unasked
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            self._screen.note("A tool given up may still be at work; Ctrl-C leaves at once.")


@contextlib.contextmanager
def _on_ctrl_c(cancel: Callable[[], None]) -> Iterator[None]:
    """The first Ctrl-C cancels; a second one, while that takes its time, ends the program."""
    loop = asyncio.get_running_loop()

    def leave() -> None:
        # From a callback of the loop: Python itself would raise it wherever it just is.
        raise KeyboardInterrupt

    def interrupted() -> None:
        loop.add_signal_handler(signal.SIGINT, leave)
        cancel()

    try:
        loop.add_signal_handler(signal.SIGINT, interrupted)
    except NotImplementedError:  # Windows: there Ctrl-C cancels the task that follows the run
        yield
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)

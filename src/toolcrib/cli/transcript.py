"""Prints a run as it happens: text, calls, repairs, results, errors, and how it ended."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from toolcrib.chat import ChatReply
from toolcrib.cli.console import Screen, one_line, shortened
from toolcrib.cli.tools_call import part_words
from toolcrib.loop.events import (
    Event,
    ModelReplied,
    ModelRequested,
    TextDelta,
    ThinkingDelta,
    ToolFinished,
    ToolProgress,
    ToolStarted,
)
from toolcrib.loop.outcome import Outcome
from toolcrib.tools.execution import ToolExecution

__all__ = ["Transcript"]

_MOST = 500


class Transcript:
    """Shows the events of runs, one after another."""

    def __init__(self, screen: Screen, *, full: bool = False) -> None:
        self._screen = screen
        self._most = 1_000_000 if full else _MOST
        self._in_line = False
        self._style = ""
        self._streamed = False
        self._started: set[tuple[int, int]] = set()

    def show(self, event: Event) -> None:
        """Print what is worth seeing of an event."""
        match event:
            case ModelRequested():
                self._streamed = False
            case TextDelta():
                self._streamed = True
                self._stream(event.text, "")
            case ThinkingDelta():
                self._stream(event.text, "dim italic")
            case ModelReplied():
                self._replied(event.reply)
            case ToolStarted():
                self._started.add((event.round, event.position))
                self._called(event.call.name, _compact(event.arguments))
            case ToolProgress():
                self._line(f"  … {event.call.name}: {one_line(str(event.progress))}", "dim")
            case ToolFinished():
                self._finished(event)
            case _:
                pass

    def ended(self, outcome: Outcome[Any]) -> None:
        """Print how a run ended, unless it simply answered, and what it took."""
        self.break_line()
        self._started.clear()
        if outcome.stop == "returned":
            for execution in outcome.tool_executions[-1:]:
                self._line(f"(the run ended with the result of {execution.name})", "dim")
        elif outcome.stop not in ("answered", "failed"):  # what failed has been told
            why = f": {outcome.reason}" if outcome.reason else ""
            self._line(f"(stopped: {outcome.stop}{why})", "yellow")
        requests = outcome.model_calls
        if not requests:
            return
        tokens = f", {outcome.usage.tokens} tokens" if outcome.usage.tokens else ""
        self._line(f"({requests} request{'s' * (requests != 1)}{tokens})", "dim")

    def failed(self, error: BaseException) -> None:
        """Print what ended a run."""
        self._line(f"Error: {type(error).__name__}: {error}", "red")

    def remark(self, text: str) -> None:
        """Print something that is no part of the conversation."""
        self._line(text, "dim")

    def break_line(self) -> None:
        """End the line that is being streamed, if there is one."""
        if self._in_line:
            self._screen.say()
            self._in_line = False

    def _stream(self, text: str, style: str) -> None:
        if style != self._style:
            self.break_line()
            self._style = style
        if text:
            self._screen.say(text, style, end="")
            self._in_line = not text.endswith("\n")

    def _line(self, text: str, style: str) -> None:
        self.break_line()
        self._screen.say(text, style)

    def _replied(self, reply: ChatReply) -> None:
        # a model that does not stream says everything here
        if not self._streamed and reply.message.text:
            self._stream(reply.message.text, "")
        if reply.message.refusal:
            self._line(f"(refused: {reply.message.refusal})", "yellow")
        self.break_line()

    def _called(self, name: str, arguments: str) -> None:
        self._line(f"→ {name} {shortened(one_line(arguments), self._most)}", "cyan")

    def _finished(self, event: ToolFinished) -> None:
        execution = event.execution
        if (event.round, event.position) not in self._started:
            self._called(execution.name, execution.call.arguments)
        for repair in execution.repairs:
            place = f"{repair.path}: " if repair.path else ""
            self._line(f"  ~ {place}{one_line(repair.note)}", "yellow")
        self._result(execution)

    def _result(self, execution: ToolExecution) -> None:
        parts = () if execution.result is None else execution.result.content
        text = shortened("\n".join(map(part_words, parts)), self._most)
        took = "" if execution.duration is None else f"  ({_seconds(execution.duration)})"
        sign, style = ("✗", "red") if execution.is_error else ("←", "green")
        self._line(f"{sign} {execution.name}: {text}{took}", style)


def _compact(arguments: Mapping[str, Any]) -> str:
    return json.dumps(dict(arguments), ensure_ascii=False, default=str)


def _seconds(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"

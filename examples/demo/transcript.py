"""Prints a conversation as it happens: requests, calls, repairs, errors, results, answers, and a summary."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Iterable

from examples.demo.questions import Question, Verdict
from toolcrib import Tool, ToolExecution
from toolcrib.chat import ChatReply
from toolcrib.loop.events import Event, ModelReplied, ModelRequested, ToolFinished
from toolcrib.loop.outcome import Outcome

__all__ = ["Transcript"]

_LABEL = 13


class Transcript:
    """An observer of runs that writes down what it sees."""

    def __init__(self) -> None:
        self._started = self._asked_at = time.perf_counter()
        self._seen: Counter[str] = Counter()
        self._rows: list[tuple[Question, Verdict | None]] = []
        self._width = max(60, min(shutil.get_terminal_size((100, 24)).columns, 120))

    def catalogue(self, model: str, tools: Iterable[Tool]) -> None:
        """What the model is told of the tools."""
        print(f"Model: {model}\n\nTools, made from the functions in examples/demo/desk.py:")
        for tool in tools:
            self._line(tool.name, tool.definition.description or "")
            self._line("", json.dumps(tool.definition.input_schema))

    def part(self, heading: str) -> None:
        """The head of several conversations."""
        print(f"\n== {heading}")

    def question(self, question: Question) -> None:
        """The head of one conversation."""
        self._rows.append((question, None))
        print(f"\n{len(self._rows)}. {question.text}")

    def __call__(self, event: Event) -> None:
        """One event of a run."""
        match event:
            case ModelRequested(round=number, request=request):
                self._asked_at = time.perf_counter()
                self._seen["requests"] += 1
                messages, tools = len(request.messages), len(request.tools)
                self._line(f"request {number + 1}", f"{messages} message(s), {tools} tools")
            case ModelReplied(reply=reply):
                self._reply(reply, time.perf_counter() - self._asked_at)
            case ToolFinished(execution=execution):
                self._execution(execution)
            case _:
                pass

    def failure(self, error: BaseException) -> None:
        """A conversation that broke off."""
        self._line("broke off", f"{type(error).__name__}: {error}")

    def ending(self, outcome: Outcome[str], verdict: Verdict) -> None:
        """How a conversation ended, unless it simply ended with an answer, and what the checks say."""
        if outcome.stop != "answered":
            self._line("stopped", outcome.stop + (f": {outcome.reason}" if outcome.reason else ""))
        question, _ = self._rows[-1]
        self._rows[-1] = (question, verdict)
        self._seen["tokens"] += outcome.usage.tokens
        tool = "no call" if question.tool is None else f"called {question.tool}"
        checks = (
            (tool, verdict.call),
            ("right arguments", verdict.arguments),
            ("an answer" if question.tool is None else "answer true to the result", verdict.answer),
            ("calendar as it should be", verdict.written),
        )
        marks = [f"{'✔' if ok else '✘'} {name}" for name, ok in checks if ok is not None]
        self._line("checked", "   ".join(marks))

    def summary(self) -> int:
        """The end: what the model got right, as the checks found it; the exit code of the demo."""
        print("\n== What the model got right, checked against the tools' real results\n")
        for number, (question, verdict) in enumerate(self._rows, 1):
            print(f"{number:>4}. {_in_words(verdict):<40} {question.text}")
        right = sum(verdict is not None and verdict.right for _, verdict in self._rows)
        seen, seconds = self._seen, time.perf_counter() - self._started
        print(f"\n{right} of {len(self._rows)} entirely right.")
        print(f"{seen['requests']} requests, {seen['tokens']:,} tokens, {seconds:.1f} s.")
        print(
            f"{seen['asked']} calls asked for, {seen['answered']} answered: {seen['run']} by running "
            f"the tool, {seen['told']} with an error that says why; {seen['repaired']} repaired before."
        )
        return 1 if any(verdict is None for _, verdict in self._rows) else 0

    def _reply(self, reply: ChatReply, seconds: float) -> None:
        for call in reply.message.tool_calls:
            cut = "  (cut off)" if call.cut_off else ""
            self._seen["asked"] += 1
            self._line("model calls", f"{call.name} {call.arguments}{cut}")
        if reply.message.text or not reply.message.tool_calls:
            self._line("model says", reply.message.text or "(nothing)")
        usage = reply.usage
        counted = f"{_count(usage.input_tokens)} tokens in, {_count(usage.output_tokens)} out"
        why = "" if reply.finish_reason in ("stop", "tool_calls") else f", {reply.finish_reason}"
        self._line("", f"({counted}, {seconds:.1f} s{why})")

    def _execution(self, execution: ToolExecution) -> None:
        self._seen["answered"] += execution.result is not None
        self._seen["run"] += execution.state == "committed"
        self._seen["told"] += execution.is_error
        self._seen["repaired"] += bool(execution.repairs)
        for repair in execution.repairs:
            self._line("repaired", f"{repair.path}: {repair.note}" if repair.path else repair.note)
        told = "" if execution.result is None else execution.result.text
        self._line("error told" if execution.is_error else "result", told)

    def _line(self, label: str, text: str) -> None:
        # A model may write anything, sequences that command a terminal included.
        text = "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)
        indent = " " * (_LABEL + 4)
        width = self._width - len(indent)
        lines = [
            piece
            for line in text.splitlines() or [""]
            for piece in textwrap.wrap(line, width) or [""]
        ]
        print(f"   {label:<{_LABEL}} {lines[0]}")
        for line in lines[1:]:
            print(indent + line)
        sys.stdout.flush()


def _count(tokens: int | None) -> str:
    return "?" if tokens is None else str(tokens)


def _in_words(verdict: Verdict | None) -> str:
    if verdict is None:
        return "✘ broke off"
    if verdict.right:
        return "✔ right"
    wrong = []
    if not verdict.call:
        wrong.append("call")
    if verdict.arguments is False:
        wrong.append("arguments")
    if not verdict.answer:
        wrong.append("answer")
    if verdict.written is False:
        wrong.append("calendar")
    return f"✘ wrong {', '.join(wrong)}"

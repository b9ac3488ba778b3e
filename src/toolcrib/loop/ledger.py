"""What a run has done so far, and how that is written down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from toolcrib.chat import ChatReply, ChatRequest, Usage
from toolcrib.loop.limits import Limits, Repeats, Tally
from toolcrib.loop.outcome import Outcome
from toolcrib.loop.pairing import refusal, with_own_ids
from toolcrib.loop.questions import RoundPlan
from toolcrib.messages import History, Message, ToolCall
from toolcrib.tools.execution import Fault, ToolExecution
from toolcrib.values import value

__all__ = ["Ledger", "LoopPolicy"]


@value
class LoopPolicy:
    """What the loop must know to decide; plain data."""

    limits: Limits = Limits()
    instructions: str | None = None
    stream: bool = False


class Ledger:
    """The history of a run, its replies and executions, and what is used of its limits."""

    __slots__ = (
        "_committed",
        "_handed_in",
        "_pending",
        "content",
        "executions",
        "history",
        "policy",
        "reason",
        "repeats",
        "replies",
        "tally",
    )

    def __init__(self, history: History, handed_in: int, policy: LoopPolicy) -> None:
        self.history = history
        self.policy = policy
        self.replies: list[ChatReply] = []
        self.executions: list[ToolExecution] = []
        self.tally = Tally()
        self.repeats = Repeats()
        self.content: str | None = None
        self.reason: str | None = None
        self._handed_in = handed_in
        self._committed = handed_in
        self._pending: tuple[ToolCall, ...] = ()

    def changes(self) -> tuple[Message, ...]:
        """The messages that are not known to be written yet."""
        return self.history.since(self._committed)

    def committed(self, changes: Sequence[Message]) -> None:
        """These messages, which were the ones to write, are written."""
        self._committed += len(changes)

    def request(self, plan: RoundPlan) -> ChatRequest:
        """The next request, by the runner's plan."""
        self.tally.model_calls += 1
        policy = self.policy
        view = self.history.view() if plan.view is None else plan.view
        return ChatRequest(view, policy.instructions, plan.tools, plan.tool_choice, policy.stream)

    def heard(self, reply: ChatReply) -> tuple[ToolCall, ...]:
        """Write down a reply; its calls that are ours to run, each with an id of its own."""
        message = reply.message
        if message.tool_calls:
            calls = with_own_ids(message.tool_calls, len(self.history))
            if calls is not message.tool_calls:
                message = replace(message, tool_calls=calls)
                reply = replace(reply, message=message)
            self._pending = tuple([call for call in calls if not call.server_side])
        self.replies.append(reply)
        self.tally.tokens += reply.usage.tokens
        self.history.append(message)
        return self._pending

    def record(self, executions: Sequence[ToolExecution]) -> None:
        """Write down the answers to the calls of the last reply, in their order."""
        self.tally.tool_calls += len(executions)
        self._answer(executions)

    def answer_unrun(self, text: str, fault: Fault) -> None:
        """Close the round: what is still unanswered is answered with why it was not run."""
        self._answer(
            [
                ToolExecution(call, result=refusal(call, text), state="not_run", fault=fault)
                for call in self._pending
            ]
        )

    def _answer(self, executions: Sequence[ToolExecution]) -> None:
        self._pending = ()
        self.executions.extend(executions)
        for execution in executions:
            assert execution.result is not None, "a runner answers every call"
            self.history.append(execution.result)

    def outcome(self, stop: str) -> Outcome[str]:
        """How the run ended."""
        messages = self.history.since(0)
        return Outcome(
            stop=stop,
            content=self.content,
            messages=messages,
            new_messages=messages[self._handed_in :],
            usage=Usage.total([reply.usage for reply in self.replies]),
            tool_executions=tuple(self.executions),
            replies=tuple(self.replies),
            reason=self.reason,
        )

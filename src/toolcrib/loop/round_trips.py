"""The loop: ask the model, run what it calls, tell it the results, until there is an answer.

It decides everything and waits for nothing: whatever takes time is a question, answered by a runner.
"""

from __future__ import annotations

from collections.abc import Mapping

from toolcrib.chat import ChatReply
from toolcrib.loop.ledger import Ledger, LoopPolicy
from toolcrib.loop.outcome import Outcome, RunInterrupted
from toolcrib.loop.questions import Asking, AskModel, PrepareRound, RunCalls
from toolcrib.loop.returning import round_returns
from toolcrib.messages import History, ToolCall

__all__ = ["round_trips"]


def round_trips(history: History, handed_in: int, policy: LoopPolicy) -> Asking[Outcome[str]]:
    """One run over `history`, whose first `handed_in` messages are not the run's own.

    The runner may throw `RunInterrupted` instead of an answer, at every question but `RunCalls`:
    the round is closed, what is new is committed, and the outcome bears the interruption's stop.
    """
    ledger = Ledger(history, handed_in, policy)
    try:
        stop = yield from _rounds(ledger)
    except RunInterrupted as interruption:
        ledger.answer_unrun(f"Not run: the run ended ({interruption.stop}).", "cancelled")
        ledger.reason = interruption.reason
        stop = interruption.stop
    try:
        yield from PrepareRound(ledger.changes(), last=True)
    except RunInterrupted as interruption:
        stop, ledger.reason = interruption.stop, interruption.reason
    return ledger.outcome(stop)


def _rounds(ledger: Ledger) -> Asking[str]:
    limits = ledger.policy.limits
    while True:
        changes = ledger.changes()
        plan = yield from PrepareRound(changes)
        ledger.committed(changes)
        if plan.insert:
            ledger.history.extend(plan.insert)
        if plan.stop is not None:
            return plan.stop
        if used_up := ledger.tally.exhausted(limits):
            return f"limit:{used_up}"
        reply = yield from AskModel(ledger.request(plan))
        calls = ledger.heard(reply)
        if stop := _by_finish_reason(ledger, reply):
            return stop
        if not calls:
            if reply.finish_reason == "pause":
                continue  # the provider is at work with tools of its own: ask it to go on
            ledger.content = reply.message.text
            return "answered"
        if stop := _over_a_limit(ledger, calls):
            return stop
        executions = yield from RunCalls(len(ledger.replies) - 1, calls)
        ledger.record(executions)
        for execution in executions:
            if execution.aborts is not None:
                ledger.reason = f"Tool '{execution.name}' ended the run."
                return "failed"
        if round_returns(executions):
            return "returned"


def _by_finish_reason(ledger: Ledger, reply: ChatReply) -> str | None:
    """What the reason why the reply ended says comes before the calls that it holds."""
    match reply.finish_reason:
        case "refusal" | "content_filter":
            ledger.answer_unrun("Not run: the reply was refused.", "denied")
            ledger.reason = reply.message.refusal or reply.message.text or None
            return "refused"
        case "length":
            ledger.answer_unrun("Not run: the reply was cut off at its length limit.", "limit")
            ledger.content = reply.message.text or None
            return "limit:length"
        case "error":
            ledger.answer_unrun("Not run: the reply broke off with an error.", "cancelled")
            ledger.reason = f"The model's reply broke off: {_words(reply)}"
            return "failed"
        case _:
            return None


def _words(reply: ChatReply) -> str:
    """What the provider said of an error inside its reply."""
    error = reply.metadata.get("error")
    said = error.get("message") if isinstance(error, Mapping) else error
    return str(said) if said else "its end never came."


def _over_a_limit(ledger: Ledger, calls: tuple[ToolCall, ...]) -> str | None:
    """If no further request is allowed, or these calls are too many: they are answered, not run."""
    limits, tally = ledger.policy.limits, ledger.tally
    times = 0 if limits.repeat is None else ledger.repeats.seen(calls)
    which = tally.exhausted(limits)
    if which is None and limits.repeat is not None and times > limits.repeat:
        which = "repeat"
    if which is None and limits.tool_calls is not None:
        which = "tool_calls" if tally.tool_calls + len(calls) > limits.tool_calls else None
    if which is None:
        return None
    bound, words = getattr(limits, which), which.replace("_", " ")
    if which == "repeat":
        why = f"the same was asked {times} times in a row, and {bound} are allowed"
    else:
        why = f"the run has reached its limit of {bound} {words}"
    ledger.answer_unrun(f"Not run: {why}.", "limit")
    return f"limit:{which}"

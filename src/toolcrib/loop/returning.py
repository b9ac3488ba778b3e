"""Whether a round's results go to the caller at once instead of back to the model."""

from __future__ import annotations

from collections.abc import Sequence

from toolcrib.tools.definition import ReturnBehavior
from toolcrib.tools.execution import ToolExecution

__all__ = ["returns_immediately", "round_returns"]


def returns_immediately(behaviors: Sequence[ReturnBehavior], errors: Sequence[bool]) -> bool:
    """The rule, by the calls of one round in the order in which the model listed them.

    An error always goes back to the model. Otherwise the round returns if its last call is
    `IMMEDIATE_IF_LAST`, or if no call is `TO_MODEL`.
    """
    if not behaviors or True in errors:
        return False
    if behaviors[-1] is ReturnBehavior.IMMEDIATE_IF_LAST:
        return True
    return ReturnBehavior.TO_MODEL not in behaviors


def round_returns(executions: Sequence[ToolExecution]) -> bool:
    """The same for executed calls; a tool that raised `ReturnNow` returns whatever its behavior is."""
    behaviors = []
    returns_now = False
    for execution in executions:
        if execution.is_error:
            return False
        returns_now = returns_now or execution.returns_now
        behaviors.append(execution.returns)
    return returns_now or returns_immediately(behaviors, ())
